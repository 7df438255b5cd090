"""The trainer's half: from what the parties released to coefficients. It draws no noise.

Any column can be the label (`target`, the last one unless said otherwise); the others are the
features. All answers solve (H + ridge I) w = C, parts of the second moments over n people.
"""

import math
from collections.abc import Iterable

import numpy as np

from tacit.errors import ConfigurationError, ReportError
from tacit.papers.common import Floats
from tacit.papers.mixing.agreement import Agreement
from tacit.papers.mixing.party import Release

RIDGE = 1e-5  # added to every Hessian in the paper's experiments


def assemble(agreement: Agreement, releases: Iterable[Release]) -> Floats:
    """D^pub (rows, d + 1) in the units of the data, from one release of every party."""
    listed = list(releases)
    found = {one.party: one for one in listed}
    if len(listed) != len(found) or sorted(found) != list(range(len(agreement.ranges))):
        raise ReportError(
            f"one release of each of {len(agreement.ranges)} parties is needed, got those of "
            f"parties {sorted(one.party for one in listed)}"
        )
    return np.hstack([_values(agreement, found[party]) for party in sorted(found)])


def _values(agreement: Agreement, one: Release) -> Floats:
    expected = (agreement.released_rows, agreement.sizes[one.party])
    if np.shape(one.counts) != expected or one.counts.dtype.kind != "i":
        raise ReportError(
            f"the release of party {one.party} must be integers of shape {expected}, got "
            f"{one.counts.dtype} of shape {np.shape(one.counts)}"
        )
    return agreement.mechanism(one.party).value(one.counts) * agreement.units(one.party)


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
