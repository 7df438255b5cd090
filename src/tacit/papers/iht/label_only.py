"""LabelLDPIHT (Algorithm 2) and LabelLasso (section 5): public features, private labels.

Server. The private labels are unbiased, and the gradient of the squared error is linear in them:
everything after the reports is ordinary regression on noisier labels, and costs no privacy.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit.errors import ConvergenceError
from tacit.models import Family
from tacit.papers.common import (
    Calibration,
    Floats,
    achieved,
    check_positive,
    check_whole,
    generator_of,
)
from tacit.papers.iht.base import SparseRegressor
from tacit.papers.iht.label_device import LabelMechanism, LabelRandomizer
from tacit.papers.iht.problem import Problem, noise_level, truncate
from tacit.privacy.gaussian import GaussianMechanism
from tacit.privacy.guarantee import Guarantee

_PROTECTS = "the label of every person, and nothing else: features are public"
_LARGEST_ROUNDS = 10_000
_TOLERANCE = 1e-12


class _LabelRegressor(SparseRegressor):
    """Collects private labels, and says what is protected."""

    def _private_labels(self, labels: Floats) -> Floats:
        self.randomizer_ = LabelRandomizer.of(
            self.problem_.label_bound,
            self.epsilon,
            name=self.mechanism,
            calibration=self.calibration,
            delta=self.delta,
        )
        fields: dict[str, Any] = {"simulated": True, "protects": _PROTECTS}
        noise = self.randomizer_.mechanism
        if isinstance(noise, GaussianMechanism):
            self.guarantee_ = achieved(
                noise.curve, self.calibration, self.epsilon, self.delta, **fields
            )
        else:
            self.guarantee_ = Guarantee(float(self.epsilon), **fields)
        # of a private label around its mean: the noise added, and at most C of its own
        self.deviation_ = math.hypot(math.sqrt(self.randomizer_.variance), self.noise_bound)
        return self.randomizer_.simulate(labels, generator_of(self.random_state))


class LabelLDPIHT(_LabelRegressor):
    """Iterative hard thresholding on private labels.

    `mechanism`: "best" eps-private one (None means it), "two-point", "piecewise", "staircase",
    or "gaussian", as printed ("paper" calibration means it; only this one uses `delta`).
    `iterations` is T (None: log(n/p), as in the paper's experiments); `threshold=True` drops
    what noise alone would explain, for linear measurements of features of size 1.
    Other parameters as in LDPIHT. `deviation_` is the known deviation of a private label.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        delta: float = 1e-6,
        sparsity: int = 1,
        keep: int | None = None,
        iterations: int | None = None,
        step: float = 1.0,
        radius: float = 1.0,
        noise_bound: float = 1.0,
        family: Family | None = None,
        mechanism: LabelMechanism | None = None,
        threshold: bool = False,
        calibration: Calibration = "exact",
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.sparsity = sparsity
        self.keep = keep
        self.iterations = iterations
        self.step = step
        self.radius = radius
        self.noise_bound = noise_bound
        self.family = family
        self.mechanism = mechanism
        self.threshold = threshold
        self.calibration = calibration
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> "LabelLDPIHT":
        """Send every label through a simulated device, and descend on the public rows."""
        rows, labels = self._records(X, y)
        step = check_positive("step", self.step)
        self.n_iter_ = self._rounds(*rows.shape)
        private = self._private_labels(labels)
        theta = descend(self.problem_, rows, private, step, self.n_iter_)
        if self.threshold:
            level = noise_level(self.deviation_, *rows.shape)
            theta = truncate(theta, self.problem_.keep, level)
        self.coef_ = theta
        return self

    def _rounds(self, people: int, dimension: int) -> int:
        if self.iterations is not None:
            return check_whole("iterations", self.iterations, 1, _LARGEST_ROUNDS)
        return max(1, math.ceil(math.log(people / dimension)))


def descend(problem: Problem, X: Floats, y: Floats, step: float, rounds: int) -> Floats:
    """Lines 4 to 8. Labels of any size: their noise is not clipped."""
    theta = np.zeros(problem.dimension)
    for _ in range(rounds):
        # Erratum 11 (E): descent is theta + eta mean((y - <x, theta>) x); the text has lost the
        # sign in front of eta, and the minus that it lost elsewhere would ascend.
        gradient = X.T @ problem.residuals(theta, X, y) / len(X)
        theta = problem.project(theta - step * gradient)
    return theta


class LabelLasso(_LabelRegressor):
    """The Lasso on private labels, its penalty set by the known noise.

    `penalty` is lambda (None: deviation_ sqrt(2 log(p) / n), the least that noise alone does not
    exceed). `sparsity`, `radius` and `noise_bound` state the range of the labels; no coefficient
    is cut by them. `refit=True` fits the columns that were chosen again, without penalty.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        delta: float = 1e-6,
        sparsity: int = 1,
        penalty: float | None = None,
        refit: bool = False,
        radius: float = 1.0,
        noise_bound: float = 1.0,
        mechanism: LabelMechanism | None = None,
        calibration: Calibration = "exact",
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.sparsity = sparsity
        self.penalty = penalty
        self.refit = refit
        self.radius = radius
        self.noise_bound = noise_bound
        self.mechanism = mechanism
        self.calibration = calibration
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> "LabelLasso":
        """Send every label through a simulated device, and run the Lasso on the public rows."""
        rows, labels = self._records(X, y)
        if self.penalty is not None:
            check_positive("penalty", self.penalty)
        private = self._private_labels(labels)
        self.penalty_ = self.penalty or noise_level(self.deviation_, *rows.shape)
        gram, moment = rows.T @ rows / len(rows), rows.T @ private / len(rows)
        theta = lasso(gram, moment, self.penalty_)
        chosen = np.flatnonzero(theta)
        if self.refit and len(chosen):
            square = gram[np.ix_(chosen, chosen)]
            theta[chosen] = np.linalg.lstsq(square, moment[chosen], rcond=None)[0]
        self.coef_ = theta
        return self


def lasso(gram: Floats, moment: Floats, penalty: float) -> Floats:
    """The minimiser of theta' gram theta / 2 - moment' theta + penalty ||theta||_1.

    Coordinate descent; it ends when a sweep no longer moves theta.
    """
    theta = np.zeros(len(moment))
    for _ in range(_LARGEST_ROUNDS):
        largest = 0.0
        for j in np.flatnonzero(np.diag(gram) > 0):
            partial = moment[j] - gram[j] @ theta + gram[j, j] * theta[j]
            shrunk = math.copysign(max(abs(partial) - penalty, 0.0), partial) / gram[j, j]
            largest = max(largest, abs(shrunk - theta[j]))
            theta[j] = shrunk
        if largest <= _TOLERANCE * (1.0 + float(np.abs(theta).max())):
            return theta
    raise ConvergenceError(
        f"the Lasso did not settle in {_LARGEST_ROUNDS} sweeps at penalty={penalty:g}; "
        "state a larger penalty"
    )
