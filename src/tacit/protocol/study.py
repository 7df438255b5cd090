"""A study as a protocol of one round: read, draw a corner, and fit what comes back."""

from dataclasses import dataclass
from typing import Any

from tacit.answers import column
from tacit.arrays import Floats, Integers
from tacit.device.randomize import corner_vectors
from tacit.errors import ConfigurationError
from tacit.inference import Fit, fit
from tacit.models import Family
from tacit.privacy.mechanism import StudyMechanism
from tacit.protocol.round import Records, Round
from tacit.study import Study, Tally
from tacit.study.transform import encode


@dataclass(frozen=True, eq=False)
class StudyRound(Round):
    """The study file, published. `public` rows and `family` are the server's, for the fit.

    Records are a column for each feature, and the labels.
    """

    study: Study
    public: Any = None
    family: str | Family | None = None

    summed = True
    draws = 1

    @property
    def mechanism(self) -> StudyMechanism:
        """As the study file states it."""
        return self.study.mechanism

    @property
    def reports(self) -> int:
        """As many as the study asks for; its guarantee counts them all."""
        return self.study.reports_per_person

    def encode(self, records: Records, luck: Floats) -> Floats:
        """z (x) g: the features' direction times a corner that the label draws."""
        *features, labels = records
        table = dict(zip(self.study.feature_names, map(column, features), strict=True))
        z = encode(self.study, table, len(labels))
        return corner_vectors(self.study, z, self.study.label.weights(column(labels)), luck[:, 0])

    def after(self, reported: Integers, people: int) -> Fit:
        """The fit of the tally."""
        tally = Tally.from_sums(self.study, people * self.reports, reported)
        return fit(self.study, tally, public=self.public, family=self.family)


def records_of(study: Study, rows: Any, labels: Any) -> Records:
    """Rows of any usual shape, and their labels, as the records of the protocol."""
    (table, count), known = study.read(rows), column(labels)
    if count != len(known):
        raise ConfigurationError(
            f"every row needs one label, got {count} rows and {len(known)} labels"
        )
    return (*(table[name] for name in study.feature_names), known)
