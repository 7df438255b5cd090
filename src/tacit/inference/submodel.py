"""Fewer coefficients from the same tally: dropped, merged or tied, and what each stands for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tacit.answers import level as text_of
from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.inference.names import column_places, everything, is_intercept, joined_name, places
from tacit.inference.terms import Terms
from tacit.study import Feature, Study

Groups = Iterable[Sequence[str]]


@dataclass
class _Wishes:
    """Which of the study's coefficients are to be zero, which equal, and the words for it."""

    study: Study
    zero: set[int] = field(default_factory=set)
    equal: list[set[int]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def drop(self, name: str) -> None:
        """All coefficients of this name are zero."""
        self._claim(places(self.study, name, "drop"), name)
        self.zero.update(places(self.study, name, "drop"))
        self.words.append(name)

    def merge(self, name: str, levels: Sequence[str]) -> None:
        """These levels of a feature are one; with the baseline among them they are zero."""
        feature = _categorical(self.study, name)
        columns = [_column_of(feature, level) for level in _several(levels, "merge")]
        self._join([column_places(self.study, column, "merge") for column in columns], columns)
        self.words.append(f"{name}: {' or '.join(map(str, levels))} as one")

    def tie(self, names: Sequence[str]) -> None:
        """These coefficients are equal."""
        found = [column_places(self.study, name, "tie") for name in _several(names, "tie")]
        if len(set(map(len, found))) > 1:
            raise ConfigurationError(
                f"tie: {list(names)} names columns of all classes and single coefficients; name "
                "only the one or the other"
            )
        self._join(found, names)
        self.words.append(" = ".join(names))

    def _join(self, found: Sequence[tuple[int | None, ...]], names: Sequence[str]) -> None:
        """Class by class."""
        for together in zip(*found, strict=True):
            kept = [place for place in together if place is not None]
            self._claim(kept, " and ".join(map(str, names)))
            if len(kept) < len(together):
                self.zero.update(kept)
            else:
                self.equal.append(set(kept))

    def _claim(self, found: Sequence[int], name: str) -> None:
        claimed = self.zero.union(*self.equal)
        if claimed.intersection(found) or len(set(found)) < len(found):
            raise ConfigurationError(
                f"a submodel can drop, merge or tie a coefficient once, got {name!r} twice"
            )
        if any(is_intercept(self.study, place) for place in found):
            raise ConfigurationError(
                "the intercept can be neither dropped nor tied: it is the rate that all else is "
                "compared with. A study without one is made with intercept=False"
            )


def fewer_terms(
    study: Study, terms: Terms, drop: Iterable[str], merge: Mapping[str, Groups], tie: Groups
) -> tuple[Terms, str]:
    """What is left of these terms, and in words what went."""
    wishes = _Wishes(study)
    for name in _names(drop, "drop"):
        wishes.drop(name)
    for feature, groups in merge.items():
        for levels in groups:
            wishes.merge(feature, levels)
    for names in tie:
        wishes.tie(names)
    left = _left(terms, wishes)
    if len(left) == len(terms.members):
        raise ConfigurationError(
            "a submodel needs something to drop, merge or tie that is in the fit, got "
            f"drop={drop!r}, merge={merge!r}, tie={tie!r}"
        )
    if not left:
        raise ConfigurationError(f"nothing is left of the model with drop={drop!r}")
    known = everything(study)
    names = tuple(joined_name([known[place] for place in term]) for term in left)
    return Terms(names, left), "; ".join(wishes.words)


def restrictions(fewer: Terms, terms: Terms, count: int) -> Floats:
    """Rows of the study's `count` coefficients that are zero in the one and free in the other."""
    kept = {place: first for first, *others in fewer.members for place in (first, *others)}
    rows = []
    for first in terms.firsts:
        if kept.get(first) == first:
            continue
        row = np.zeros(count)
        row[first] = 1.0
        if first in kept:
            row[kept[first]] = -1.0
        rows.append(row)
    return np.array(rows)


def _left(terms: Terms, wishes: _Wishes) -> tuple[tuple[int, ...], ...]:
    """The terms with some gone and some joined; the order is that of the first member."""
    term_of = terms.of_place
    gone = {term_of[place] for place in wishes.zero if place in term_of}
    joined: list[set[int]] = [{term} for term in range(len(terms.members))]
    for equal in wishes.equal:
        met = {term_of[place] for place in equal if place in term_of}
        if len({place for place in equal if place in term_of}) < len(equal):
            gone |= met  # equal to one that was dropped before
        together: set[int] = set().union(*(one for one in joined if one & met))
        joined = [one for one in joined if not one & met] + [together]
    kept = [
        tuple(sorted(place for term in one for place in terms.members[term]))
        for one in joined
        if one and not one & gone
    ]
    return tuple(sorted(kept))


def _categorical(study: Study, name: str) -> Feature:
    for feature in study.features:
        if feature.name == name and feature.levels:
            return feature
    known = [feature.name for feature in study.features if feature.levels]
    raise ConfigurationError(
        f"merge: {name!r} is no feature with levels; those are {', '.join(map(repr, known)) or '-'}"
    )


def _column_of(feature: Feature, level: object) -> str:
    if text_of(level) not in feature.levels:
        raise ConfigurationError(
            f"merge: {feature.name!r} has no level {level!r}; its levels are "
            f"{', '.join(map(repr, feature.levels))}"
        )
    return f"{feature.name}: {text_of(level)}"


def _several(names: Sequence[str], asking: str) -> Sequence[str]:
    if isinstance(names, str) or len(names) < 2:
        raise ConfigurationError(
            f"{asking} takes groups of at least two names, such as "
            '{"marital": [["separated", "divorced"]]} for merge and [["x1", "x2"]] for tie, got '
            f"the group {names!r}"
        )
    return names


def _names(names: Iterable[str], asking: str) -> list[str]:
    if isinstance(names, str):
        raise ConfigurationError(
            f"{asking} takes a list of names, got {names!r}; write [{names!r}]"
        )
    return list(names)
