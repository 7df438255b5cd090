"""Shares of the squared length by formula, and every share as it is published."""

import math
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.limits import significant

_DIGITS = 3  # the optimum is flat, and so many are the same on every computer
_SIGNAL = 1.0  # variance of the predictor that the features are thought to explain
_MIXED_IN = 0.1  # of the shares of `by_root`, so that no direction is lost
_KEPT_SLOPE = 0.6  # of a report's information at the origin, at predictors as they are


@dataclass(frozen=True)
class Shape:
    """Which part of the squared length of z each component has, and directions added to them.

    `tilts` (f, q) are as long as the root of their part. `notes` say what it cost.
    """

    shares: tuple[float, ...]
    tilts: tuple[tuple[float, ...], ...] = ()
    notes: tuple[str, ...] = ()


def by_root(spectrum: Floats, room: float) -> Floats:
    """In proportion to the root of the variance: where people differ most."""
    roots = np.sqrt(spectrum)
    return np.asarray(room * roots / roots.sum())


def by_need(spectrum: Floats, room: float) -> Floats:
    """Near the best for coefficients, by formula: more for what varies little."""
    needs = spectrum**-0.25
    return np.asarray(room * needs / needs.sum())


def by_water(spectrum: Floats, room: float, noise: float) -> Floats:
    """Near the best for predictions: water poured over what is not worth measuring.

    `noise` is the variance of a component's coefficient, in units of the model, if the whole
    length of every report were spent on it. Where tau_j^2 are its prior variances, the sum of
    posterior variances is least for shares `max(0, level - noise/tau_j^2)`.
    """
    roots = np.sqrt(spectrum)
    floor = noise / (_SIGNAL * roots / roots.sum())
    poured = np.maximum(0.0, _level(floor, room) - floor)
    return np.asarray((1.0 - _MIXED_IN) * poured + _MIXED_IN * by_root(spectrum, room))


def noise_of_predictions(noise: float, slope: float, people: int) -> float:
    """The noise of `by_water`, given that of one report and the slope of a corner's mean."""
    return noise / (_KEPT_SLOPE * slope**2 * people)


def _level(floor: Floats, room: float) -> float:
    """How high the water stands over this floor."""
    lowest = np.sort(floor)
    levels = (room + np.cumsum(lowest)) / np.arange(1, len(floor) + 1)
    return float(levels[np.flatnonzero(levels > lowest)[-1]])


def published(amounts: Floats, room: float) -> tuple[float, ...]:
    """To three digits, then scaled to their sum: what every computer finds."""
    digits = [float(f"{amount:.{_DIGITS}g}") for amount in amounts]
    scale = room / math.fsum(digits) if digits else 1.0
    return tuple(significant(scale * value) for value in digits)
