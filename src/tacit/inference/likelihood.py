"""The known likelihood of a tally: b ~ Normal(G(w), V(w)), with G and V from public rows.

`b` is the mean of the unbiased reports, in units of corners. Every solution starts from here.
"""

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ReportError, TooFewReportsError
from tacit.inference.design import Design
from tacit.models import LabelModel
from tacit.study import Study, Tally


@dataclass(frozen=True)
class Observed:
    """A tally as data: mean of the unbiased reports, people behind it, noise variance of each."""

    mean: Floats
    people: float
    noise: float


@dataclass(frozen=True)
class Likelihood:
    """A study's tally with the public rows that explain it, and where iterations start."""

    study: Study
    design: Design
    observed: Observed
    start: Floats

    @classmethod
    def of(cls, study: Study, tally: Tally, design: Design) -> "Likelihood":
        """Of a tally with people in it."""
        people = tally.count / study.reports_per_person
        observed = Observed(tally.mean(study), people, noise_per_person(study))
        return cls(study, design, observed, start_weights(study, design.model))


def start_weights(study: Study, model: LabelModel) -> Floats:
    """Weights whose predictor is the model's origin (zero where there is no intercept)."""
    weights = np.zeros(study.dimension)
    if study.transform.intercept:
        weights[: model.width] = model.origin / study.transform.mixing[0, 0]
    return weights


def noise_per_person(study: Study) -> float:
    """Noise variance of a coordinate of one person's mean report.

    Several reports of a person share the record behind them: they average the noise, but do not
    make more people. (Where a label is drawn by a coin this overstates the variance a little.)
    """
    return study.mechanism.noise / study.reports_per_person


def check_tally(study: Study, tally: Tally) -> None:
    """Refuse a tally that is foreign, or below the study's minimum batch."""
    if tally.study_id != study.id:
        raise ReportError(
            f"the tally belongs to study {tally.study_id[:12]}…, not to {study.id[:12]}…; "
            "fit it with the study file its reports were made with"
        )
    if tally.count < max(1, study.minimum_batch):
        raise TooFewReportsError(
            f"the tally holds {tally.count} reports, the study's minimum batch is "
            f"{study.minimum_batch}; collect at least {study.minimum_batch - tally.count} more"
        )
