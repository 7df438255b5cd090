"""Levels too rare to be told of, and what merging them would bring, before anything is collected."""

import math
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.study import Study


_TOLD = 8


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
    """A coefficient whose interval would be wide, and what would help.

    `merged_with` is the level it could be merged with; None if the baseline alone is left.
    """

    name: str
    width: float
    people: float
    merged_with: str | None
    merged_width: float | None

    def __str__(self) -> str:
        if self.merged_width is None:
            merge = "there is no level to merge it with: leave the question out, or ask more people"
        else:
            merge = f"merged with {self.merged_with!r} it would be {self.merged_width:.2g}"
        more = (
            "no number of people would do"
            if math.isinf(self.people)
            else f"as it is, it takes {self.people:,.0f} people"
        )
        return f"{self.name}: an interval {self.width:.2g} wide; {merge}; {more}."


def in_words(found: tuple[Wide, ...], width: float) -> list[str]:
    """What a plan says of them: the widest few, and how many more there are."""
    if not found:
        return []
    head = f"Too rare for 95% intervals at most {width:.3g} wide ({len(found)}):"
    more = [f"… and {len(found) - _TOLD} more."] if len(found) > _TOLD else []
    return [head, *map(str, found[:_TOLD]), *more]


def levels(study: Study, z: Floats) -> tuple[Level, ...]:
    """Every 0/1 column of the study, in the order of the table."""
    transform = study.transform
    slopes = z.mean(axis=0)[int(transform.intercept) :]
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
    """The next rarest level of the same question; of those more common than it if there are any."""
    others = [name for name in named if name != column and name in shares]
    if column not in named or not others:
        return None
    return min(others, key=lambda name: (shares[name] < shares[column], shares[name]))
