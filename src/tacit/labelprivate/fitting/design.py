"""Known rows as a fit uses them: independent columns of unit size, and the way back."""

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.errors import PublicRowsError
from tacit.labelprivate.known import KnownColumns
from tacit.study.transform import INTERCEPT

_ROUNDING = 1e-12  # spread of a column, relative to its size, that is rounding error
_NULL_VARIANCE = 1e-8  # of a column of unit size, given the earlier ones


@dataclass(frozen=True)
class LabelDesign:
    """Rows `z` (n, p), and `original` with coefficients = original @ weights of z.

    `names` are those of the coefficients, `dropped` says which columns have none, and why.
    """

    z: Floats
    names: tuple[str, ...]
    original: Floats
    dropped: dict[str, str]

    @classmethod
    def of(cls, columns: KnownColumns, intercept: bool) -> "LabelDesign":
        """Centred where there is an intercept; what is constant or collinear is dropped."""
        values = columns.values
        center = values.mean(axis=0) if intercept else np.zeros(values.shape[1])
        scale = np.sqrt(((values - center) ** 2).mean(axis=0))
        constant = scale <= _ROUNDING * np.abs(values).max(axis=0, initial=0.0)
        standard = (values - center) / np.where(constant, 1.0, scale)
        moments = standard.T @ standard / len(values)
        kept = [j for j in _independent(moments) if not constant[j]]
        dropped = {
            name: "constant in these rows" if constant[j] else "collinear with earlier columns"
            for j, name in enumerate(columns.names)
            if j not in kept
        }
        if not kept and not intercept:
            raise PublicRowsError("no column of the known rows varies, and there is no intercept")
        back = np.diag(1.0 / scale[kept])
        z, names = standard[:, kept], tuple(columns.names[j] for j in kept)
        if intercept:
            first = np.concatenate([[1.0], -center[kept] / scale[kept]])
            back = np.vstack([first, np.column_stack([np.zeros(len(kept)), back])])
            z, names = np.column_stack([np.ones(len(values)), z]), (INTERCEPT, *names)
        return cls(np.ascontiguousarray(z), names, back, dropped)


def _independent(moments: Floats) -> list[int]:
    """Columns with variance of their own given the earlier ones."""
    left, kept = moments.copy(), []
    for j in range(len(left)):
        if left[j, j] > _NULL_VARIANCE:
            kept.append(j)
            left -= np.outer(left[:, j], left[j]) / left[j, j]
    return kept
