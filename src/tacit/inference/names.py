"""What a name in a question means: a feature, a coefficient, a column, or a level."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple

from tacit.errors import ConfigurationError
from tacit.study import Study
from tacit.study.transform import INTERCEPT


class Named(NamedTuple):
    """A coefficient by its full name, or a baseline level, which has no place and counts as 0."""

    name: str
    group: str
    column: str
    level: str
    feature: str
    place: int | None


def everything(study: Study) -> list[Named]:
    """Every coefficient of the study, in the order of the table, then every baseline."""
    levels = {
        f"{feature.name}: {level}": (feature.name, level)
        for feature in study.features
        for level in feature.levels
    }
    owners = {column: feature.name for feature in study.features for column in feature.columns}
    columns = study.transform.names
    found: list[Named] = []
    baselines: list[Named] = []
    for group in study.label.groups:
        prefix = f"{group}: " if group else ""
        for column in columns:
            _, level = levels.get(column, ("", ""))
            owner = owners.get(column, "")
            found.append(Named(prefix + column, group, column, level, owner, len(found)))
        for feature in study.features:
            for level in feature.levels[:1]:
                column = f"{feature.name}: {level}"
                baselines.append(Named(prefix + column, group, column, level, feature.name, None))
    return found + baselines


def places(study: Study, name: str, asking: str) -> tuple[int, ...]:
    """The coefficients that a name means: all of a feature, one, or a column's in every class."""
    known = everything(study)
    found = [one for one in known if name == one.feature and one.place is not None]
    found = found or [one for one in known if name == one.name]
    found = found or _of_a_column(known, name, asking) or _unknown(study, known, name, asking)
    if any(one.place is None for one in found):
        raise ConfigurationError(
            f"{asking}: {name!r} is a baseline level, from which the others are differences; "
            "it has no coefficient"
        )
    return tuple(one.place for one in found if one.place is not None)


def column_places(study: Study, name: str, asking: str) -> tuple[int | None, ...]:
    """As `places`, but a number's feature is its column alone; None stands for a baseline."""
    known = everything(study)
    found = [one for one in known if name == one.name]
    found = found or _of_a_column(known, name, asking) or _unknown(study, known, name, asking)
    return tuple(one.place for one in found)


def single(study: Study, name: str, asking: str) -> int | None:
    """The one coefficient that a name means, None for a baseline."""
    found = column_places(study, name, asking)
    if len(found) > 1 and any(place is not None for place in found):
        names = [one.name for one in everything(study) if one.place in found]
        raise ConfigurationError(f"{asking}: {name!r} may be {_listed(names)}; say which")
    return found[0]


def _of_a_column(known: Sequence[Named], name: str, asking: str) -> list[Named]:
    """Of a column's name or, where only one feature has it, a level's; in every class."""
    found = [one for one in known if name == one.column]
    found = found or [one for one in known if name == one.level]
    columns = sorted({one.column for one in found})
    if len(columns) > 1:
        raise ConfigurationError(f"{asking}: {name!r} may be {_listed(columns)}; say which")
    return found


def _unknown(study: Study, known: Sequence[Named], name: str, asking: str) -> list[Named]:
    reason = study.dropped.get(name)
    if reason is not None:
        raise ConfigurationError(f"{asking}: the study left out {name!r} ({reason})")
    words = {one.feature for one in known} | {one.name for one in known}
    words |= {one.column for one in known} | {one.level for one in known}
    folded = {word.casefold(): word for word in sorted(words) if word}
    near = [folded[match] for match in get_close_matches(str(name).casefold(), folded, n=3)]
    perhaps = f"; perhaps {_listed(near)}" if near else ""
    features = [feature.name for feature in study.features]
    raise ConfigurationError(
        f"{asking}: there is no feature, coefficient or level {name!r}{perhaps}. The features are "
        f"{_listed(features)}"
    )


def joined_name(members: Sequence[Named]) -> str:
    """Its own name; of merged levels that of the feature with all of them, else an equation."""
    first = members[0]
    alike = all((one.group, one.feature) == (first.group, first.feature) for one in members)
    if len(members) > 1 and alike and all(one.level for one in members):
        prefix = f"{first.group}: " if first.group else ""
        return f"{prefix}{first.feature}: {' or '.join(one.level for one in members)}"
    if len(members) > 1 and first.group and all(one.group == first.group for one in members):
        return f"{first.group}: {' = '.join(one.column for one in members)}"
    return " = ".join(one.name for one in members)


def is_intercept(study: Study, place: int) -> bool:
    """Whether a coefficient is that of no column."""
    names = study.transform.names
    return study.transform.intercept and names[place % len(names)] == INTERCEPT


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
