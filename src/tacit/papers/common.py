"""What the algorithms of the papers share: how noise is calibrated, and what it really gives."""

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import ConfigurationError
from tacit.privacy.curve import GaussianCurve
from tacit.privacy.gaussian import GaussianMechanism
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.words import number_up

Floats = NDArray[np.float64]
Calibration = Literal["exact", "paper"]


def gaussian_noise(
    calibration: Calibration,
    *,
    dimension: int,
    sensitivity: float,
    epsilon: float,
    delta: float,
    printed_sigma: float,
) -> GaussianMechanism:
    """The least noise that keeps (epsilon, delta) for the joint release, or the paper's."""
    check_calibration(calibration)
    check_budget(epsilon, delta)
    if calibration == "paper":
        return GaussianMechanism(dimension, sensitivity, printed_sigma)
    return GaussianMechanism.exact(dimension, sensitivity, epsilon, delta)


def achieved(
    curve: GaussianCurve, calibration: Calibration, epsilon: float, delta: float, **fields: Any
) -> Guarantee:
    """What the noise really gives; printed noise is measured, and a difference is said."""
    notes = tuple(fields.pop("notes", ()))
    if calibration == "exact":
        return Guarantee(epsilon, delta=delta, notes=notes, **fields)
    real = curve.epsilon(delta)
    said = (
        f"the paper claims epsilon = {epsilon:g} at delta = {delta:g}; "
        f"its noise gives epsilon = {number_up(real)} by the exact curve"
    )
    return Guarantee(real, delta=delta, notes=(said, *notes), **fields)


def check_calibration(calibration: str) -> None:
    """Refuse other words."""
    if calibration not in ("exact", "paper"):
        raise ConfigurationError(
            f"calibration must be 'exact' or 'paper', got calibration={calibration!r}"
        )


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


def generator_of(random_state: Any) -> np.random.Generator:
    """A generator from what scikit-learn takes as `random_state`."""
    from sklearn.utils import check_random_state

    return np.random.default_rng(check_random_state(random_state).randint(0, 2**31, size=4))


def clipped_rows(X: ArrayLike, radius: float) -> Floats:
    """Rows longer than `radius` are scaled down to it; what has no length becomes zero."""
    rows = np.nan_to_num(np.asarray(X, dtype=np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    with np.errstate(all="ignore"):  # a caller who turned these into errors must not see a value
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows * np.minimum(1.0, radius / np.maximum(length, 1e-300)))
