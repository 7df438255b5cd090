"""The mean label that a plan supposes: as its author states it, or in the middle."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.inference.design import Design
from tacit.labels import Binary, Label
from tacit.models import LabelModel, ScalarModel

Stated = float | Mapping[str, float]

_ITERATIONS = 200
_CLOSE = 1e-6  # of a mean corner


@dataclass(frozen=True)
class Rate:
    """The mean corner (k,), and what that means in words."""

    corner: Floats
    words: str


def mean_label(label: Label, model: LabelModel, stated: Stated | None) -> Rate:
    """The rate as stated: a share of yes, a mean, or shares by class.

    Otherwise what the model's origin stands for: half yes, the middle, classes alike.
    """
    if isinstance(model, ScalarModel):
        found = _number(model, stated)
        middle, half = (model.high + model.low) / 2, (model.high - model.low) / 2
        corner, words = np.array([(found - middle) / half]), _number_in_words(label, found)
    else:
        shares = _shares(label, stated)
        corner, words = shares @ label.corners, _shares_in_words(label, shares)
    origin = "as stated" if stated is not None else "as no rate was stated"
    return Rate(corner, f"{words} ({origin})")


def balanced(design: Design, predictor: Floats, corner: Floats) -> Floats:
    """What to add to the predictors (m, k) so that the public rows have this mean corner."""
    model = design.model
    middle = design.average(predictor)
    added = model.origin - middle
    longest = model.unit + float(np.sqrt(design.average((predictor - middle) ** 2).max()))
    for _ in range(_ITERATIONS):
        gap = design.average(model.mean(predictor + added)) - corner
        if np.abs(gap).max() < _CLOSE:
            return added
        slope = design.average(model.slope(predictor + added))
        step = -np.linalg.solve(slope + _CLOSE / model.unit * np.eye(model.width), gap)
        added = added + step * min(1.0, longest / np.abs(step).max())
    raise ConfigurationError(
        f"the {model.name} model does not reach the mean label stated with rate; state another"
    )


def _number(model: ScalarModel, stated: Stated | None) -> float:
    if stated is None:
        corner = float(model.mean(np.array([[model.origin]]))[0, 0])
        return (model.high + model.low) / 2 + corner * (model.high - model.low) / 2
    if isinstance(stated, Mapping) or not model.low < float(stated) < model.high:
        raise ConfigurationError(
            f"rate must be the mean label, a number between {model.low:g} and {model.high:g}, "
            f"got rate={stated!r}"
        )
    return float(stated)


def _shares(label: Label, stated: Stated | None) -> Floats:
    if stated is None:
        return np.full(label.class_count, 1.0 / label.class_count, dtype=np.float64)
    named = stated if isinstance(stated, Mapping) else {}
    shares = np.array([float(named.get(name, 0.0)) for name in label.classes])
    known = set(named) <= set(label.classes)
    if not (known and shares.min() > 0 and abs(shares.sum() - 1.0) < 1e-6):
        raise ConfigurationError(
            f"rate must give each of the classes {', '.join(label.classes)} a share above 0, "
            f"all of them 1 together, got rate={stated!r}"
        )
    return shares


def _number_in_words(label: Label, found: float) -> str:
    if isinstance(label, Binary):
        return f"{100 * found:.3g}% have {label.column} = {label.positive}"
    return f"{label.column} is {found:.4g} on average"


def _shares_in_words(label: Label, shares: Floats) -> str:
    parts = (f"{s:.3g}" for s in 100 * shares)
    named = (f"{name} {part}%" for name, part in zip(label.classes, parts, strict=True))
    return f"{label.column} is {', '.join(named)}"
