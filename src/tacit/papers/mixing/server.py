"""The trainer's half: from what the parties released to coefficients. It draws no noise.

Any column can be the label (`target`, the last one unless said otherwise); the others are the
features. All answers solve (H + ridge I) w = C, parts of the second moments over n people.
"""

import math
from collections.abc import Sequence

import numpy as np

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError, ReportError
from tacit.papers.mixing.agreement import Agreement

RIDGE = 1e-5  # added to every Hessian in the paper's experiments


def assemble(agreement: Agreement, released: Sequence[Integers]) -> Floats:
    """D^pub (rows, d + 1) in the units of the data, from the release of every party in order."""
    expected = [(agreement.released_rows, size) for size in agreement.sizes]
    found = [(np.shape(one), np.asarray(one).dtype.kind) for one in released]
    if found != [(shape, "i") for shape in expected]:
        raise ReportError(
            f"one release of each of {len(expected)} parties is needed, integers of shapes "
            f"{expected}, got arrays of (shape, kind) {found}"
        )
    return np.hstack(
        [
            agreement.mechanism(party).value(one) * agreement.units(party)
            for party, one in enumerate(released)
        ]
    )


def ols(columns: Floats, *, target: int = -1, ridge: float = RIDGE) -> Floats:
    """Least squares on the data themselves: not private, for comparison."""
    return solve(np.asarray(columns.T @ columns / len(columns)), target, ridge)


def bgm(agreement: Agreement, D_pub: Floats, *, target: int = -1, ridge: float = RIDGE) -> Floats:
    """Least squares on the noisy rows: its Hessian is too large by the noise, at every n."""
    return solve(moments(agreement, D_pub), target, ridge)


def dgm(agreement: Agreement, D_pub: Floats, *, target: int = -1, ridge: float = RIDGE) -> Floats:
    """Algorithm 1: the same after subtracting the known noise, which leaves small eigenvalues."""
    return solve(moments(agreement, D_pub, debias=True), target, ridge)


def rmgm(agreement: Agreement, D_pub: Floats, *, target: int = -1, ridge: float = RIDGE) -> Floats:
    """Algorithm 2: least squares on the mixed rows, whose noise is k/n of that of BGM."""
    if agreement.mixing is None:
        raise ConfigurationError("mixing=None: RMGM needs an agreement with a mixing matrix")
    return solve(moments(agreement, D_pub), target, ridge)


def moments(agreement: Agreement, D_pub: Floats, *, debias: bool = False) -> Floats:
    """D'D / n (d + 1, d + 1) as released; debiased, its mean is that of the data themselves."""
    raw = np.asarray(D_pub.T @ D_pub / agreement.people)
    if not debias:
        return raw
    share = agreement.released_rows / agreement.people
    return np.asarray(raw - share * np.diag(agreement.noise_scales() ** 2))


def solve(second_moments: Floats, target: int, ridge: float) -> Floats:
    """w of the column `target` on the others."""
    if not (math.isfinite(ridge) and ridge >= 0):
        raise ConfigurationError(f"ridge must be finite and not negative, got ridge={ridge}")
    label = range(len(second_moments))[target]
    features = [column for column in range(len(second_moments)) if column != label]
    H = second_moments[np.ix_(features, features)] + ridge * np.eye(len(features))
    try:
        return np.asarray(np.linalg.solve(H, second_moments[features, label]))
    except np.linalg.LinAlgError as error:
        raise ConfigurationError(
            f"the Hessian is singular with ridge={ridge}: features determine each other; use a "
            f"larger ridge, such as {RIDGE:g}"
        ) from error
