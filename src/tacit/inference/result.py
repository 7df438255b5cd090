"""What a study has learned, as a value: coefficients, intervals, predictions, a file."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy import special

from tacit.errors import ConfigurationError, NoFiniteMaximumError, StudyFileError
from tacit.inference.labelled import model_for
from tacit.inference.likelihood import Design
from tacit.inference.summary import Summary
from tacit.inference.table import Table, coefficient_names
from tacit.models import LabelModel
from tacit.privacy.guarantee import Guarantee
from tacit.study import Study, document
from tacit.study.checks import check_study
from tacit.study.files import write_atomically

Floats = NDArray[np.float64]

ASSUMPTION = (
    "Assumed, and nothing collected can check it: the public rows stand for the people who "
    "reported, and the mean model is right. Public rows that differ shift the coefficients."
)
_KIND = "model"
_VERSION = 1


@dataclass(frozen=True)
class Fit:
    """The table is maximum likelihood; predictions use `weights`, the empirical Bayes mode.

    Where the table does not exist (`failure` says why) asking for it raises; predictions work.
    """

    study: Study
    model: LabelModel
    reports: int
    public_rows: int
    table: Table | None
    failure: str
    weights: Floats
    prior: tuple[float, float]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coefficients, intercept first."""
        return coefficient_names(self.study)

    @property
    def coef(self) -> Floats:
        """Maximum-likelihood coefficients in the units of the features, in the order of `names`."""
        return self._table.coef

    @property
    def standard_errors(self) -> Floats:
        """Standard errors of `coef`: privacy noise, sampled people and sampled public rows."""
        return self._table.standard_errors

    @property
    def covariance(self) -> Floats:
        """Covariance matrix of `coef`."""
        return self._table.covariance

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
        if not 0 < level < 1:
            raise ConfigurationError(f"level must lie between 0 and 1, got level={level}")
        reach = float(special.ndtri(0.5 + level / 2)) * self.standard_errors
        return np.column_stack([self.coef - reach, self.coef + reach])

    def summary(self, level: float = 0.95) -> Summary:
        """The table with everything a reader must know beside it. Prints itself."""
        table = self._table
        return Summary(
            title=self.study.title or f"study {self.study.id[:12]}",
            model=self.model.name,
            names=self.names,
            coef=table.coef,
            standard_errors=table.standard_errors,
            interval=self.conf_int(level),
            shares=table.shares,
            level=level,
            people=self.people,
            public_rows=self.public_rows,
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
        return self.study.transform.to_original @ self.weights.reshape(-1, self.model.width)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model with its study to a JSON file that `Fit.load` reads."""
        write_atomically(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """Canonical JSON, sealed by its hash."""
        if self.model.name != model_for(self.study.label, None).name:
            raise ConfigurationError(
                f"a fit with a family of your own ({self.model.name!r}) cannot be saved: functions "
                "have no file format; save the study and the tally, and fit again"
            )
        return document.wrap(_KIND, msgspec.json.encode(_as_file(self)))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Fit":
        """Read a model file; raises StudyFileError if it was altered or is newer."""
        return cls.from_bytes(Path(path).read_bytes())

    @classmethod
    def from_bytes(cls, data: bytes) -> "Fit":
        """Decode and check a model file."""
        body = document.unwrap(_KIND, data)
        return _from_file(document.decode(_KIND, body, _File, _VERSION))

    @property
    def _table(self) -> Table:
        if self.table is None:
            raise NoFiniteMaximumError(self.failure)
        return self.table

    def _predictor(self, rows: Any) -> Floats:
        z = self.study.encode(rows)
        return Design(z, z, self.model).predictor(self.weights)


def _dropped(study: Study) -> tuple[str, ...]:
    if not study.dropped:
        return ()
    told = ", ".join(f"{name} ({reason})" for name, reason in study.dropped.items())
    return (f"Left out: {told}.",)


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    study: Study
    reports: int
    public_rows: int
    coef: list[float] | None
    covariance: list[list[float]] | None
    variance_by_cause: list[list[float]] | None
    failure: str
    weights: list[float]
    prior: tuple[float, float]
    notes: tuple[str, ...]


def _as_file(fit: Fit) -> _File:
    table = fit.table
    return _File(
        version=_VERSION,
        study=fit.study,
        reports=fit.reports,
        public_rows=fit.public_rows,
        coef=None if table is None else table.coef.tolist(),
        covariance=None if table is None else table.covariance.tolist(),
        variance_by_cause=None if table is None else table.variance_by_cause.tolist(),
        failure=fit.failure,
        weights=fit.weights.tolist(),
        prior=fit.prior,
        notes=fit.notes,
    )


def _from_file(file: _File) -> Fit:
    try:
        check_study(file.study)
    except ConfigurationError as error:
        raise StudyFileError(f"the study in the model file contradicts itself: {error}") from error
    if len(file.weights) != file.study.dimension:
        raise StudyFileError(
            f"the model has {len(file.weights)} weights, its study {file.study.dimension}; "
            "write it again with `tacit fit`"
        )
    table = None
    if file.coef is not None:
        table = Table(
            np.array(file.coef), np.array(file.covariance), np.array(file.variance_by_cause)
        )
    return Fit(
        study=file.study,
        model=model_for(file.study.label, None),
        reports=file.reports,
        public_rows=file.public_rows,
        table=table,
        failure=file.failure,
        weights=np.array(file.weights),
        prior=file.prior,
        notes=file.notes,
    )
