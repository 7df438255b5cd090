"""The table of coefficients in words: what a reader must know stands under it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.inference.intervals import Table
from tacit.inference.prior import SAFETY
from tacit.inference.tabular import Column, Tabular

_LISTED = 12

HOW = {
    "profile": "Intervals are profile likelihood. On all but the coefficient asked about lies a "
    "weak prior of total variance {variance:g} (in squared units of the predictor), {safety:g} "
    "times what the reports themselves suggest.",
    "flat": "Intervals are profile likelihood without any prior.",
    "wald": "Intervals are the maximum-likelihood estimate and its standard error.",
}
RAW = (
    "`raw rows`: the standard error that the people's rows themselves would have given. The rest "
    "is the price of privacy, and of public rows in place of theirs."
)


class Summary(Tabular):
    """Coefficients with standard errors, intervals, z and p values, beside those of raw rows."""


def summarised(title: str, names: Sequence[str], table: Table, notes: Sequence[str]) -> Summary:
    """The table of these coefficients under a title."""
    percent = f"{100 * table.level:g}% interval"
    columns = (
        Column("name", "coefficient"),
        Column("coef", "estimate", ".5g"),
        Column("se", "std. error"),
        Column("low", percent, until="high"),
        Column("z", "z", ".2f"),
        Column("p", "p", ".2g"),
        Column("raw_se", "raw rows"),
    )
    known = not bool(np.isnan(table.raw).all())
    told = [
        *endless(names, table),
        how(table),
        *([RAW] if known else []),
        many("coefficients", len(names), table.level),
        *notes,
    ]
    shown = columns if known else columns[:-1]
    return Summary(title, shown, tuple(entries(names, table)), tuple(told))


def entries(names: Sequence[str], table: Table) -> list[dict[str, Any]]:
    """One plain dictionary per coefficient."""
    listed = zip(
        names,
        *(
            column.tolist()
            for column in (
                table.estimate,
                table.standard_errors,
                table.low,
                table.high,
                table.z,
                table.p,
                table.raw,
            )
        ),
        strict=True,
    )
    return [
        {
            "name": name,
            "coef": coef,
            "se": error,
            "low": low,
            "high": high,
            "z": z,
            "p": p,
            "raw_se": raw,
        }
        for name, coef, error, low, high, z, p, raw in listed
    ]


def endless(names: Sequence[str], table: Table) -> list[str]:
    """Which coefficients have an interval without an end, and why."""
    below, above = np.isinf(table.low), np.isinf(table.high)
    told = []
    for which, what in (
        (below & ~above, "no lower end"),
        (above & ~below, "no upper end"),
        (below & above, "no end on either side"),
    ):
        found = [name for name, so in zip(names, which, strict=True) if so]
        if found:
            told.append(
                f"The interval has {what} for {listed(found)}: the reports do not rule out any "
                "effect there. More people, fewer features or merged levels would."
            )
    return told


def how(table: Table) -> str:
    """How the intervals were made."""
    variance = 0.0 if table.signal is None else SAFETY * table.signal
    return HOW[table.intervals].format(variance=variance, safety=SAFETY)


def many(what: str, count: int, level: float) -> str:
    """What p values mean when there are several."""
    return (
        f"Of {count} {what} that are all zero, {count * (1.0 - level):.2g} would be expected "
        "outside their interval: do not pick the smallest p and call it found."
    )


def listed(names: Sequence[str]) -> str:
    """The first dozen, and how many more."""
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")
