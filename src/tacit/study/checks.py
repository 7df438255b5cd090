"""What a study refuses: wrong parameters, wrong names, and files that only look right."""

import math
import operator
import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from tacit.errors import ConfigurationError
from tacit.labels import Label
from tacit.limits import LARGEST, SMALLEST, within_limits
from tacit.privacy.mechanism import Parameters
from tacit.study.margins import Margins, checked_margins
from tacit.study.names import meant, quoted
from tacit.study.purpose import checked_purpose, focused
from tacit.study.schema import WILD, Feature, column_names
from tacit.study.transform import Transform

if TYPE_CHECKING:
    from tacit.study.study import Study

LARGEST_EPSILON = 12.0  # a device would try tens of thousands of seeds beyond this
LARGEST_SIMULATED_EPSILON = 20.0

_LARGEST_LENGTH = 1e100


def checked_epsilon(epsilon: Any, simulation: bool) -> float:
    """Epsilon as a float, in the range that devices (or simulations) accept."""
    largest = LARGEST_SIMULATED_EPSILON if simulation else LARGEST_EPSILON
    try:
        number = math.nan if isinstance(epsilon, bool | str) else float(epsilon)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0.0 < number <= largest:
        where = "in simulation" if simulation else "on devices"
        raise ConfigurationError(
            f"epsilon must be positive and at most {largest:g} {where}, got epsilon={epsilon!r}; "
            f"1 protects strongly, 4 moderately"
        )
    return number


def checked_source(source: Any) -> str:
    """Where the public rows come from, which nobody but the caller can say."""
    if not isinstance(source, str) or not source.strip():
        raise ConfigurationError(
            f"source must say where the public rows come from, got source={source!r}; the study "
            f"file publishes their means, loadings and categories, so they must be public"
        )
    return source.strip()


def checked_basis(weights: Any, margins: Any, label_column: str) -> Margins:
    """Margins in canonical order, once neither they nor the weights' name are wrong."""
    if weights is not None and not (isinstance(weights, str) and weights.strip()):
        raise ConfigurationError(
            f"weights must name a column of the public rows, got weights={weights!r}"
        )
    known = checked_margins(margins)
    for name, what in ((label_column, "label"), (weights, "weights' column")):
        if name in known or (what == "label" and name == weights):
            raise ConfigurationError(
                f"weights and margins must not name the {what} {name!r}; name other "
                "columns of the public rows"
            )
    return known


def at_least_one(name: str, value: Any) -> int:
    """A positive whole number, numpy's included."""
    try:
        number = 0 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = 0
    if not 1 <= number < 2**53:
        raise ConfigurationError(f"{name} must be a whole number from 1, got {name}={value!r}")
    return number


def checked_aim(purpose: Any, focus: Any, people: Any) -> tuple[str, tuple[str, ...], int | None]:
    """Purpose, focus and people, once they go together."""
    count = None if people is None else at_least_one("people", people)
    return (*checked_purpose(purpose, focus, count), count)


def require_names(names: Sequence[str], present: Collection[str]) -> None:
    """Refuse rows or a record that lack a feature's name."""
    absent = [name for name in names if name not in present]
    if absent:
        raise ConfigurationError(
            f"the rows have no {quoted(absent)}{meant(absent, present)}; "
            f"every feature of the study must be named, also where its value is missing"
        )


def refuse_unknown(study: "Study", names: Collection[str]) -> None:
    """Refuse names that the study neither uses nor ever saw."""
    known = {*study.feature_names, *study.dropped, study.label.column}
    unknown = [str(name) for name in names if name not in known]
    if unknown:
        raise ConfigurationError(
            f"the study has no feature {quoted(unknown)}{meant(unknown, study.feature_names)}; "
            f"its features are {quoted(study.feature_names)}"
        )


def refuse_repeated_columns(names: Sequence[str]) -> None:
    """A feature called "age missing" beside an indicator of "age" would be ambiguous."""
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ConfigurationError(
            f"two columns would both be called {quoted(sorted(repeated))}; rename a feature"
        )


def check_study(study: "Study") -> None:
    """Everything that a hand-made study with a right hash could still get wrong."""
    checked_source(study.source)
    for name in ("minimum_batch", "reports_per_person", "public_rows"):
        at_least_one(name, getattr(study, name))
    checked_epsilon(study.epsilon, study.simulation)
    check_stated(study.epsilon, study.parameters, study.transform, study.features, study.label)
    if checked_aim(study.purpose, study.focus, study.people)[1] != study.focus:
        raise ConfigurationError(f"focus names something twice: {study.focus}")
    _check_basis(study)
    _check_columns(study)
    _check_reach(study)
    if not re.fullmatch("[0-9a-f]{64}", study.fingerprint):
        raise ConfigurationError(f"fingerprint must be a hash, got {study.fingerprint!r}")


def check_feature(feature: Feature) -> None:
    """Refuse a feature that is not settled, or whose numbers are out of proportion."""
    if not (within_limits([feature.fill, feature.spread]) and feature.spread >= 0.0):
        raise ConfigurationError(
            f"fill and spread of {feature.name!r} must be 0 or of a size from {SMALLEST:g} to "
            f"{LARGEST:g}, got {feature.fill} and {feature.spread}; change its unit"
        )
    fits = {
        "numeric": not feature.levels,
        "binary": not feature.levels and feature.fill in (0.0, 1.0),
        "categorical": len(feature.levels) > 0,
    }
    if not fits.get(feature.kind, False):
        raise ConfigurationError(f"feature {feature.name!r} is not settled: kind {feature.kind!r}")


def _check_basis(study: "Study") -> None:
    known = checked_basis(study.weights, study.margins, study.label.column)
    if study.weights in study.feature_names or [*known] != [*study.margins]:
        raise ConfigurationError("weights are a feature too, or margins are not in order")
    if at_least_one("effective_rows", study.effective_rows) > study.public_rows:
        raise ConfigurationError(
            f"effective_rows must not exceed the {study.public_rows} public rows, got "
            f"{study.effective_rows}"
        )


def _check_columns(study: "Study") -> None:
    found = column_names(study.features)
    refuse_repeated_columns([*study.feature_names, study.label.column])
    refuse_repeated_columns(found)
    kept = found if study.kept is None else tuple(found[place] for place in study.kept)
    if kept != study.transform.columns:
        raise ConfigurationError("the columns of the transform are not those of the features")
    focused(study.focus, study.features, kept)
    if study.public_rows <= len(kept):
        raise ConfigurationError(
            f"public_rows must exceed the {len(kept)} columns, got {study.public_rows}"
        )


def _check_reach(study: "Study") -> None:
    """No answer may drive z out of the range of floats: what follows would depend on it."""
    reach = [abs(f.fill) + WILD * f.spread + 1.0 for f in study.features for _ in f.columns]
    column = dict(zip(column_names(study.features), reach, strict=True))
    transform = study.transform
    largest = [
        column[name] + abs(c) for name, c in zip(transform.columns, transform.center, strict=True)
    ]
    for row in transform.matrix:
        if not math.hypot(*(a * b for a, b in zip(row, largest, strict=True))) < _LARGEST_LENGTH:
            raise ConfigurationError("the matrix of the transform is out of proportion")


@lru_cache(maxsize=64)
def check_stated(
    epsilon: float,
    parameters: Parameters,
    transform: Transform,
    features: tuple[Feature, ...],
    label: Label,
) -> None:
    """What a device computes with; parameters are stated for other languages, and derived again."""
    for feature in features:
        check_feature(feature)
    transform.check()
    parameters.check(transform.dimension * (label.class_count - 1), epsilon)
