"""The known likelihood of a tally: b ~ Normal(G(w), V(w)), with G and V from public rows.

`b` is the mean of the unbiased reports, in units of corners. Every solution starts from here.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ReportError, TooFewReportsError
from tacit.inference.coefficients import coefficient_scales, to_coefficients
from tacit.inference.design import Design, VarianceParts
from tacit.inference.terms import Terms
from tacit.models import LabelModel
from tacit.study import Study, Tally

FAR = 25.0  # units of the model, per public standard deviation


@dataclass(frozen=True)
class Observed:
    """A tally as data: mean of the unbiased reports, people behind it, noise variance of each."""

    mean: Floats
    people: float
    noise: float


@dataclass(frozen=True)
class Likelihood:
    """A study's tally with the public rows that explain it, and where iterations start.

    In a submodel the weights of the study are `basis` times fewer weights; `start` has these.
    """

    study: Study
    design: Design
    observed: Observed
    start: Floats
    terms: Terms
    basis: Floats | None = None

    @classmethod
    def of(cls, study: Study, tally: Tally, design: Design) -> "Likelihood":
        """Of a tally with people in it."""
        people = tally.count / study.reports_per_person
        observed = Observed(tally.mean(study), people, noise_per_person(study))
        return cls(study, design, observed, start_weights(study, design.model), Terms.of(study))

    def of_terms(self, terms: Terms) -> "Likelihood":
        """The same tally, read by a model with these terms instead of all coefficients."""
        to_coef = to_coefficients(self.study, self.design.model)
        basis: Floats = np.asarray(np.linalg.solve(to_coef, terms.matrix(len(to_coef))), np.float64)
        basis = basis / np.asarray(np.linalg.norm(basis, axis=0), np.float64)
        made = replace(self, terms=terms, basis=basis)
        return replace(made, start=made.reduced(self.full(self.start)))

    def reduced(self, weights: Floats) -> Floats:
        """The weights of the submodel, of the study's."""
        if self.basis is None:
            return weights
        return np.asarray(np.linalg.lstsq(self.basis, weights, rcond=None)[0])

    def full(self, weights: Floats) -> Floats:
        """The study's weights, of those of a submodel."""
        return weights if self.basis is None else self.basis @ weights

    @cached_property
    def rows(self) -> Floats:
        """The matrix from weights to the study's coefficients."""
        to_coef = to_coefficients(self.study, self.design.model)
        return to_coef if self.basis is None else to_coef @ self.basis

    @cached_property
    def term_rows(self) -> Floats:
        """The matrix from weights to the coefficients of the terms."""
        return np.asarray(self.rows[self.terms.firsts])

    def coefficients(self, weights: Floats) -> Floats:
        """The coefficients of the terms."""
        return self.term_rows @ weights

    def limit(self, contrast: Floats) -> float:
        """Beyond it a sum of the study's coefficients, times these, is as good as endless."""
        scales = coefficient_scales(self.study)
        return FAR * self.design.model.unit * float((np.abs(contrast) / scales).sum())

    def variance(self, weights: Floats) -> VarianceParts:
        """V by cause at these weights."""
        observed = self.observed
        return self.design.variance(self.full(weights), observed.people, observed.noise)


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
