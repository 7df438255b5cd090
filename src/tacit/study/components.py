"""Public rows as components of unit variance, and fewer rows that say the same."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats

MOST_ROWS = 10_000
_PER_COMPONENT = 10  # then a row that is one of ten to have a level is always kept
_FIRST = 0.381966  # no simple fraction: chances that add up to one never end on a boundary


@dataclass(frozen=True)
class Components:
    """Rows (m, p) of components, the constant first if there is an intercept.

    The `share` of each row is its part of the means that are taken. `coefficients` (q, p) makes
    those of the `columns`, each in units of its public standard deviation, from those of the
    components. `spectrum` holds the variances of the components before they became 1. `held` is
    the intercept's part of the squared length of z, or empty: no purpose changes it.
    """

    columns: tuple[str, ...]
    rows: Floats
    share: Floats
    coefficients: Floats
    spectrum: Floats
    held: Floats

    @property
    def room(self) -> float:
        """The part of the squared length of z that is not the intercept's."""
        return float(1.0 - self.held.sum())

    def thinned(self, wanted: int) -> "Components":
        """Fewer rows that stand for all of them."""
        squares = np.einsum("mp,mp->m", self.rows, self.rows)
        kept, share = thin(squares, self.share, wanted, self.rows.shape[1])
        return replace(self, rows=self.rows[kept], share=share)


def thin(
    squares: Floats, share: Floats, wanted: int, components: int
) -> tuple[NDArray[np.intp], Floats]:
    """Rows to keep, given their squared lengths, and shares that make up for those left out.

    A row is kept with a chance in proportion to its leverage, its part in the second moments of
    the components: rows that alone carry a rare level are all kept, common ones stand for many.
    Rows are taken evenly along the cumulated chances: nothing is random.
    """
    leverage = share * squares
    some = np.flatnonzero(leverage > 0.0)  # a row of zeros has no direction and says nothing
    wanted = max(wanted, _PER_COMPONENT * components)
    if wanted >= len(some):
        return some, share[some]
    chance = _capped(leverage[some], wanted)
    steps = np.floor(np.cumsum(chance) - _FIRST)
    kept = np.diff(steps, prepend=np.floor(-_FIRST)) > 0
    return some[kept], share[some[kept]] / chance[kept]


def _capped(leverage: Floats, wanted: int) -> Floats:
    """Chances up to 1 that are in proportion to the leverage below that, and sum to `wanted`."""
    chance = leverage * (wanted / leverage.sum())
    while chance.max() > 1.0:
        sure = chance >= 1.0
        rest = leverage[~sure].sum()
        chance = np.where(sure, 1.0, leverage * ((wanted - sure.sum()) / rest))
    return np.asarray(chance)
