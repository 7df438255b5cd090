"""Known rows: features that the organiser has in the clear, as design columns."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tacit.answers import is_missing
from tacit.arrays import Floats
from tacit.errors import ConfigurationError, PublicRowsError
from tacit.limits import LARGEST
from tacit.study.build import Settled, check_public, settle, stated_features
from tacit.study.checks import require_names
from tacit.study.public import PublicRows
from tacit.study.rows import Columns, columns, length
from tacit.study.schema import Feature, column_names
from tacit.study.transform import columns_of

if TYPE_CHECKING:
    from tacit.labelprivate.study import LabelStudy


@dataclass(frozen=True)
class KnownColumns:
    """Design columns (n, q) by name, and what was filled on the way, in words."""

    names: tuple[str, ...]
    values: Floats
    notes: tuple[str, ...]


def settle_known(
    rows: Any, features: Iterable[Feature | str] | None, not_features: Collection[str]
) -> Settled:
    """Kinds, levels and fills as the rows have them."""
    table = columns(rows)
    if features is None:
        features = [name for name in table if name not in not_features]
    stated = stated_features(features, table, "")
    require_names([feature.name for feature in stated], table)
    with _called_known():
        settled = settle(stated, PublicRows.of(table, length(table)))
    settled.notes = list(map(_known, settled.notes))
    settled.dropped = {name: _known(why) for name, why in settled.dropped.items()}
    return settled


def read_known(study: "LabelStudy", rows: Any) -> KnownColumns:
    """The design columns of rows; unreadable values raise, missing ones are filled and noted."""
    table = columns(rows, study.feature_names or None)
    if len(table) < len(study.features):
        require_names(study.feature_names, columns(rows))
    count = length(table)
    if not table and isinstance(rows, Sequence):  # rows of a study without features
        count = len(rows)
    return known_columns(study, table, count)


def known_columns(study: "LabelStudy", table: Columns, count: int) -> KnownColumns:
    """The same of columns by name."""
    parts, notes = [np.empty((count, 0))], []
    given = PublicRows.of(table, count)
    for feature in study.features:
        with _called_known():
            check_public(feature, given)
        _refuse_unfilled(feature, table)
        # known numbers are not wild, however far they lie
        part, replaced = columns_of(
            msgspec.structs.replace(feature, spread=LARGEST), table[feature.name]
        )
        parts.append(part)
        if replaced.any():
            notes.append(_filled(feature, int(replaced.sum()), count))
    return KnownColumns(column_names(study.features), np.hstack(parts), tuple(notes))


def _refuse_unfilled(feature: Feature, table: Columns) -> None:
    missing = is_missing(table[feature.name])
    if feature.kind == "numeric" and feature.spread == 0.0 and missing.any():
        raise ConfigurationError(
            f"{feature.name!r} is missing in {int(missing.sum())} of {len(missing)} known rows, "
            f"and the study states no fill for it; leave these rows out, or let "
            "LabelStudy.from_rows settle the features"
        )


def _filled(feature: Feature, replaced: int, count: int) -> str:
    if feature.kind == "categorical":
        stand_in = f"the baseline {feature.levels[0]!r} or 'other'"
    elif feature.kind == "binary":
        stand_in = "yes" if feature.fill else "no"
    else:
        stand_in = f"{feature.fill:g}"
    return (
        f"{feature.name}: missing or unreadable in {replaced:,} of {count:,} known rows; "
        f"counted as {stand_in}."
    )


@contextmanager
def _called_known() -> Iterator[None]:
    """Rules of public rows hold for known ones, under their own name."""
    try:
        yield
    except PublicRowsError as error:
        raise PublicRowsError(_known(str(error))) from error


def _known(words: str) -> str:
    return words.replace("public rows", "known rows")
