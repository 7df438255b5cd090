"""The reference of the command line, made from its own help: `python -m tacit.cli.docs`.

Writes `docs/cli.md`, or the file named; a test fails when that file is out of date.
"""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from tacit.cli.app import app

_OPENING = """\
# Command line

This page is made from the help texts by `python -m tacit.cli.docs`. `tacit COMMAND --help` says
the same.

Results go to stdout, everything else to stderr; with `--json` stdout holds one JSON document.
Tables are read from `.csv` and `.parquet`. In a CSV file an empty field is a missing value.
An output file is replaced only when the new one is complete.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | `tacit audit` refuted the claim |
| 2 | bad input; one line on stderr says why |
| 130 | interrupted; nothing is left half-written |
"""

_CLOSING = """\
## What `--json` prints

| command | keys |
|---|---|
| study | `study` (the id), `title`, `source`, `label`, `epsilon`, `reports_per_person`, \
`minimum_batch`, `purpose`, `focus`, `people`, `public_rows`, `effective_rows`, `weights`, \
`margins`, `dimension`, `features`, `columns`, `dropped` (name to reason), `notes`, `file` |
| plan | `study`, `people`, `epsilon`, `public_rows`, `effective_rows`, `target_se`, \
`coefficients` (each with `name`, `se`, `low`, `high`, `shares` of `privacy`, `people`, \
`public_rows`), `supposed`, `width`, `wide` (see [planning](planning.md#levels-too-rare)), `plot` |
| report | `study`, `reports`, `without_label`, `replaced` (feature to count), `file` |
| fit | `study`, `title`, `model`, `people`, `public_rows`, `effective_rows`, `epsilon`, `level`, \
`intervals`, `coefficients` (each with `name`, `coef`, `se`, `low`, `high`, `z`, `p`, `raw_se`; \
null where there is no end or no number), `notes`, `questions`, `duplicates`, `truncated_bytes`, \
`file`, `plots` |
| predict | `study`, `label`, `predicted`, and for classes `classes`, `probabilities` |
| audit | `study`, `passed`, `epsilon`, `epsilon_seen`, `draws`, `checks` (each with `name`, \
`seen`, `allowed`, `passed`) |
| device status | `ledger`, `lifetime`, `spent`, `left`, `debits` (each with `study`, `title`, \
`epsilon`, `state`, `report`, `collector`, `reason`) |

Of a label-private study `study` has `mechanism` in place of what is public, `plan` has for each \
coefficient `range` (10% to 90%) in place of shares, and `assumed`; `fit` has for each coefficient \
`name`, `coef`, `se`, `low`, `high`, `z`, `p`, null where there is no maximum or no end.

`replaced` and `without_label` follow from private rows: they are for whoever tries the study out
and must not be collected.
"""


def render() -> str:
    """The whole page."""
    group: Any = typer.main.get_command(app)
    parts = [_OPENING]
    parts += [_command(name, command) for name, command in flat(group)]
    return "\n".join([*parts, _CLOSING])


def flat(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its whole name, those of groups as `device status`."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from flat(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _command(name: str, command: Any) -> str:
    shown = [parameter for parameter in command.params if parameter.name != "help"]
    arguments = [p for p in shown if p.param_type_name == "argument"]
    options = [p for p in shown if p.param_type_name == "option"]
    usage = " ".join(["tacit", name, *map(_place, arguments), "[OPTIONS]"])
    lines = [f"## tacit {name}", "", f"    {usage}", "", *_prose(command.help), ""]
    lines += ["| argument or option | |", "|---|---|"]
    lines += [f"| `{_place(p)}` | {p.help} |" for p in arguments]
    lines += [f"| `{_spelling(p)}` | {p.help}{_aside(p)} |" for p in options]
    return "\n".join([*lines, ""])


def _prose(text: str) -> list[str]:
    """The help text; the block that click keeps verbatim becomes code."""
    prose, _, example = inspect.cleandoc(text).partition("\b\n")
    heading, *commands = example.splitlines()
    return [prose.strip(), "", heading, "", *(f"  {line}" for line in commands)]


def _place(argument: Any) -> str:
    return f"{argument.metavar}..." if argument.nargs == -1 else str(argument.metavar)


def _spelling(option: Any) -> str:
    names = ", ".join(sorted(option.opts, key=len))
    return names if option.is_flag else f"{names} {option.metavar}"


def _aside(option: Any) -> str:
    if option.required:
        return " Required."
    default = option.default
    if isinstance(default, bool) or not isinstance(default, int | float | str | Path):
        return ""
    return f" Default: {default}." if str(default) else ""


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else "docs/cli.md").write_text(render(), encoding="utf-8")
