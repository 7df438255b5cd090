"""What the estimators share: rows in, a simulated study, a fit, coefficients out."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.errors import ConfigurationError
from tacit.inference import Fit, Summary, fit
from tacit.labels import Label
from tacit.privacy.guarantee import Guarantee
from tacit.simulation import simulate_tally
from tacit.study import Study

Floats = NDArray[np.float64]

_NEEDS_PUBLIC = (
    "public=None: a locally private fit needs public rows. Pass rows with the same columns as X, "
    "without labels, from a source that really is public and stands for the same people: "
    ".fit(X, y, public=X_public). Rows set aside from private data are not public"
)
_SOURCE = "rows passed as public="


class PrivateEstimator(BaseEstimator):
    """Plays the protocol on X and y, and keeps what a real study would know."""

    epsilon: float
    fit_intercept: bool
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
        X: Floats,
        label: Label,
        weights: Floats,
        public: ArrayLike | None,
        notes: tuple[str, ...],
    ) -> Fit:
        """Plan the study around the public rows, send every row through a device, fit."""
        names = _column_names(self, X.shape[1])
        rows = _as_rows(names, self._check_public(public))
        study = Study.from_public(
            rows,
            label=label,
            epsilon=self.epsilon,
            source=_SOURCE,
            title=type(self).__name__,
            intercept=self.fit_intercept,
            minimum_batch=1,
            simulation=True,
        )
        z = study.encode(_as_rows(names, X))
        tally = simulate_tally(study, z, weights, _generator(self.random_state))
        self.study_, self.tally_ = study, tally
        self.fit_ = fit(study, tally, public=rows)
        self.guarantee_ = Guarantee(study.epsilon, simulated=True, notes=notes)
        return self.fit_

    def _check_public(self, public: ArrayLike | None) -> Floats:
        if public is None:
            raise ConfigurationError(_NEEDS_PUBLIC)
        rows = validate_data(self, public, reset=False, dtype=np.float64, ensure_min_samples=2)
        return np.asarray(rows)

    def _coefficients(self) -> tuple[Floats, Floats]:
        """Predictive coefficients (k, p) and intercepts (k,); a dropped column has 0."""
        found = self.fit_.predictive_coef.T
        names = self.fit_.study.transform.names
        has_intercept = int(self.fit_.study.transform.intercept)
        columns = _column_names(self, self.n_features_in_)
        coef = np.zeros((len(found), self.n_features_in_))
        for place, name in enumerate(names[has_intercept:], start=has_intercept):
            coef[:, columns.index(name)] = found[:, place]
        intercept = found[:, 0] if has_intercept else np.zeros(len(found))
        return coef, intercept

    def _rows(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False, dtype=np.float64))


def _column_names(estimator: Any, count: int) -> list[str]:
    names = getattr(estimator, "feature_names_in_", None)
    return [str(n) for n in names] if names is not None else [f"x{j}" for j in range(count)]


def _as_rows(names: list[str], X: Floats) -> dict[str, Floats]:
    return {name: X[:, j] for j, name in enumerate(names)}


def label_column(estimator: Any) -> str:
    """A name for the label that no feature has."""
    name = "label"
    while name in _column_names(estimator, estimator.n_features_in_):
        name += "_"
    return name


def _generator(random_state: Any) -> np.random.Generator:
    seed = check_random_state(random_state).randint(0, 2**31, size=4)
    return np.random.default_rng(seed)
