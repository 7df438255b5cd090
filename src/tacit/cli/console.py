"""How the commands speak: results on stdout, everything else on stderr, one line per problem."""

import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacit.errors import ConfigurationError

Advance = Callable[[int], None]


def out(text: str) -> None:
    """A result, on stdout; letters that the terminal cannot show become question marks."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def out_json(document: Any) -> None:
    """The one document of `--json`; what is infinite or undefined is null."""
    out(json.dumps(_finite(document), indent=2, allow_nan=False))


def say(text: str) -> None:
    """Something a person may want to know, on stderr."""
    sys.stderr.write(f"{text}\n")


def warning(text: str) -> None:
    """Something a person has to know."""
    say(f"warning: {one_line(text)}")


def error(text: str) -> None:
    """Why the command stopped."""
    say(f"error: {one_line(text)}")


def on_terminal() -> bool:
    """Whether somebody watches stderr."""
    return sys.stderr.isatty()


def one_line(text: str) -> str:
    """Without line breaks."""
    return " ".join(text.split())


@contextmanager
def progress(task: str, total: int | None = None) -> Iterator[Advance]:
    """A bar on stderr while the body runs, on a terminal only; without `total` it just moves."""
    if not on_terminal():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=Console(stderr=True, force_terminal=True), transient=True
    ) as bars:
        bar = bars.add_task(task, total=total)
        yield lambda done: bars.advance(bar, done)


def check_outputs(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Refuse, before any work, an output that cannot be written or that is an input."""
    for path in outputs:
        if path.exists() and not path.is_file():  # replacing /dev/null would be worse than useless
            kind = "a directory" if path.is_dir() else "no regular file"
            raise ConfigurationError(f"cannot write {path}: it is {kind}")
        if not path.parent.is_dir():
            raise ConfigurationError(f"cannot write {path}: there is no directory {path.parent}")
        if not os.access(path.parent, os.W_OK):
            raise ConfigurationError(f"cannot write {path}: {path.parent} is write-protected")
        if path.resolve() in {given.resolve() for given in inputs}:
            raise ConfigurationError(f"cannot write {path}: it is also read; choose another name")
    if len({path.resolve() for path in outputs}) < len(outputs):
        raise ConfigurationError(f"two outputs have one name: {', '.join(map(str, outputs))}")


def wrote(*paths: Path) -> None:
    """Say what was written."""
    say(f"wrote {', '.join(map(str, paths))}")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
