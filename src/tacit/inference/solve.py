"""From a tally and public rows to a `Fit`."""

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import NoFiniteMaximumError, PublicRowsWarning, ReportError, TooFewReportsError
from tacit.families import Family
from tacit.inference.bayes import Spectrum, posterior
from tacit.inference.likelihood import Design, Observed
from tacit.inference.model import LabelModel, model_for
from tacit.inference.result import Fit
from tacit.inference.table import make_table
from tacit.study import Study, Tally
from tacit.study.transform import INTERCEPT_SHARE

Floats = NDArray[np.float64]


def fit(study: Study, tally: Tally, *, public: Any, family: Family | None = None) -> Fit:
    """Coefficients with intervals (maximum likelihood) and predictions (empirical Bayes).

    `public` are rows of the study's features, without labels, that stand for the people.
    `family` replaces the label's own model by another mean and slope of the same label type.
    """
    _check_tally(study, tally)
    design = Design.of(study.encode_public(public), model_for(study.label, family))
    notes = _compare_public(study, public)
    people = tally.count / study.reports_per_person
    observed = Observed(tally.mean(study), people, noise_per_person(study))
    start = start_weights(study, design.model)
    table, failure = None, ""
    try:
        table = make_table(study, design, observed, start)
    except NoFiniteMaximumError as error:
        failure = str(error)
    predictive = posterior(design, observed, spectrum_of(study), start)
    return Fit(
        study=study,
        model=design.model,
        reports=tally.count,
        public_rows=len(design.z),
        table=table,
        failure=failure,
        weights=predictive.weights,
        prior=(predictive.signal, predictive.power),
        notes=notes,
    )


def start_weights(study: Study, model: LabelModel) -> Floats:
    """Weights whose predictor is the model's origin (zero where there is no intercept)."""
    weights = np.zeros(study.dimension)
    if study.transform.intercept:
        weights[: model.width] = model.origin / math.sqrt(INTERCEPT_SHARE)
    return weights


def noise_per_person(study: Study) -> float:
    """Noise variance of a coordinate of one person's mean report.

    Several reports of a person share the record behind them: they average the noise, but do not
    make more people. (Where a label is drawn by a coin this overstates the variance a little.)
    """
    return study.mechanism.noise / study.reports_per_person


def spectrum_of(study: Study) -> Spectrum:
    """What the prior needs of the study's transform."""
    transform = study.transform
    share = INTERCEPT_SHARE if transform.intercept else 0.0
    return Spectrum(np.asarray(transform.spectrum), np.asarray(transform.shares), share)


def _check_tally(study: Study, tally: Tally) -> None:
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


def _compare_public(study: Study, public: Any) -> tuple[str, ...]:
    if study.fingerprint_of(public) == study.fingerprint:
        return ()
    note = f"the public rows given are not the {study.public_rows:,} the study was made from"
    warnings.warn(
        f"{note}; that is allowed, but both must stand for the people who report",
        PublicRowsWarning,
        stacklevel=3,
    )
    return (f"{note}.",)
