"""What a ledger and its witness say, as values, and how they may change. No file is touched here.

Sums are exact. An epsilon counts as the decimal number that the study file states, so ten reports
of 0.1 are 1 and fit into a budget of 1; nothing beyond the budget does.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

import msgspec

from tacit.errors import BudgetError, ConfigurationError
from tacit.privacy.words import number_up
from tacit.study import Study

_LONGEST_TEXT = 200


class State(StrEnum):
    """What became of a debit."""

    DEBITED = "debited"  # no bytes yet: the study's next report uses this debit
    READY = "ready"
    SENT = "sent"
    REFUSED = "refused"
    LOST = "lost"  # known from the witness only: a report may have left the device


_UNSENT = frozenset({State.READY, State.REFUSED})


@dataclass(frozen=True)
class Debit:
    """One debit and its report. It holds no answer and no time."""

    number: int
    study_id: str
    title: str
    epsilon: float
    state: State = State.DEBITED
    seed: bytes = b""
    collector: str = ""
    code: str = field(default="", repr=False)
    reason: str = ""


class StudyCost(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one study has cost: `count` reports of `epsilon` each."""

    title: str
    epsilon: float
    count: int


class Witness(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The facts that an older copy of the ledger would lack."""

    lifetime: float
    generation: int
    costs: dict[str, StudyCost]


@dataclass(frozen=True)
class Book:
    """The whole ledger at one moment; `generation` counts its changes."""

    lifetime: float
    generation: int = 0
    debits: tuple[Debit, ...] = ()

    @property
    def spent(self) -> Fraction:
        """The sum of every debit, whatever became of it."""
        return sum((exact(debit.epsilon) for debit in self.debits), Fraction(0))

    @property
    def left(self) -> Fraction:
        """What further reports may cost; negative once the owner allows less than was spent."""
        return exact(self.lifetime) - self.spent

    def of(self, study_id: str) -> tuple[Debit, ...]:
        """The debits of one study."""
        return tuple(debit for debit in self.debits if debit.study_id == study_id)

    def debited(self, study: Study) -> "Book":
        """With a debit without bytes for one more report of the study; one it has is used again."""
        own = self.of(study.id)
        begun = any(debit.state is State.DEBITED for debit in own)
        if not begun and len(own) >= study.reports_per_person:
            raise BudgetError(_all_made(study))
        if self.left < (0 if begun else exact(study.epsilon)):
            raise BudgetError(self._too_much(study))
        if begun:
            return self
        debit = Debit(len(self.debits) + 1, study.id, printable(study.title), study.epsilon)
        return replace(self, debits=(*self.debits, debit))

    def filled(self, number: int, seed: bytes, collector: str, code: str) -> "Book":
        """With the bytes of a debit, unless it has some already: the first ones stand."""
        made = {"state": State.READY, "seed": seed, "collector": collector, "code": code}
        return self._with(number, {State.DEBITED}, **made)

    def settled(self, number: int, state: State, reason: str = "") -> "Book":
        """With what a collector answered; a report once sent stays sent, and needs no code."""
        if state is State.SENT:
            return self._with(number, _UNSENT, state=state, reason="", code="")
        return self._with(number, {State.READY}, state=state, reason=printable(reason))

    def addressed(self, study_id: str, collector: str, code: str) -> "Book":
        """With another collector or code for a study's reports, which then wait to be sent again.

        A code serves one report: the first that has none, or whose code was refused.
        """
        book = self
        for debit in book.of(study_id):
            if collector not in ("", debit.collector):
                book = book._waiting_again(debit.number, collector=collector)
        unsent = [debit for debit in book.of(study_id) if debit.state in _UNSENT]
        in_need = [debit for debit in unsent if not debit.code or debit.state is State.REFUSED]
        if in_need and code not in ("", *(debit.code for debit in unsent)):
            book = book._waiting_again(in_need[0].number, code=code)
        return book

    def joined(self, witness: Witness | None) -> "Book":
        """With everything that the witness knows better, where this is an older copy.

        Whatever is missing counts as spent. So does a debit without bytes: a report may have been
        made from it since. The lower of two budgets holds.
        """
        if witness is None:
            return self
        missing = [
            (study_id, cost)
            for study_id, cost in witness.costs.items()
            for _ in range(cost.count - len(self.of(study_id)))
        ]
        if self.generation >= witness.generation and not missing:
            return self
        kept = (
            replace(debit, state=State.LOST) if debit.state is State.DEBITED else debit
            for debit in self.debits
        )
        lost = (
            Debit(number, study_id, cost.title, cost.epsilon, State.LOST)
            for number, (study_id, cost) in enumerate(missing, len(self.debits) + 1)
        )
        generation = max(self.generation, witness.generation)
        return Book(min(self.lifetime, witness.lifetime), generation, (*kept, *lost))

    def witness(self) -> Witness:
        """What a witness of this book remembers."""
        costs: dict[str, StudyCost] = {}
        for debit in self.debits:
            count = len(self.of(debit.study_id))
            costs[debit.study_id] = StudyCost(debit.title, debit.epsilon, count)
        return Witness(self.lifetime, self.generation, costs)

    def _waiting_again(self, number: int, **fields: str) -> "Book":
        return self._with(number, _UNSENT, state=State.READY, reason="", **fields)

    def _with(self, number: int, states: Collection[State], **fields: Any) -> "Book":
        """With fields of one debit changed, if it is in one of these states."""
        changed = (
            replace(debit, **fields) if debit.number == number and debit.state in states else debit
            for debit in self.debits
        )
        return replace(self, debits=tuple(changed))

    def _too_much(self, study: Study) -> str:
        left = max(self.left, Fraction(0))
        return (
            f"a report of {named(study)} costs epsilon {number_up(study.epsilon)}, but "
            f"{shown(left)} is left of this device's lifetime budget {self.lifetime:g} "
            f"({shown(self.spent)} spent). No report was made. Only the owner can raise the "
            f"budget: `tacit device budget LEDGER --lifetime E`"
        )


def exact(epsilon: float) -> Fraction:
    """The number that the shortest decimal notation of a float states."""
    return Fraction(repr(float(epsilon)))


def shown(amount: Fraction) -> str:
    """An amount for people."""
    return f"{float(amount):.12g}"


def printable(text: str) -> str:
    """One short line: titles and reasons come from others and end up on a terminal."""
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(line.split())[:_LONGEST_TEXT]


def named(study: Study) -> str:
    """A study for a message."""
    return f"study {printable(study.title)!r}" if study.title else f"study {study.id[:12]}…"


def checked_lifetime(lifetime: Any) -> float:
    """What an owner may allow."""
    try:
        number = math.nan if isinstance(lifetime, bool | str) else float(lifetime)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0.0 <= number < math.inf:
        raise ConfigurationError(
            f"lifetime must be a finite number from 0, the sum of epsilons that the owner of the "
            f"device allows in all, got lifetime={lifetime!r}"
        )
    return number


def _all_made(study: Study) -> str:
    reports = "1 report" if study.reports_per_person == 1 else f"{study.reports_per_person} reports"
    return (
        f"{named(study)} takes {reports} of each person, and this device has made that many: "
        f"send() sends the same bytes again and costs nothing"
    )
