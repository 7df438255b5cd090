"""What the algorithms of the papers share: how noise is calibrated, and what it really gives."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tacit.answers import column, numbers
from tacit.arrays import Floats
from tacit.errors import ConfigurationError, LabelError
from tacit.privacy.curve import GaussianCurve
from tacit.privacy.gaussian import GaussianMechanism
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.words import number_up

Calibration = Literal["exact", "paper"]
Range = tuple[float, float]


@dataclass(frozen=True)
class Allowance:
    """What a release may cost, and whose noise it has: the least that suffices, or the paper's."""

    epsilon: float
    delta: float = 1e-6
    calibration: Calibration = "exact"

    def __post_init__(self) -> None:
        check_calibration(self.calibration)
        check_budget(self.epsilon, self.delta)

    def noise(
        self, dimension: int, *, sensitivity: float, printed_sigma: float
    ) -> GaussianMechanism:
        """For the joint release."""
        if self.calibration == "paper":
            return GaussianMechanism(dimension, sensitivity, printed_sigma)
        return GaussianMechanism.exact(dimension, sensitivity, self.epsilon, self.delta)

    def achieved(self, curve: GaussianCurve, **fields: Any) -> Guarantee:
        """What the noise really gives; printed noise is measured, and a difference is said."""
        if self.calibration == "exact":
            return Guarantee(self.epsilon, delta=self.delta, **fields)
        real = curve.epsilon(self.delta)
        said = (
            f"the paper claims epsilon = {self.epsilon:g} at delta = {self.delta:g}; "
            f"its noise gives epsilon = {number_up(real)} by the exact curve"
        )
        fields["notes"] = (said, *fields.get("notes", ()))
        return Guarantee(real, delta=self.delta, **fields)


def check_choice(name: str, value: object, options: Sequence[object]) -> None:
    """Refuse other words."""
    if value not in options:
        words = ", ".join(map(repr, options))
        raise ConfigurationError(f"{name} must be one of {words}, got {name}={value!r}")


def check_calibration(calibration: str) -> None:
    """The least noise that suffices, or the paper's."""
    check_choice("calibration", calibration, get_args(Calibration))


def check_budget(epsilon: float, delta: float | None = None) -> None:
    """Refuse budgets that mean nothing."""
    if not (math.isfinite(epsilon) and 0 < epsilon <= 30):
        raise ConfigurationError(f"epsilon must lie between 0 and 30, got epsilon={epsilon}")
    if delta is not None and not 0 < delta < 1:
        raise ConfigurationError(
            f"delta must lie strictly between 0 and 1, got delta={delta}; 1e-6 is usual"
        )


def check_positive(name: str, value: float) -> float:
    """A finite number above 0."""
    if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
        raise ConfigurationError(f"{name} must be positive and finite, got {name}={value!r}")
    return float(value)


def check_whole(name: str, value: int, low: int, high: int | None = None) -> int:
    """A whole number in a range."""
    fits = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= low
    if not fits or (high is not None and value > high):
        range_ = f"at least {low}" if high is None else f"from {low} to {high}"
        raise ConfigurationError(f"{name} must be a whole number {range_}, got {name}={value!r}")
    return int(value)


def check_range(name: str, stated: Range) -> Range:
    """A finite (low, high) with low below high."""
    low, high = (float(end) for end in stated)
    if not (math.isfinite(high - low) and low < high):
        raise ConfigurationError(
            f"{name} must be finite with low below high, got {name}={(low, high)}; state what is "
            "known about the column, never what its private values show"
        )
    return low, high


def check_labels(y: Floats, low: float, high: float, advice: str) -> None:
    """Labels of simulated people must lie in the stated range; a device clips its own."""
    outside = np.flatnonzero(~((y >= low) & (y <= high)))
    if len(outside):
        raise LabelError(
            f"labels must lie between {low:g} and {high:g}, got {y[outside[0]]:g} "
            f"({len(outside)} of {len(y)} rows); {advice}"
        )


def feature_rows(X: NDArray[Any], features: int) -> Floats:
    """Rows (n, features) of anything whatever; what is no number is NaN."""
    if np.ndim(X) != 2 or np.shape(X)[1] != features:
        raise ConfigurationError(
            f"records must have {features} features, got an array of shape {np.shape(X)}"
        )
    return numbers(column(X.reshape(-1))).reshape(X.shape)


@np.errstate(all="ignore")  # rows of zeros, or so long that squares overflow
def shortened(X: Floats, radius: float, order: int = 2) -> Floats:
    """Rows longer than `radius` scaled down to it; entries without a value become zero."""
    rows = np.nan_to_num(X, nan=0.0, posinf=0.0, neginf=0.0)
    peak = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-300)
    length = np.linalg.norm(rows / peak, ord=order, axis=1, keepdims=True)
    return np.asarray(rows * np.minimum(1.0, radius / peak / np.maximum(length, 1e-300)))


def clipped(y: NDArray[Any], bound: float, middle: float = 0.0) -> Floats:
    """Numbers about `middle`, in [-bound, bound]; what is no number is 0."""
    values = numbers(column(y)) - middle
    return np.clip(np.where(np.isnan(values), 0.0, values), -bound, bound)
