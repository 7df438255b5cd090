"""What a study promises to the people in it, as a value and in plain words."""

import math
from dataclasses import dataclass

from tacit.privacy.words import number_up, percent_up, times_up

NOT_PROTECTED = (
    "Taking part is visible, and so are address and time to whoever runs the network.",
    "Reports add up: every further report of the same person, in this study or another, "
    "adds its epsilon. Another browser or a cleared ledger is another report.",
    "Conclusions about groups can concern people who never took part.",
    "The public rows are not protected: the study file publishes their means, loadings and "
    "categories. A label range or category list chosen by looking at private records leaks them.",
    "A page or app that does not run the published code can send raw answers.",
    "Consent, minors and lawful basis are outside this guarantee.",
)
ASSUMED = (
    "The device runs the published code, the operating system's random numbers are "
    "unpredictable, and ChaCha20 is a pseudorandom function."
)
_OVERFLOW = 709.0  # e^709 is about the largest float


@dataclass(frozen=True)
class Guarantee:
    """Differential privacy of one report; neighbours differ in all that it `protects`.

    Local and pure unless said otherwise: `delta` is the probability of events beyond the factor,
    `against` says from whom, `of` what is one of several that could have been sent.
    """

    epsilon: float
    reports_per_person: int = 1
    simulated: bool = False
    notes: tuple[str, ...] = ()
    delta: float = 0.0
    protects: str = "the whole record, features and label, of every person"
    against: str = "everyone but the person's own device, the collector included"
    of: str = "record"
    not_protected: tuple[str, ...] = NOT_PROTECTED

    @property
    def total_delta(self) -> float:
        """The delta of every report the study asks for, added up."""
        return self.delta * self.reports_per_person

    @property
    def total_epsilon(self) -> float:
        """What one person spends when they send every report the study asks for."""
        return self.epsilon * self.reports_per_person

    @property
    def factor(self) -> float:
        """e^eps: how much likelier one answer can make a report than any other answer."""
        return math.exp(self.total_epsilon) if self.total_epsilon < _OVERFLOW else math.inf

    @property
    def best_guess(self) -> float:
        """The chance of guessing right between two records, for whoever had 50% before."""
        beyond = self.total_delta * math.exp(-self.total_epsilon)
        return min(1.0, (1.0 + beyond) / (1.0 + math.exp(-self.total_epsilon)))

    def statement(self) -> str:
        """The guarantee in plain words: what, from whom, how much, what else to know."""
        lines = [
            *(f"{head}: {line}" for head, line in self.promise()),
            *(f"Not protected: {line}" for line in self.not_protected),
            f"Assumed: {ASSUMED}",
            *(f"Note: {line}" for line in self.all_notes()),
        ]
        return "\n".join(lines)

    def promise(self) -> tuple[tuple[str, str], ...]:
        """What is protected, from whom and how much, each sentence under its head."""
        return (
            ("What is protected", f"{self.protects}."),
            ("From whom", f"{self.against}."),
            ("How much", self._how_much()),
        )

    def __str__(self) -> str:
        return self.statement()

    def _how_much(self) -> str:
        """Bounds, so that every number is rounded up."""
        epsilon, delta = number_up(self.total_epsilon), number_up(self.total_delta)
        reports = "one report"
        if self.reports_per_person > 1:
            reports = f"{self.reports_per_person} reports of {number_up(self.epsilon)} each"
        beside = f", delta = {delta}" if self.delta else ""
        but = f", but for events of probability {delta}" if self.delta else ""
        return (
            f"epsilon = {epsilon}{beside} ({reports}). Whatever is sent is "
            f"at most {times_up(self.total_epsilon)} times likelier under one {self.of} than under "
            f"any other{but}: "
            f"whoever would guess right with 50% now guesses right with at most "
            f"{percent_up(self.best_guess)}."
        )

    def all_notes(self) -> tuple[str, ...]:
        """What the makers of the study, or of the simulation, add."""
        if not self.simulated:
            return self.notes
        return (
            "this was a simulation. One process saw every row; the guarantee describes what the "
            "same study would give if each row stayed on a device of its own.",
            *self.notes,
        )
