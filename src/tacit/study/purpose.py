"""What a study is for: its words and its checks."""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ConfigurationError
from tacit.study.names import meant, quoted
from tacit.study.schema import Feature

if TYPE_CHECKING:
    from tacit.study.study import Study

COEFFICIENTS, PREDICTIONS = PURPOSES = ("coefficients", "predictions")


def checked_purpose(purpose: Any, focus: Any, people: int | None) -> tuple[str, tuple[str, ...]]:
    """A purpose that has what its geometry needs; a focus may be one name."""
    names = [focus] if isinstance(focus, str) else list(focus)
    focus = tuple(dict.fromkeys(str(name) for name in names))
    if purpose not in PURPOSES:
        raise ConfigurationError(
            f"purpose must be 'coefficients' (for tables with intervals) or 'predictions', "
            f"got purpose={purpose!r}"
        )
    if purpose == PREDICTIONS and people is None:
        raise ConfigurationError(
            "purpose='predictions' needs people=, the number of people you expect: with few of "
            "them reports are best spent on what varies most, with many on everything"
        )
    if purpose == PREDICTIONS and focus:
        raise ConfigurationError(
            f"focus={list(focus)} names coefficients, but the study is for predictions; "
            "leave focus out or use purpose='coefficients'"
        )
    return purpose, focus


def focused(
    focus: Sequence[str],
    features: Iterable[Feature],
    columns: Sequence[str],
    dropped: Collection[str] = (),
) -> NDArray[np.intp]:
    """Places among the columns of what a focus names: coefficients, or features with all levels.

    The column that says where a feature is missing is meant only by its own name.
    """
    of_features = {
        feature.name: [c for c in _own_columns(feature) if c in columns] for feature in features
    }
    found: set[str] = set()
    for name in focus:
        named = of_features.get(name) or [column for column in columns if column == name]
        if not named:
            raise ConfigurationError(_unknown(name, [*of_features, *columns], dropped))
        found.update(named)
    return np.flatnonzero([column in found for column in columns])


def _own_columns(feature: Feature) -> tuple[str, ...]:
    return feature.columns[:-1] if feature.indicator else feature.columns


def _unknown(name: str, known: list[str], dropped: Collection[str]) -> str:
    if name in dropped:
        return f"focus names {name!r}, which the public rows do not support: it was dropped"
    return (
        f"focus names {name!r}, which is neither a feature nor a coefficient of the study"
        f"{meant([name], known)}; it has {quoted(dict.fromkeys(known))}"
    )


def in_words(study: "Study") -> str:
    """One sentence: what the study was made for, and for how many people."""
    if study.purpose == PREDICTIONS:
        return f"Made to predict {study.label.column} from the reports of {study.people:,} people."
    of_whom = "" if study.people is None else f", from the reports of {study.people:,} people"
    if not study.focus:
        return f"Made to measure every coefficient alike{of_whom}."
    return f"Made to measure above all {quoted(study.focus)}, then the other coefficients{of_whom}."
