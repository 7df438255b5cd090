"""Levels too rare to be told of, and what merging them would bring."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.inference.design import Design
from tacit.study import Study

ENDLESS = 25.0  # limits: nobody expects effects of such a size


@dataclass(frozen=True)
class Level:
    """A 0/1 column: where its coefficients are, how many public rows have it, whom it may join."""

    name: str
    feature: str
    places: tuple[int, ...]
    share: float
    partner: str | None


@dataclass(frozen=True)
class Wide:
    """A coefficient whose interval would be wider than `limit`, and what would help.

    `people` would bring it down to the limit. `merged_with` is the level it could be merged with;
    None if the baseline alone is left.
    """

    name: str
    width: float
    limit: float
    people: float
    merged_with: str | None
    merged_width: float | None

    def __str__(self) -> str:
        """What there is to choose from."""
        if self.merged_width is None:
            merged = "no other level is left to merge it with"
        else:
            merged = f"merged with {self.merged_with!r} {self._told(self.merged_width)}"
        if math.isinf(self.people):
            alone = "no number of people is enough for it alone"
        else:
            alone = f"alone it takes {_short(self.people)} people"
        return f"{self.name}: {self._told(self.width)}; {merged}; {alone}."

    def _told(self, width: float) -> str:
        return "as good as endless" if width > ENDLESS * self.limit else f"{_short(width)} wide"


def _short(number: float) -> str:
    """Two digits."""
    rounded = float(f"{number:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def in_words(told: Sequence[Wide], count: int, width: float) -> list[str]:
    """What a plan says of some of them, and how many there are."""
    if not told:
        return []
    head = f"Too rare, with 95% intervals more than {width:.3g} wide:"
    more = [f"… and {count - len(told)} more."] if count > len(told) else []
    return [head, *map(str, told), *more]


def levels(study: Study, design: Design) -> tuple[Level, ...]:
    """Every 0/1 column of the study, in the order of the table."""
    transform = study.transform
    slopes = design.average(design.z)[int(transform.intercept) :]
    means = transform.centers + np.linalg.solve(transform.loadings, slopes)
    shares = dict(zip(transform.columns, means.tolist(), strict=True))
    first, count = int(transform.intercept), len(transform.names)
    found = []
    for feature in study.features:
        zero_one = [column for column in feature.columns if column in shares]
        if feature.kind == "numeric":
            zero_one = [column for column in zero_one if column != feature.name]
        for column in zero_one:
            place = first + transform.columns.index(column)
            places = tuple(place + group * count for group in range(len(study.label.groups)))
            partner = _partner(column, feature.columns[: len(feature.levels[1:])], shares)
            found.append(Level(column, feature.name, places, shares[column], partner))
    return tuple(found)


def _partner(column: str, named: tuple[str, ...], shares: dict[str, float]) -> str | None:
    """Of the same question the level that is next more common, or else next rarer."""
    others = [name for name in named if name != column and name in shares]
    if column not in named or not others:
        return None
    own = shares[column]
    return min(others, key=lambda name: (shares[name] < own, abs(shares[name] - own)))
