"""From public rows to settled features: kinds, levels, fills, indicators, and what is dropped."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from tacit.answers import LONGEST_TEXT, UNREADABLE, Column, is_missing, numbers, text
from tacit.arrays import Floats
from tacit.errors import ConfigurationError, PublicRowsError
from tacit.limits import significant
from tacit.study.public import MINIMUM_ROWS, PublicRows
from tacit.study.rows import Columns
from tacit.study.schema import OTHER, Feature, Kind
from tacit.study.transform import truth

TOO_FEW = f"fewer than {MINIMUM_ROWS} public rows"

_NAMES_SHOWN = 5


@dataclass
class Settled:
    """Features as the public rows settle them, with the story of how."""

    features: list[Feature] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    dropped: dict[str, str] = field(default_factory=dict)


def settle(features: Sequence[Feature], rows: PublicRows) -> Settled:
    """Settle what the stated features leave open: limits count rows, facts weigh them."""
    settled, shares = Settled(), rows.shares
    for stated in features:
        values = rows.table[stated.name]
        feature = _with_kind(stated, values)
        check_public(feature, rows)
        if feature.kind == "numeric":
            _settle_numeric(feature, values, shares, settled)
        elif feature.kind == "binary":
            _settle_binary(feature, values, shares, settled)
        else:
            _settle_categorical(feature, values, shares, settled)
    return settled


def _with_kind(feature: Feature, values: Column) -> Feature:
    if feature.kind != "auto":
        return feature
    kind = "categorical" if feature.levels else infer_kind(values)
    return msgspec.structs.replace(feature, kind=kind)


def infer_kind(values: Column) -> Kind:
    """Binary for 0/1 and true/false, numeric for other numbers, categorical for the rest."""
    if values.dtype.kind in "biuf":
        present = values[~is_missing(values)]
        return "binary" if np.isin(present, (0, 1)).all() else "numeric"
    present = values[~is_missing(values)]
    if {*map(text, present)} <= {"true", "false", "0", "1"}:
        return "binary"
    if any(isinstance(value, str) for value in present) or np.isnan(numbers(present)).any():
        return "categorical"
    return "numeric"


def check_public(feature: Feature, rows: PublicRows) -> None:
    """Public rows must be readable and finite; on a device such a value is replaced instead."""
    values, places = rows.table[feature.name], rows.places
    if values.dtype.kind == "O" and (values == UNREADABLE).any():
        row = places[np.argmax(values == UNREADABLE)]
        raise PublicRowsError(
            f"column {feature.name!r} of the public rows holds what is neither a number nor a text "
            f"of at most {LONGEST_TEXT:,} characters (row {row}); "
            "make it text, leave it empty, or leave the column out of features"
        )
    if values.dtype.kind != "f" and feature.kind != "numeric":
        return
    infinite = np.isinf(numbers(values))
    if infinite.any():
        raise PublicRowsError(
            f"public rows must be finite, got {float(values[infinite][0])} in column "
            f"{feature.name!r} (row {places[np.argmax(infinite)]}); correct it or leave it empty"
        )


def _settle_numeric(feature: Feature, values: Column, shares: Floats, settled: Settled) -> None:
    number = numbers(values)
    answered = ~np.isnan(number)
    present = number[answered]
    if _without_values(feature, len(present), len(number), settled):
        return
    if _differing(present) in range(1, MINIMUM_ROWS):
        settled.dropped[feature.name] = f"{TOO_FEW} differ from its commonest value"
        return
    with np.errstate(over="ignore", invalid="ignore"):
        mean, spread = _mean_and_spread(present, shares[answered])
    if not np.isfinite(spread):
        raise PublicRowsError(
            f"column {feature.name!r} of the public rows is too large to have a variance "
            f"(up to {np.abs(present).max():g}); change its unit"
        )
    fill, spread = significant(mean, spread), significant(spread)
    _keep(feature, settled, len(number) - len(present), len(number), f"the mean {fill:g}",
          fill=fill, spread=spread)  # fmt: skip


def _mean_and_spread(present: Floats, shares: Floats) -> tuple[float, float]:
    shares = shares / shares.sum()
    mean = float(present[0] + shares @ (present - present[0]))
    return mean, float(np.sqrt(shares @ (present - mean) ** 2))


def _settle_binary(feature: Feature, values: Column, shares: Floats, settled: Settled) -> None:
    answer, _ = truth(values)
    yes, no = int((answer == 1).sum()), int((answer == 0).sum())
    if _without_values(feature, yes + no, len(answer), settled):
        return
    if min(yes, no) < MINIMUM_ROWS:
        almost = f"almost constant: {TOO_FEW} answer {'yes' if yes < no else 'no'}"
        settled.dropped[feature.name] = almost if min(yes, no) else "constant"
        return
    fill = float(significant(shares[answer == 1].sum() - shares[answer == 0].sum(), 1.0) > 0.0)
    _keep(feature, settled, len(answer) - yes - no, len(answer), "yes" if fill else "no", fill=fill)


def _settle_categorical(feature: Feature, values: Column, shares: Floats, settled: Settled) -> None:
    missing = is_missing(values)
    counts, shared = _levels(values[~missing], shares[~missing])
    if _without_values(feature, counts.total(), len(values), settled):
        return
    known = feature.levels or sorted(counts, key=lambda level: (-shared[level], level))
    kept = [level for level in known if counts[level] >= MINIMUM_ROWS and level != OTHER]
    if not kept:
        settled.dropped[feature.name] = f"every level has {TOO_FEW}"
        return
    baseline, rest = kept[0], kept[1:] if feature.levels else sorted(kept[1:])
    merged = sorted({*counts, *feature.levels} - {*kept, OTHER})
    others = counts.total() - sum(counts[level] for level in kept)
    levels = (baseline, *rest, OTHER) if others >= MINIMUM_ROWS else (baseline, *rest)
    if len(levels) == 1 and missing.sum() < MINIMUM_ROWS:
        almost = f"almost constant: {TOO_FEW} differ from {baseline!r}"
        settled.dropped[feature.name] = almost if others else "constant"
        return
    _tell_merged(feature, merged, others, baseline, settled)
    _keep(feature, settled, int(missing.sum()), len(values), f"the baseline {baseline!r}",
          levels=levels, merged=tuple(merged))  # fmt: skip


def _levels(values: Column, shares: Floats) -> tuple[Counter[str], dict[str, float]]:
    """How many rows hold each level, and their share of all rows."""
    levels = [*map(text, values)]
    sums = dict.fromkeys(levels, 0.0)
    for level, share in zip(levels, shares.tolist(), strict=True):
        sums[level] += share
    return Counter(levels), {level: significant(total) for level, total in sums.items()}


def _tell_merged(
    feature: Feature, merged: list[str], others: int, baseline: str, settled: Settled
) -> None:
    name = feature.name
    if others >= MINIMUM_ROWS and merged:
        why = f"not stated, or {TOO_FEW} each" if feature.levels else f"{TOO_FEW} each"
        settled.notes.append(f"{name}: {_listed(merged)} ({why}) count as {OTHER!r}.")
    if 0 < others < MINIMUM_ROWS or (merged and not others):
        settled.dropped[f"{name}: {OTHER}"] = f"{TOO_FEW}, counted as the baseline {baseline!r}"
        rare = merged or [OTHER]
        settled.notes.append(
            f"{name}: {_listed(rare)} ({TOO_FEW} together) count as the baseline {baseline!r}."
        )


def _keep(
    feature: Feature, settled: Settled, missing: int, rows: int, stand_in: str, **found: Any
) -> None:
    """Add the feature, with an indicator if enough public rows lack a value."""
    indicator = missing >= MINIMUM_ROWS
    if missing:
        how = "with a column that says so" if indicator else f"without a column ({TOO_FEW})"
        settled.notes.append(
            f"{feature.name}: missing in {missing:,} of {rows:,} public rows; "
            f"counted as {stand_in}, {how}."
        )
    settled.features.append(
        Feature(
            feature.name,
            feature.kind,
            feature.question,
            feature.unit,
            indicator=indicator,
            **found,
        )
    )


def _without_values(feature: Feature, present: int, rows: int, settled: Settled) -> bool:
    if present == rows or present >= MINIMUM_ROWS:
        return False
    settled.dropped[feature.name] = (
        f"{TOO_FEW} have a value" if present else "missing in every public row"
    )
    return True


def _differing(present: Floats) -> int:
    """Rows that differ from the commonest value, where one value fills most of the column."""
    if len(present) < 2 * MINIMUM_ROWS:
        return 0
    return int((present != np.median(present)).sum())


def _listed(names: Iterable[str]) -> str:
    names = [repr(name) for name in names]
    more = len(names) - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def stated_features(
    features: Iterable[Feature | str] | None, table: Columns, label: str, weights: str | None = None
) -> list[Feature]:
    """The features asked for, or every public column but those of the label and the weights."""
    if features is None:
        return [Feature(name) for name in table if name not in (label, weights)]
    stated = [Feature(feature) if isinstance(feature, str) else feature for feature in features]
    names = [feature.name for feature in stated]
    if len(set(names)) < len(names):
        raise ConfigurationError(f"features must have different names, got {names}")
    for what, name in (("label", label), ("weights' column", weights)):
        if name in names:
            raise ConfigurationError(
                f"the {what} {name!r} cannot be a feature too; leave it out of features"
            )
    return stated
