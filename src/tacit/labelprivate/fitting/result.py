"""What the reports of a label study say, as a value: coefficients, intervals, predictions."""

import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tacit.arrays import Floats
from tacit.errors import ConfigurationError, NoFiniteMaximumError
from tacit.labelprivate.fitting import file
from tacit.labelprivate.fitting.profile import Profile
from tacit.labelprivate.fitting.summary import LabelSummary
from tacit.labelprivate.known import read_known
from tacit.models import Family, LabelModel
from tacit.privacy.guarantee import Guarantee
from tacit.study.files import write_atomically

if TYPE_CHECKING:
    from tacit.labelprivate.study import LabelStudy

LEVEL = 0.95
_NAMED = 3  # coefficients that an error names


@dataclass(frozen=True)
class LabelFit:
    """The released labels, read: profile intervals under a weak prior on all else.

    An estimate is where the profile of its coefficient is greatest, infinite if it is nowhere.
    `profiles` are absent where only the mean is assumed, or the fit was read from a file, which
    holds intervals in `stored`. `weights` (columns, k) predict, under the prior of `signal`.
    """

    study: "LabelStudy"
    model: LabelModel
    columns: tuple[str, ...]
    weights: Floats
    estimates: Floats
    standard_errors: Floats
    signal: float
    people: int
    notes: tuple[str, ...] = ()
    profiles: tuple[Profile, ...] = field(default=(), repr=False)
    stored: dict[float, Floats] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coefficients, intercept first; of K classes all but the first."""
        prefixes = [f"{group}: " if group else "" for group in self.study.label.groups]
        return tuple(prefix + name for prefix in prefixes for name in self.columns)

    @property
    def coef(self) -> Floats:
        """The coefficients of the table; raises where some have no finite maximum."""
        away = [n for n, c in zip(self.names, self.estimates, strict=True) if math.isinf(c)]
        if away:
            more = "" if len(away) <= _NAMED else f" and {len(away) - _NAMED} more"
            raise NoFiniteMaximumError(
                f"the likelihood rises for ever with {', '.join(away[:_NAMED])}{more}; "
                "summary() and conf_int() show what is known of all coefficients"
            )
        return self.estimates

    @property
    def guarantee(self) -> Guarantee:
        """What the people in the study were promised."""
        return self.study.guarantee

    def conf_int(self, level: float = LEVEL) -> Floats:
        """Profile intervals, one row (low, high) per coefficient; ends may be infinite.

        Where only the mean of a number is assumed they are estimate and robust standard error.
        """
        if not 0 < level < 1:
            raise ConfigurationError(f"level must lie between 0 and 1, got level={level}")
        if level not in self.stored:
            self.stored[level] = self._intervals(level)
        return self.stored[level]

    def summary(self, level: float = LEVEL) -> LabelSummary:
        """The table with everything a reader must know beside it. Prints itself."""
        return LabelSummary(
            title=self.study.title or f"study {self.study.id[:12]}",
            model=self.model.name,
            names=self.names,
            coef=self.estimates,
            standard_errors=self.standard_errors,
            interval=self.conf_int(level),
            level=level,
            people=self.people,
            epsilon=self.study.epsilon,
            mean_only=self.mean_only,
            signal=self.signal,
            notes=(*self.study.notes, *self.notes),
        )

    @property
    def mean_only(self) -> bool:
        """Whether nothing but the mean of the label is assumed."""
        return not self.study.label.classes and (self.model.own or self.model.name != "poisson")

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

    def save(self, path: str | os.PathLike[str], level: float = LEVEL) -> None:
        """Write the model with its study and its intervals to a JSON file."""
        write_atomically(path, self.to_bytes(level))

    def to_bytes(self, level: float = LEVEL) -> bytes:
        """Canonical JSON, sealed by its hash."""
        return file.to_bytes(self, level)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, family: Family | None = None) -> "LabelFit":
        """Read a model file; a family of your own is needed again."""
        return cls.from_bytes(Path(path).read_bytes(), family=family)

    @classmethod
    def from_bytes(cls, data: bytes, *, family: Family | None = None) -> "LabelFit":
        """Decode and check a model file."""
        return file.from_bytes(cls, data, family)

    def _intervals(self, level: float) -> Floats:
        if self.mean_only:
            reach = float(special.ndtri(0.5 + level / 2)) * self.standard_errors
            return np.column_stack([self.estimates - reach, self.estimates + reach])
        if not self.profiles:
            known = ", ".join(f"{one:g}" for one in self.stored)
            raise ConfigurationError(
                f"a model file holds the intervals of one level ({known}), got level={level:g}; "
                "fit the rows and reports again for another"
            )
        return np.array([profile.interval(level) for profile in self.profiles])

    def _predictor(self, rows: Any) -> Floats:
        known = read_known(self.study, rows)
        places = dict(zip(known.names, known.values.T, strict=True))
        ones = {"intercept": np.ones(len(known.values))} if self.study.intercept else {}
        columns = [(ones | places)[name] for name in self.columns]
        return np.column_stack(columns) @ self.weights
