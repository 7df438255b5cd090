"""Public rows with the share that each has of every public mean.

Weights and margins become shares here and nowhere else: for the study, its plan and every fit.
"""

from dataclasses import dataclass

import numpy as np

from tacit.answers import Column, numbers
from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError, PublicRowsError
from tacit.study.calibration import calibrated
from tacit.study.margins import Margins, counted, gaps
from tacit.study.names import meant
from tacit.study.rows import Columns

# A coefficient that rests on fewer public rows than this ruins the whole fit.
MINIMUM_ROWS = 10
NO_MARGINS: Margins = {}


@dataclass(frozen=True)
class PublicRows:
    """The rows that count: what a weight or a margin leaves out is not among them.

    `shares` sum to 1. `gaps` (m, k) have a mean of 0 by their margins. `given` are the
    weights as the rows hold them. `places` says where the rows stood among those given.
    """

    table: Columns
    weights: str | None
    margins: Margins
    shares: Floats
    gaps: Floats
    given: Floats
    places: Integers

    @classmethod
    def of(
        cls,
        table: Columns,
        count: int,
        weights: str | None = None,
        margins: Margins = NO_MARGINS,
    ) -> "PublicRows":
        """Of `count` rows as given, with the column of their weights and with known margins."""
        if weights is None and not margins:
            equal, none = np.full(count, 1.0 / max(count, 1)), np.empty((count, 0))
            return cls(table, weights, margins, equal, none, np.ones(count), np.arange(count))
        # Leave out the rows that do not count.
        _require(table, weights, margins)
        given = np.ones(count) if weights is None else _row_weights(weights, table[weights])
        for name, margin in margins.items():
            given = given * counted(margin, table[name])
        places = np.flatnonzero(given)
        if len(places) == 0:
            raise PublicRowsError(f"{_told(weights, margins)} leave no public row that counts")
        table, given = {name: values[places] for name, values in table.items()}, given[places]
        # Scale the weights to shares, and tilt these until the margins are met.
        apart = {name: gaps(name, margin, table[name]) for name, margin in margins.items()}
        shares = given / given.max()
        shares = calibrated(shares / shares.sum(), apart)
        _refuse_extreme(shares, _told(weights, margins))
        together = np.concatenate([np.empty((len(given), 0)), *apart.values()], axis=1)
        return cls(table, weights, margins, shares, together, given, places)

    @property
    def basis(self) -> Floats:
        """What unequal shares follow from, for the fingerprint: nothing where they are equal."""
        if self.weights is None and not self.margins:
            return np.empty((len(self.shares), 0))
        return np.column_stack([self.given, self.gaps])

    @property
    def worth(self) -> int:
        """As many rows of equal weight tell as much of a mean."""
        return worth(self.shares)

    @property
    def notes(self) -> tuple[str, ...]:
        """What their shares follow from, in a sentence, where they are not equal."""
        how = [f"weighted by {self.weights}"] if self.weights else []
        if self.margins:
            how.append(f"calibrated to margins of {', '.join(self.margins)}")
        told = f"Public rows {' and '.join(how)}; worth {self.worth:,} equal rows."
        return (told,) if how else ()


def worth(shares: Floats) -> int:
    """The effective number of rows with these shares."""
    return round(1.0 / float(shares @ shares))


def rows_in_words(count: int, worth: int) -> str:
    """A number of public rows, with what they are worth where that is less."""
    told = f"{count:,} public rows"
    return told if worth == count else f"{told} worth {worth:,} equal ones"


def _require(table: Columns, weights: str | None, margins: Margins) -> None:
    for what, names in (("weights", [weights] if weights else []), ("margins", list(margins))):
        absent = [name for name in names if name not in table]
        if absent:
            raise ConfigurationError(
                f"{what} name a column {absent[0]!r} that the public rows lack"
                f"{meant(absent, table)}; the study, its plan and every fit need it in their rows"
            )


def _row_weights(name: str, values: Column) -> Floats:
    number = numbers(values)
    wrong = ~(np.isfinite(number) & (number >= 0.0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise PublicRowsError(
            f"weights must be numbers from 0, got {values.tolist()[row]!r} in column {name!r} "
            f"(row {row}; {int(wrong.sum())} of {len(values)} rows); correct it, or leave the row "
            "out with 0"
        )
    return number


def _refuse_extreme(shares: Floats, told: str) -> None:
    if worth(shares) < MINIMUM_ROWS:
        raise PublicRowsError(
            f"{told} leave {len(shares):,} public rows that are worth {worth(shares)} equal ones, "
            f"with {shares.max():.0%} of all on one row; trim the largest weights, correct a "
            "margin that is far from the rows, or add rows"
        )


def _told(weights: str | None, margins: Margins) -> str:
    """What the shares of public rows follow from."""
    parts = [f"the weights {weights!r}"] if weights else []
    if margins:
        parts.append(f"the margins of {', '.join(map(repr, margins))}")
    return " and ".join(parts)
