"""What a study has learned, as a value: coefficients, intervals, predictions, a file."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.inference import file
from tacit.inference.coefficients import coefficient_names
from tacit.inference.solution import Failure, Solution, asked
from tacit.inference.summary import Summary
from tacit.models import Family, LabelModel
from tacit.privacy.guarantee import Guarantee
from tacit.study import Study
from tacit.study.files import write_atomically

ASSUMPTION = (
    "Assumed, and nothing collected can check it: the public rows stand for the people who "
    "reported, and the mean model is right. Public rows that differ shift the coefficients."
)


@dataclass(frozen=True)
class Fit:
    """Solutions by name: the table is the "maximum", predictions use the "posterior".

    Where the table does not exist (`failure` says why) asking for it raises; predictions work.
    """

    study: Study
    model: LabelModel
    reports: int
    public_rows: int
    effective_rows: int
    solutions: Mapping[str, Solution | Failure]
    notes: tuple[str, ...] = ()

    def solution(self, name: str) -> Solution:
        """What was found by one way of solving; raises where that found nothing."""
        if name not in self.solutions:
            raise ConfigurationError(
                f"there is no solution {name!r}; this fit has {', '.join(self.solutions)}"
            )
        return asked(self.solutions[name])

    @property
    def failure(self) -> Failure | None:
        """Why there is no table of coefficients, if there is none."""
        table = self.solutions["maximum"]
        return table if isinstance(table, Failure) else None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coefficients, intercept first."""
        return coefficient_names(self.study)

    @property
    def coef(self) -> Floats:
        """Maximum-likelihood coefficients in the units of the features, in the order of `names`."""
        return self.solution("maximum").coef

    @property
    def standard_errors(self) -> Floats:
        """Standard errors of `coef`: privacy noise, sampled people and sampled public rows."""
        return self.solution("maximum").standard_errors

    @property
    def covariance(self) -> Floats:
        """Covariance matrix of `coef`."""
        return self.solution("maximum").covariance

    @property
    def people(self) -> int:
        """How many people the reports come from, if each sent as many as the study asks for."""
        return round(self.reports / self.study.reports_per_person)

    @property
    def guarantee(self) -> Guarantee:
        """What the people in the study were promised."""
        return self.study.guarantee

    def conf_int(self, level: float = 0.95) -> Floats:
        """Confidence intervals, one row (low, high) per coefficient."""
        return self.solution("maximum").conf_int(level)

    def summary(self, level: float = 0.95) -> Summary:
        """The table with everything a reader must know beside it. Prints itself."""
        table = self.solution("maximum")
        return Summary(
            title=self.study.title or f"study {self.study.id[:12]}",
            model=self.model.name,
            names=self.names,
            coef=table.coef,
            standard_errors=table.standard_errors,
            interval=table.conf_int(level),
            shares=table.shares,
            level=level,
            people=self.people,
            public_rows=self.public_rows,
            effective_rows=self.effective_rows,
            source=self.study.source,
            epsilon=self.guarantee.total_epsilon,
            notes=(ASSUMPTION, *self.study.notes, *_dropped(self.study), *self.notes),
        )

    def decision_function(self, rows: Any) -> Floats:
        """Linear predictors: (n,), or logits (n, K) for several classes."""
        scores = self._predictor(rows) @ self.model.scores.T
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, rows: Any) -> Floats:
        """Class probabilities (n, K) in the order of `classes`."""
        self.classes  # noqa: B018
        return self.model.predicted(self._predictor(rows))

    def predict(self, rows: Any) -> NDArray[Any]:
        """The likeliest class, or the mean label."""
        predicted = self.model.predicted(self._predictor(rows))
        if self.study.label.classes:
            return np.asarray(np.array(self.classes)[predicted.argmax(axis=1)])
        return predicted

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes; only for binary and categorical labels."""
        if self.study.label.classes:
            return self.study.label.classes
        raise ConfigurationError(
            f"the label {self.study.label.column!r} is a number and has no classes; use predict"
        )

    @property
    def predictive_coef(self) -> Floats:
        """The coefficients that predict, (coefficients, k), intercept first."""
        return self.study.transform.to_original @ self._predictive_weights

    @property
    def prior(self) -> tuple[float, float]:
        """Signal and power of the prior behind the predictions."""
        chosen = self.solution("posterior").chosen
        return chosen["signal"], chosen["power"]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model with its study to a JSON file that `Fit.load` reads."""
        write_atomically(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """Canonical JSON, sealed by its hash."""
        return file.to_bytes(self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, family: Family | None = None) -> "Fit":
        """Read a model file; raises StudyFileError if it was altered or is newer.

        A fit with a family of your own needs that `family` again: no file holds functions.
        """
        return cls.from_bytes(Path(path).read_bytes(), family=family)

    @classmethod
    def from_bytes(cls, data: bytes, *, family: Family | None = None) -> "Fit":
        """Decode and check a model file."""
        return file.from_bytes(cls, data, family)

    @property
    def _predictive_weights(self) -> Floats:
        return self.solution("posterior").weights.reshape(-1, self.model.width)

    def _predictor(self, rows: Any) -> Floats:
        return self.study.encode(rows) @ self._predictive_weights


def _dropped(study: Study) -> tuple[str, ...]:
    if not study.dropped:
        return ()
    told = ", ".join(f"{name} ({reason})" for name, reason in study.dropped.items())
    return (f"Left out: {told}.",)
