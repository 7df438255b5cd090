"""Known totals of a population, as the study's author states them: a mean, or shares of levels."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tacit.answers import Column, Flags, is_missing, level, look_up, numbers, text
from tacit.arrays import Floats
from tacit.errors import ConfigurationError, PublicRowsError
from tacit.limits import within_limits
from tacit.study.names import meant, quoted
from tacit.study.schema import OTHER
from tacit.study.transform import truth

Margin = float | dict[str, float]
Margins = dict[str, Margin]

_SUM = 1e-9  # what shares may miss 1 by


def checked_margins(margins: Any) -> Margins:
    """Margins in canonical order: columns by name, levels by name."""
    if margins is None:
        return {}
    if not (isinstance(margins, Mapping) and all(isinstance(name, str) for name in margins)):
        raise ConfigurationError(
            f"margins must name columns, such as {{'region': {{'north': 0.3, 'south': 0.7}}, "
            f"'age': 41.2}}, got margins={margins!r}"
        )
    return {name: _checked(name, margins[name]) for name in sorted(margins)}


def _checked(name: str, margin: Any) -> Margin:
    if not isinstance(margin, Mapping):
        return _finite(f"the margin of {name!r} must be a mean or shares of its levels", margin)
    shares = {level(key): _finite(f"the shares of {name!r}", margin[key]) for key in margin}
    if len(shares) < len(margin) or "" in shares:
        raise ConfigurationError(
            f"the margin of {name!r} must name different levels, got {quoted(margin)}"
        )
    total = math.fsum(shares.values())
    if min(shares.values(), default=0.0) < 0.0 or abs(total - 1.0) > _SUM:
        raise ConfigurationError(
            f"the shares of {name!r} must be from 0 and sum to 1, got {dict(margin)} with sum "
            f"{total:.10g}; give every level its share, or all the rest one share as {OTHER!r}"
        )
    return dict(sorted(shares.items()))


def _finite(what: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool | str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not within_limits([number]):
        raise ConfigurationError(f"{what}: a number is needed, got {value!r}")
    return number


def counted(margin: Margin, values: Column) -> Flags:
    """Which rows can count at all: not those of a level whose share is 0."""
    if not isinstance(margin, dict):
        return np.ones(len(values), dtype=bool)
    places = {name: float(share > 0.0) for name, share in margin.items()}
    return is_missing(values) | (look_up(values, places, places.get(OTHER, 1.0)) > 0.0)


def gaps(name: str, margin: Margin, values: Column) -> Floats:
    """Columns whose mean is 0 where the margin is met; missing values have no say in it."""
    if isinstance(margin, dict):
        return _level_gaps(name, margin, values)
    return _number_gaps(name, margin, values)


def _level_gaps(name: str, margin: dict[str, float], values: Column) -> Floats:
    """One for each level; the first follows from the others."""
    missing = is_missing(values)
    stated = [key for key, share in margin.items() if share > 0.0]
    places = {key: float(place) for place, key in enumerate(stated)}
    found = look_up(values, places, places.get(OTHER, -1.0))
    unknown = {*map(text, values[(found < 0) & ~missing])}
    if unknown:
        raise PublicRowsError(
            f"the margin of {name!r} gives no share to {quoted(sorted(unknown)[:5])}, which public "
            f"rows hold; state it, or all the rest together as {OTHER!r}"
        )
    here = (found[:, None] == np.arange(len(stated))) & ~missing[:, None]
    absent = [key for key, held in zip(stated, here.any(axis=0), strict=True) if not held]
    if absent:
        held = {*map(text, values[~missing])}
        raise PublicRowsError(
            f"the margin of {name!r} cannot be met: no public row that counts holds "
            f"{quoted(absent)}{meant(absent, held)}; correct the level, or add such rows"
        )
    apart = np.where(missing[:, None], 0.0, here - np.array([margin[key] for key in stated]))
    return np.asarray(apart[:, 1:], dtype=np.float64)


def _number_gaps(name: str, mean: float, values: Column) -> Floats:
    """A number's distance from its mean; yes is 1 and no is 0."""
    missing = is_missing(values)
    answer, sane = truth(values)
    number = np.where(sane, answer, numbers(values))
    wrong = ~missing & ~np.isfinite(number)
    if wrong.any() or missing.all():
        held = repr(values[wrong][0]) if wrong.any() else "nothing"
        raise PublicRowsError(
            f"the margin of {name!r} is a mean, but public rows hold {held} there; give shares of "
            "its levels instead, or leave what is no number empty"
        )
    low, high = float(number[~missing].min()), float(number[~missing].max())
    if not (low < mean < high or low == mean == high):
        raise PublicRowsError(
            f"the margin of {name!r} cannot be met: it is {mean:g}, and a mean of the public rows "
            f"that count lies between {low:g} and {high:g}; correct it, or add rows beyond it"
        )
    away = np.where(missing, 0.0, number - mean)[:, None]
    return np.asarray(away / (np.abs(away).max() or 1.0))
