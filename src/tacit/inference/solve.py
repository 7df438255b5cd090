"""From a tally and public rows to a `Fit`."""

import warnings
from typing import Any

from tacit.errors import PublicRowsWarning
from tacit.inference.design import Design
from tacit.inference.likelihood import Likelihood, check_tally
from tacit.inference.result import Fit
from tacit.models import Family
from tacit.study import Study, Tally
from tacit.study.public import worth


def fit(study: Study, tally: Tally, *, public: Any, family: str | Family | None = None) -> Fit:
    """Coefficients with intervals (profile likelihood) and predictions (empirical Bayes).

    Both are computed when they are first asked for: a table of many coefficients takes a while.
    `public` are rows of the study's features, without labels, that stand for the people.
    `family` replaces the label's own model: a known one by name, or a `Family` of your own.
    """
    likelihood, notes = _likelihood(study, tally, public, family)
    return Fit(
        study=study,
        model=likelihood.design.model,
        terms=likelihood.terms,
        reports=tally.count,
        public_rows=len(likelihood.design.z),
        effective_rows=worth(likelihood.design.share),
        notes=notes,
        likelihood=likelihood,
    )


def _likelihood(
    study: Study, tally: Tally, public: Any, family: str | Family | None
) -> tuple[Likelihood, tuple[str, ...]]:
    """The likelihood, and what must be noted of the public rows, which are encoded once."""
    check_tally(study, tally)
    model = study.label.model(family)
    design, fingerprint = Design.of_public(study, public, model)
    notes = () if fingerprint == study.fingerprint else (_note_other_rows(study),)
    return Likelihood.of(study, tally, design), notes


def _note_other_rows(study: Study) -> str:
    note = f"the public rows given are not the {study.public_rows:,} the study was made from"
    warnings.warn(
        f"{note}; that is allowed, but both must stand for the people who report",
        PublicRowsWarning,
        stacklevel=4,
    )
    return f"{note}."
