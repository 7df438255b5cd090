"""What a label model means for the codes that devices send.

A device sends `u (x) g`, with `g` one of K code vectors (a regular simplex; -1 and +1 for K = 2).
The likelihood needs three moments of `g` given the linear predictor: its mean, the slope of the
mean, and its second moment.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tacit.errors import ConfigurationError
from tacit.families import Family, linear, logistic, poisson
from tacit.study.labels import Binary, Bounded, Categorical, Count, Label, codes, limits

Floats = NDArray[np.float64]


class LabelModel(Protocol):
    """Moments of the code vector given predictors (m, k)."""

    @property
    def name(self) -> str:
        """The name of the model."""
        ...

    @property
    def width(self) -> int:
        """k: the number of predictors, K - 1."""
        ...

    @property
    def unit(self) -> float:
        """A large step of the predictor."""
        ...

    @property
    def origin(self) -> float:
        """The predictor from which iterations start."""
        ...

    def mean(self, predictor: Floats) -> Floats:
        """Expected code, (m, k)."""
        ...

    def slope(self, predictor: Floats) -> Floats:
        """Derivative of the expected code, (m, k, k)."""
        ...

    def second(self, predictor: Floats) -> Floats:
        """Expected outer product of the code, (m, k, k)."""
        ...

    def predicted(self, predictor: Floats) -> Floats:
        """What predictions show: class probabilities (m, K), or the mean label (m,)."""
        ...


@dataclass(frozen=True)
class ScalarModel:
    """One predictor; the code is +1 or -1, with mean (f - midpoint) / half width."""

    family: Family
    low: float
    high: float
    binary: bool
    width: int = 1

    @property
    def name(self) -> str:
        """The family's name."""
        return self.family.name

    @property
    def unit(self) -> float:
        """Predictors of the linear family are in units of the label, others near 1."""
        return (self.high - self.low) / 2 if self.family.name == "linear" else 1.0

    @property
    def origin(self) -> float:
        """The predictor from which iterations start."""
        return (self.high + self.low) / 2 if self.family.name == "linear" else 0.0

    def mean(self, predictor: Floats) -> Floats:
        """Expected code, (m, 1)."""
        middle, half = (self.high + self.low) / 2, (self.high - self.low) / 2
        return (self.family.mean(predictor) - middle) / half

    def slope(self, predictor: Floats) -> Floats:
        """Derivative of the expected code, (m, 1, 1)."""
        return self.family.slope(predictor)[:, :, None] / ((self.high - self.low) / 2)

    def second(self, predictor: Floats) -> Floats:
        """The square of -1 or +1."""
        return np.ones((*predictor.shape, 1))

    def predicted(self, predictor: Floats) -> Floats:
        """Probabilities of (negative, positive) for a binary label, else the mean label."""
        mean = self.family.predicted(predictor[:, 0])
        return np.column_stack([1.0 - mean, mean]) if self.binary else mean


@dataclass(frozen=True)
class SoftmaxModel:
    """K classes: logits `(K - 1)/K codes @ predictor`, so that K = 2 is the logistic family."""

    codes: Floats
    name: str = "multinomial"
    unit: float = 1.0
    origin: float = 0.0

    @property
    def width(self) -> int:
        """Number of predictors, K - 1."""
        return int(self.codes.shape[1])

    @property
    def logits(self) -> Floats:
        """Matrix (K, K - 1) from predictors to logits."""
        count = len(self.codes)
        return self.codes * ((count - 1) / count)

    def predicted(self, predictor: Floats) -> Floats:
        """Class probabilities, (m, K)."""
        return np.asarray(special.softmax(predictor @ self.logits.T, axis=1))

    def mean(self, predictor: Floats) -> Floats:
        """Expected code, (m, k)."""
        return self.predicted(predictor) @ self.codes

    def slope(self, predictor: Floats) -> Floats:
        """Derivative of the expected code: a multiple of its covariance, hence symmetric."""
        count = len(self.codes)
        mean = self.mean(predictor)
        covariance = self.second(predictor) - mean[:, :, None] * mean[:, None, :]
        return covariance * ((count - 1) / count)

    def second(self, predictor: Floats) -> Floats:
        """Expected outer product of the code, (m, k, k)."""
        outer = self.codes[:, :, None] * self.codes[:, None, :]
        return np.tensordot(self.predicted(predictor), outer, axes=1)


def model_for(label: Label, family: Family | None) -> LabelModel:
    """The label's own model, or one's own family for a label with one predictor."""
    if isinstance(label, Categorical):
        if family is not None:
            raise ConfigurationError(
                f"family={family.name!r} has one predictor, but the label {label.column!r} has "
                f"{len(label.levels)} classes; leave family out to use the multinomial model"
            )
        return SoftmaxModel(codes(label))
    low, high = limits(label)
    return ScalarModel(family or _default_family(label), low, high, isinstance(label, Binary))


def _default_family(label: Binary | Count | Bounded) -> Family:
    if isinstance(label, Binary):
        return logistic()
    return poisson(label.cap) if isinstance(label, Count) else linear()
