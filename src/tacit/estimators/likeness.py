"""Whether the columns of X and of the public rows are at all alike, in location and in scale.

Reads X in the clear, as only a simulation can: a real study has no such check. It is for the
mistake of transforming one of the two only, after which all predictions are the commonest class.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.answers import Column, numbers
from tacit.arrays import Floats
from tacit.study import Study
from tacit.study.rows import Columns, length

# Of a distance between two samples, which is 1 at most. Of normal columns it is that of means 1.2
# standard deviations apart, or of standard deviations whose ratio is 2.8.
GROSS = 0.45
_FALSE_ALARM = 1e-12  # of each distance between samples of one law, whatever the law
_ROWS = 1_000  # of each
_NAMED = 3  # columns that a message tells of


@dataclass(frozen=True)
class Difference:
    """A column, how far apart its values are, and where half of them lie in X and in public."""

    name: str
    size: float
    ours: tuple[float, float]
    theirs: tuple[float, float]

    def __str__(self) -> str:
        return (
            f"{self.name} (half of it from {self.ours[0]:.3g} to {self.ours[1]:.3g} in X, "
            f"from {self.theirs[0]:.3g} to {self.theirs[1]:.3g} in public)"
        )


def gross_differences(study: Study, people: Columns, public: Columns) -> list[Difference]:
    """Columns of numbers that differ by much and beyond chance, the worst first."""
    names = [feature.name for feature in study.features if feature.kind != "categorical"]
    ours, theirs = _sampled(people, names), _sampled(public, names)
    found = [
        Difference(name, size, _middle(ours[name]), _middle(theirs[name]))
        for name in names
        if (size := difference(ours[name], theirs[name])) > 0.0
    ]
    return sorted(found, key=lambda one: -one.size)


def told(differences: list[Difference]) -> str:
    """The worst of them in words, and what to do."""
    shown = ", ".join(map(str, differences[:_NAMED]))
    more = len(differences) - _NAMED
    return (
        f"X and public differ grossly in {shown}{f' and {more} more columns' if more > 0 else ''}. "
        "A scaler or another step that only one of them went through does this, and predictions "
        "fall to the commonest class. Pass both as they are, since the study standardises by "
        "itself, or take both through the same step, fitted on the public rows"
    )


def difference(ours: Floats, theirs: Floats) -> float:
    """The larger distance, of the values or of their gaps; 0 if small, or if chance explains it."""
    count = min(len(ours), len(theirs))
    ours, theirs = ours[:count], theirs[:count]
    distances = ((ours, theirs), (_gaps(ours), _gaps(theirs)))
    return max(_beyond(one, other) for one, other in distances)


def _beyond(ours: Floats, theirs: Floats) -> float:
    """The largest difference between shares below a value, where it is gross.

    For n values each it exceeds t by chance with a probability of e exp(-n t^2) at most, whatever
    the law they have in common (Wei and Dudley 2011).
    """
    if not len(ours):
        return 0.0
    every = np.concatenate([ours, theirs])
    shares = [np.searchsorted(np.sort(x), every, side="right") / len(x) for x in (ours, theirs)]
    distance = float(np.abs(shares[0] - shares[1]).max())
    by_chance = math.sqrt((1.0 - math.log(_FALSE_ALARM)) / len(ours))
    return distance if distance > max(GROSS, by_chance) else 0.0


def _gaps(values: Floats) -> Floats:
    """Distances within pairs of values, which know of scale and nothing of location."""
    half = len(values) // 2
    return np.abs(values[:half] - values[half : 2 * half])


def _sampled(table: Columns, names: list[str]) -> Mapping[str, Floats]:
    """Numbers of a few rows in random order, without those that are missing or infinite."""
    count = length(table)
    rows = np.random.default_rng(0).choice(count, min(count, _ROWS), replace=False)
    return {name: _finite(table[name][rows]) for name in names}


def _finite(values: Column) -> Floats:
    number = numbers(values)
    return number[np.isfinite(number)]


def _middle(values: Floats) -> tuple[float, float]:
    low, high = np.quantile(values, (0.25, 0.75))
    return float(low), float(high)
