"""What the estimators share: rows in, a simulated study, a fit, coefficients out."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import Floats
from tacit.errors import ConfigurationError, UnlikeRowsWarning
from tacit.estimators.likeness import gross_differences, told
from tacit.estimators.rows import read_rows
from tacit.inference import Fit, Summary, fit
from tacit.labels import Label
from tacit.privacy.guarantee import Guarantee
from tacit.simulation import simulate_rows
from tacit.study import Study
from tacit.study.rows import Columns
from tacit.study.transform import INTERCEPT

_NEEDS_PUBLIC = (
    "public=None: a locally private fit needs public rows. Pass rows with the same columns as X, "
    "without labels, from a source that really is public and stands for the same people: "
    ".fit(X, y, public=X_public). Rows set aside from private data are not public"
)
_SOURCE = "rows passed as public="
_COMPARED = (
    "a warning was given that X and public differ grossly. It compared X with the public rows in "
    "the clear, as no real study can"
)


class PrivateEstimator(BaseEstimator):
    """Plays the protocol on X and y, and keeps what a real study would know."""

    epsilon: float
    fit_intercept: bool
    purpose: str
    focus: str | Sequence[str]
    random_state: Any

    def summary(self, level: float = 0.95) -> Summary:
        """Coefficients in the units of X with standard errors and intervals."""
        check_is_fitted(self)
        return self.fit_.summary(level)

    def conf_int(self, level: float = 0.95) -> Floats:
        """Intervals of the coefficients, one row each, intercept first."""
        check_is_fitted(self)
        return self.fit_.conf_int(level)

    def _run(
        self,
        people: Columns,
        label: Label,
        weights: Floats,
        public: Any,
        notes: tuple[str, ...],
    ) -> Fit:
        """Plan the study around the public rows, send every row through a device, fit."""
        if public is None:
            raise ConfigurationError(_NEEDS_PUBLIC)
        self._names = tuple(people)
        rows = read_rows(self, public, self._names, least=2)
        study = Study.from_public(
            rows,
            label=label,
            epsilon=self.epsilon,
            source=_SOURCE,
            title=type(self).__name__,
            intercept=self.fit_intercept,
            purpose=self.purpose,
            focus=self.focus,
            people=len(weights),
            minimum_batch=1,
            simulation=True,
        )
        tally = simulate_rows(study, people, weights, _generator(self.random_state))
        differences = gross_differences(study, people, rows)
        if differences:
            warnings.warn(told(differences), UnlikeRowsWarning, stacklevel=3)
            notes = (*notes, _COMPARED)
        self.study_, self.tally_ = study, tally
        self.fit_ = fit(study, tally, public=rows)
        self.guarantee_ = Guarantee(study.epsilon, simulated=True, notes=notes)
        return self.fit_

    def _coefficients(self) -> tuple[Floats, Floats]:
        """Predictive coefficients (k, columns) and intercepts (k,).

        Columns are those of the features in the order of X; what the study dropped has 0.
        """
        found = dict(zip(self.fit_.study.transform.names, self.fit_.predictive_coef, strict=True))
        nothing = np.zeros(self.fit_.predictive_coef.shape[1])
        design = {feature.name: feature.columns for feature in self.fit_.study.features}
        columns = [column for name in self._names for column in design.get(name, (name,))]
        self.feature_names_out_ = np.array(columns, dtype=object)
        coef = [found.get(column, nothing) for column in columns]
        intercept = found[INTERCEPT] if self.fit_.study.transform.intercept else nothing
        return np.array(coef).T, intercept

    def _rows(self, X: Any) -> Columns:
        check_is_fitted(self)
        return read_rows(self, X, self._names)


def label_column(people: Columns) -> str:
    """A name for the label that no feature has."""
    name = "label"
    while name in people:
        name += "_"
    return name


def _generator(random_state: Any) -> np.random.Generator:
    seed = check_random_state(random_state).randint(0, 2**31, size=4)
    return np.random.default_rng(seed)
