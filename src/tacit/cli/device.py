"""The owner's view of a device: `tacit device status`, `send` and `budget`."""

import textwrap
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli import console
from tacit.cli import options as ask
from tacit.device.book import Book, Debit, State, exact, shown
from tacit.device.ledger import Ledger
from tacit.device.upload import send_waiting
from tacit.privacy import Guarantee
from tacit.privacy.words import number_up, percent_up

_BAR = 30
_WIDTH = 80

LedgerFile = Annotated[Path, ask.argument("LEDGER", "The ledger of the device.")]
Lifetime = Annotated[
    float,
    ask.option(
        "--lifetime", metavar="E", text="Sum of epsilons allowed in all; 0 allows no report."
    ),
]

app = typer.Typer(
    name="device",
    help="""What this device has spent, and what it still has to send.

    \b
    Example:
      tacit device status tacit.ledger
    """,
    rich_markup_mode=None,
)


@app.command()
def status(ledger: LedgerFile, *, as_json: ask.AsJson = False) -> None:
    """Show what was spent, what is left, and what became of every report.

    The ledger holds debits and reports. It holds no answers and no times.

    \b
    Example:
      tacit device status tacit.ledger
    """
    opened = Ledger(ledger)
    book = opened.read()
    if as_json:
        console.out_json(_document(opened.path, book))
    else:
        console.out("\n".join([f"ledger  {opened.path}", *_budget(book), *_entries(book)]))


@app.command()
def send(ledger: LedgerFile) -> None:
    """Send the reports that wait, of every study; what cannot be sent now goes on waiting.

    A report is sent as it was made. Sending it again costs nothing.

    \b
    Example:
      tacit device send tacit.ledger
    """
    opened = Ledger(ledger)
    done = send_waiting(opened)
    console.out(f"sent {done.sent}, waiting {done.waiting}, refused {done.refused}")
    for debit in opened.debits:
        if debit.state is State.READY or (debit.state is State.REFUSED and done.refused):
            console.say(f"{_name(debit)}: {_fate(debit)}")


@app.command()
def budget(ledger: LedgerFile, *, lifetime: Lifetime) -> None:
    """Change what the owner of the device allows in all studies together.

    What was spent stays spent. Below that sum no further report is made.

    \b
    Example:
      tacit device budget tacit.ledger --lifetime 4
    """
    opened = Ledger(ledger)
    opened.lifetime = lifetime
    console.out("\n".join(_budget(opened.read())))


def _budget(book: Book) -> list[str]:
    allowed = exact(book.lifetime)
    share = min(book.spent / allowed, Fraction(1)) if allowed else Fraction(1)
    filled = min(round(share * _BAR) or bool(book.spent), _BAR)
    bar = "#" * filled + "." * (_BAR - filled)
    left = max(book.left, Fraction(0))
    return [
        f"budget  [{bar}] {float(share):.0%}",
        f"        epsilon {shown(book.spent)} spent, {shown(left)} left of {book.lifetime:g}",
        *(_meaning(book.spent) if book.spent else []),
    ]


def _meaning(spent: Fraction) -> list[str]:
    guess = percent_up(Guarantee(float(spent)).best_guess)
    text = (
        f"Whoever sees every report, and would guess between two versions of your answers right "
        f"with 50%, guesses right with at most {guess}."
    )
    return textwrap.wrap(text, _WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)


def _entries(book: Book) -> list[str]:
    if not book.debits:
        return ["", "No report has been made."]
    names = [_name(debit) for debit in book.debits]
    width = max(map(len, ["study", *names]))
    lines = ["", f"{'study':<{width}}  {'epsilon':>7}  report"]
    lines += [
        f"{name:<{width}}  {number_up(debit.epsilon):>7}  {_fate(debit)}"
        for name, debit in zip(names, book.debits, strict=True)
    ]
    if any(debit.state is State.LOST for debit in book.debits):
        lines += ["", *textwrap.wrap(_LOST, _WIDTH)]
    return lines


_LOST = (
    "Lost: this ledger was restored from an older copy, or deleted. Its witness remembers these "
    "reports, so they count; their bytes are gone."
)


def _name(debit: Debit) -> str:
    title = textwrap.shorten(debit.title, 32, placeholder="…")
    return f"{title} ({debit.study_id[:8]})" if title else debit.study_id[:8]


def _fate(debit: Debit) -> str:
    """What became of a debit, in words."""
    why = f" ({debit.reason})" if debit.reason else ""
    return {
        State.DEBITED: "begun; the study's next report uses this debit",
        State.READY: f"waiting for {debit.collector}{why}"
        if debit.collector
        else "waiting; the app has named no collector yet",
        State.SENT: f"sent to {debit.collector}",
        State.REFUSED: f"refused by {debit.collector}{why}",
        State.LOST: "lost, counted",
    }[debit.state]


def _document(path: Path, book: Book) -> dict[str, Any]:
    return {
        "ledger": str(path),
        "lifetime": book.lifetime,
        "spent": float(book.spent),
        "left": float(max(book.left, Fraction(0))),
        "debits": [
            {
                "study": debit.study_id,
                "title": debit.title,
                "epsilon": debit.epsilon,
                "state": str(debit.state),
                "report": debit.seed.hex() or None,
                "collector": debit.collector or None,
                "reason": debit.reason or None,
            }
            for debit in book.debits
        ],
    }
