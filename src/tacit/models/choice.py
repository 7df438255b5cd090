"""Which model reads a label: its own, a known family by name, or the user's own `Family`."""

from collections.abc import Callable, Mapping

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.models.family import Family
from tacit.models.linear import linear
from tacit.models.logistic import logistic
from tacit.models.poisson import counted
from tacit.models.scalar import ScalarModel
from tacit.models.softmax import SoftmaxModel

LabelModel = ScalarModel | SoftmaxModel

# By name: the family for a label from low to high.
KNOWN: Mapping[str, Callable[[float, float], Family]] = {
    "linear": linear,
    "logistic": lambda low, high: logistic(),
    "poisson": counted,
}

_REACH = 10.0  # units around the origin: where the prior of the predictions has nearly all its mass
_SLOPE = 1e-3  # of the label's range, per unit: how far a slope may be from the mean's derivative
_CORNERS = 0.1  # of the places looked at


def scalar_model(
    family: str | Family | None, default: str, low: float, high: float, *, binary: bool = False
) -> ScalarModel:
    """The model of a number from low to high, whose known family `default` is used for None."""
    own = isinstance(family, Family)
    name = default if family is None else family
    chosen = name if isinstance(name, Family) else _known(name)(low, high)
    if chosen.name != default or own:
        _check_reach(chosen, low, high)
    return ScalarModel(chosen, low, high, binary, own)


def softmax_model(family: str | Family | None, corners: Floats) -> SoftmaxModel:
    """The model of several classes, which has no other family."""
    model = SoftmaxModel(corners)
    if family is not None and family != model.name:
        shown = family.name if isinstance(family, Family) else family
        raise ConfigurationError(
            f"family={shown!r} has one predictor, but the label has {len(corners)} classes; leave "
            f"family out to use the {model.name} model"
        )
    return model


def _known(name: str) -> Callable[[float, float], Family]:
    if not isinstance(name, str) or name not in KNOWN:
        raise ConfigurationError(
            f"family must be one of {', '.join(map(repr, KNOWN))} or a tacit.Family of your own, "
            f"got family={name!r}"
        )
    return KNOWN[name]


def _check_reach(family: Family, low: float, high: float) -> None:
    """Refuse a mean that cannot follow the label, or falls, where predictors are looked for."""
    around = family.origin + family.unit * np.linspace(-_REACH, _REACH, 41)
    mean = np.clip(np.asarray(family.mean(around), dtype=np.float64), low, high)
    if not np.diff(mean).min() >= -1e-9 * (high - low):
        raise ConfigurationError(
            f"the mean of family {family.name!r} must be a number and must not decrease; it fails "
            f"within {_REACH:g} units ({family.unit:g}) of its origin ({family.origin:g})"
        )
    _check_slope(family, around, high - low)
    if mean[-1] - mean[0] < (high - low) / 2:
        raise ConfigurationError(
            f"family {family.name!r}: with unit={family.unit:g} and origin={family.origin:g} its "
            f"mean goes from {mean[0]:g} to {mean[-1]:g} only, the label from {low:g} to {high:g}; "
            "state the unit= and origin= of its predictor, for a mean that is the predictor "
            f"itself unit={(high - low) / 2:g}, origin={(high + low) / 2:g}"
        )


def _check_slope(family: Family, around: Floats, width: float) -> None:
    """Refuse a slope that is not the mean's derivative, but for a few corners of the mean."""
    step = 1e-4 * family.unit
    rise = np.asarray(family.mean(around + step)) - np.asarray(family.mean(around - step))
    off = np.abs(rise / (2.0 * step) - np.asarray(family.slope(around)))
    if np.mean(off > _SLOPE * width / family.unit) > _CORNERS:
        worst = around[np.argmax(off)]
        raise ConfigurationError(
            f"the slope of family {family.name!r} is not the derivative of its mean: at {worst:g} "
            f"it is off by {off.max():.3g}; pass the derivative"
        )
