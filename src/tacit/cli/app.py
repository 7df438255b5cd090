"""The program itself: the list of commands, and what an error looks like."""

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

import tacit
from tacit.cli import console
from tacit.cli.collect import audit, report
from tacit.cli.demo import demo
from tacit.cli.device import app as device
from tacit.cli.export import export
from tacit.cli.learn import fit, predict
from tacit.cli.page import page
from tacit.cli.prepare import plan, study
from tacit.cli.serve import serve
from tacit.errors import TacitError, TacitWarning

BAD_INPUT = 2
INTERRUPTED = 130
READER_LEFT = 141

# The base of every usage error; typer's newer versions carry their own copy of click.
_UsageError: type[Exception] = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="tacit",
    help="""Regression on data that nobody discloses.

    Each person's device randomizes one record and sends 16 bytes; an untrusted server fits a
    model from them and from public, unlabelled rows. The order of a study: study, plan, serve
    (or report, to try it out without devices), fit, predict. Start with `tacit demo`.
    """,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command in (study, plan, report, serve, page, export, fit, predict, audit, demo):
    app.command()(command)
app.add_typer(device)


def _version(asked: bool) -> None:
    if asked:
        console.out(f"tacit {tacit.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version.")
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1 refuted, 2 bad input, 130 interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    with warnings.catch_warnings():
        warnings.simplefilter("always", TacitWarning)
        warnings.showwarning = _show_warning
        try:
            return _run(given)
        except TacitError as error:
            console.error(str(error))
        except BrokenPipeError:
            _give_up_stdout()
            return READER_LEFT
        except OSError as error:
            console.error(_what_the_system_said(error))
        except KeyboardInterrupt:
            console.error("interrupted; nothing was left half-written")
            return INTERRUPTED
        return BAD_INPUT


def _run(arguments: list[str]) -> int:
    """As click's own main, but errors come out as exceptions and Ctrl-C as itself."""
    command = typer.main.get_command(app)
    try:
        with command.make_context("tacit", arguments) as context:
            command.invoke(context)
        sys.stdout.flush()
    except typer.Exit as leaving:
        return leaving.exit_code
    except _UsageError as wrong:
        console.error(_usage(wrong))
        return BAD_INPUT
    return 0


def _usage(wrong: Any) -> str:
    context = getattr(wrong, "ctx", None)
    path = context.command_path if context is not None else "tacit"
    return f"{wrong.format_message().rstrip('.')}; see `{path} --help`"


def _what_the_system_said(error: OSError) -> str:
    reason = (error.strerror or str(error)).lower()
    return f"{reason}: {error.filename}" if error.filename else reason


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    console.warning(str(message))


def _give_up_stdout() -> None:
    """Whoever read our output has left; Python must not complain about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
