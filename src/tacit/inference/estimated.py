"""Estimates with standard errors as a table, where intervals are normal ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.inference.intervals import p_values
from tacit.inference.tabular import Column, Tabular


@dataclass(frozen=True)
class Estimated:
    """Estimates with their standard errors, by name."""

    names: tuple[str, ...]
    values: Floats
    errors: Floats

    def tabular(self, title: str, head: str, level: float, notes: Sequence[str]) -> Tabular:
        """Each with its interval."""
        columns = (Column("name", head), *heads(level)[:-2])
        numbers = {key: values for key, values in self.numbers(level).items() if key not in "zp"}
        return Tabular(title, columns, entries(self.names, numbers), tuple(notes))

    def tested(self, title: str, head: str, level: float, notes: Sequence[str]) -> Tabular:
        """Each with its interval, and z and p of "this is zero"."""
        columns = (Column("name", head), *heads(level))
        return Tabular(title, columns, entries(self.names, self.numbers(level)), tuple(notes))

    def numbers(self, level: float) -> dict[str, Floats]:
        """The columns of the table, by key; an infinite estimate has no z."""
        reach = float(special.ndtri(0.5 + level / 2)) * self.errors
        z = np.where(np.isfinite(self.values), self.values, np.nan) / self.errors
        return {
            "estimate": self.values,
            "se": self.errors,
            "low": self.values - reach,
            "high": self.values + reach,
            "z": z,
            "p": p_values(z),
        }


def heads(level: float) -> tuple[Column, ...]:
    """The columns of such a table, but for the names."""
    return (
        Column("estimate", "estimate", ".5g"),
        Column("se", "std. error"),
        Column("low", f"{100 * level:g}% interval", until="high"),
        Column("z", "z", ".2f"),
        Column("p", "p", ".2g"),
    )


def entries(names: Sequence[str], numbers: Mapping[str, Floats]) -> tuple[dict[str, Any], ...]:
    """One plain dictionary per name."""
    columns = [column.tolist() for column in numbers.values()]
    return tuple(
        {"name": name, **dict(zip(numbers, values, strict=True))}
        for name, *values in zip(names, *columns, strict=True)
    )
