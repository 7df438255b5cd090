"""A study as a protocol: one round for each report that it asks of a person."""

from dataclasses import dataclass, replace
from typing import Any

from tacit.arrays import Floats, Integers
from tacit.device.encode import coded_vectors
from tacit.inference import Fit, fit
from tacit.models import Family
from tacit.privacy.mechanism import StudyMechanism
from tacit.protocol.round import Records, Round
from tacit.study import Study, Tally
from tacit.study.labels import weights
from tacit.study.rows import as_column, columns


@dataclass(frozen=True, eq=False)
class StudyRound(Round):
    """The study file, published; `tally` holds the reports of the rounds before.

    Everyone answers every round: the guarantee of `study` counts all of them. `public` rows and
    `family` are the server's, for the fit.
    """

    study: Study
    public: Any
    family: str | Family | None = None
    tally: Tally | None = None

    summed = True
    draws = 1

    @property
    def mechanism(self) -> StudyMechanism:
        """As the study file states it."""
        return self.study.mechanism

    def encode(self, records: Records, luck: Floats) -> Floats:
        """z (x) g: the features' direction times a corner that the label draws."""
        *features, labels = records
        z = self.study.encode(dict(zip(self.study.feature_names, features, strict=True)))
        return coded_vectors(self.study, z, weights(self.study.label, labels), luck[:, 0])

    def after(self, answers: Integers, people: int) -> "StudyRound | Fit":
        """Ask again until everyone has sent as many reports as the study says; then fit."""
        tally = (self.tally or Tally.of(self.study)) + Tally.from_sums(self.study, people, answers)
        if tally.count < self.study.reports_per_person * people:
            return replace(self, tally=tally)
        return fit(self.study, tally, public=self.public, family=self.family)


def records_of(study: Study, rows: Any, labels: Any) -> Records:
    """Rows of any usual shape as the records of the protocol."""
    table = columns(rows)
    return (*(table[name] for name in study.feature_names), as_column(labels))
