"""DPIHT: Algorithm 3, sparsity-constrained empirical risk with a trusted server.

Assumed: a server that everybody trusts holds the rows; (eps, delta) covers what it publishes,
here all T noisy gradients. Neighbours: one person's record replaced, n unchanged.
Server. Each person's gradient is clipped to length G (erratum 12 (P): the paper supposes a
Lipschitz constant that unbounded features do not have). One person moves the sum of one round by
2 G at most, and all T rounds together, each chosen after the ones before, by 2 G sqrt(T): a single
Gaussian release of dimension T p. Clipped gradients are rounded to the noise's grid before they
are added, so sums and noise are integers and the exact curve applies to what is published.
Proved there: excess risk k* log(p) log(n) log(1/delta) / (n eps)^2 for restricted strongly
convex and smooth losses.
"""

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.base import BaseEstimator

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError, LabelError
from tacit.papers.common import (
    Allowance,
    Calibration,
    check_positive,
    check_whole,
    shortened,
)
from tacit.papers.faces import further_rows, generator_of, rows_and_labels
from tacit.papers.iht.problem import truncate
from tacit.privacy.entropy import Entropy, SeededEntropy, SystemEntropy
from tacit.privacy.gaussian import GaussianMechanism

_AGAINST = "everyone but the trusted server, which sees every record"
# "for some constant c": with 8 the printed variance is the classical formula for 2 G sqrt(T) / n,
# but for ln(1.25/delta) in place of ln(1/delta). `guarantee_` says what it gives.
_PRINTED_CONSTANT = 8.0
_CHUNK = 1 << 18  # numbers of a chunk of gradients


@dataclass(frozen=True)
class SmoothLoss:
    """A loss by its gradients: `gradients(w, X, y)` (n, p), one row for each person.

    `labels` lists the labels it knows (None: any number); `predict` turns <w, x> into a label.
    """

    name: str
    gradients: Callable[[Floats, Floats, Floats], Floats]
    labels: tuple[float, ...] | None = None
    predict: Callable[[Floats], Floats] | None = None


def logistic_loss() -> SmoothLoss:
    """log(1 + exp(-y <w, x>)) for labels -1 and 1, as in the paper's experiments."""
    return SmoothLoss("logistic", _logistic_gradients, (-1.0, 1.0), _sign)


def squared_loss() -> SmoothLoss:
    """(<w, x> - y)^2 / 2."""
    return SmoothLoss("squared", _squared_gradients)


def central_mechanism(
    dimension: int, iterations: int, gradient_bound: float, allowance: Allowance
) -> GaussianMechanism:
    """The noise of all rounds together: on sums, so n times the paper's sigma."""
    variance = _PRINTED_CONSTANT * iterations * math.log(1.0 / allowance.delta)
    return allowance.noise(
        dimension * iterations,
        sensitivity=2.0 * gradient_bound * math.sqrt(iterations),
        printed_sigma=gradient_bound * math.sqrt(variance) / allowance.epsilon,
    )


@dataclass(frozen=True)
class TrustedServer:
    """Publishes noisy sums of clipped gradients; `mechanism` is the share of one round."""

    loss: SmoothLoss
    gradient_bound: float
    mechanism: GaussianMechanism

    @classmethod
    def of(
        cls, loss: SmoothLoss, gradient_bound: float, dimension: int, joint: GaussianMechanism
    ) -> "TrustedServer":
        """One of the rounds that `joint`, from `central_mechanism`, answers for together."""
        share = GaussianMechanism(dimension, 2.0 * gradient_bound, joint.sigma)
        return cls(loss, gradient_bound, share)

    def clipped(self, w: Floats, X: Floats, y: Floats) -> Floats:
        """Each person's gradient (n, p), no longer than G; what is no number is zero."""
        with np.errstate(all="ignore"):
            return shortened(self.loss.gradients(w, X, y), self.gradient_bound)

    def exact_sum(self, w: Floats, X: Floats, y: Floats) -> Integers:
        """The sum of clipped gradients in steps of the grid: integers, so nothing is rounded."""
        total = np.zeros(X.shape[1], dtype=np.int64)
        size = max(1, _CHUNK // X.shape[1])
        for start in range(0, len(X), size):
            part = slice(start, start + size)
            steps = self.clipped(w, X[part], y[part]) / self.mechanism.step
            total += np.rint(steps).astype(np.int64).sum(axis=0)
        return total

    def noisy_sum(self, w: Floats, X: Floats, y: Floats, entropy: Entropy) -> Floats:
        """What is published in one round."""
        exact = self.mechanism.value(self.exact_sum(w, X, y))
        return self.mechanism.value(self.mechanism.randomize(exact, entropy))


@dataclass(eq=False, repr=False)
class DPIHT(BaseEstimator):
    """Gradient descent with noise and truncation: the server sees all, the world sees `coef_`.

    `sparsity` is k, `iterations` T, `gradient_bound` G, `l2` the paper's lambda; `loss` is
    logistic (None), or any SmoothLoss. Choose G and `step` (1/(2 l_s) in the paper) from what is
    public. With `random_state=None` the noise comes from the operating system and the answer may
    be published; with a seed it is a simulation, and `guarantee_` says so.
    """

    epsilon: float = 1.0
    _: KW_ONLY
    delta: float = 1e-6
    sparsity: int = 1
    iterations: int = 50
    step: float = 1.0
    gradient_bound: float = 1.0
    l2: float = 1e-3
    loss: SmoothLoss | None = None
    calibration: Calibration = "exact"
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike) -> "DPIHT":
        """Run all T rounds on the rows."""
        rows, labels = rows_and_labels(self, X, y)
        keep = check_whole("sparsity", self.sparsity, 1, rows.shape[1])
        self.loss_ = self._checked_loss(labels)
        server = self._server(rows.shape[1])
        entropy = self._entropy()
        self.coef_ = np.zeros(rows.shape[1])
        for _ in range(self.iterations):
            total = server.noisy_sum(self.coef_, rows, labels, entropy)
            self.coef_ = step_from(self.coef_, total / len(rows), self.step, keep, l2=self.l2)
        self.guarantee_ = self._allowance.achieved(
            self.mechanism_.curve, simulated=self.random_state is not None, against=_AGAINST
        )
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """<w, x> of each row."""
        return np.asarray(further_rows(self, X) @ self.coef_)

    def predict(self, X: ArrayLike) -> Floats:
        """The label that the loss reads off <w, x>."""
        scores = self.decision_function(X)
        return scores if self.loss_.predict is None else self.loss_.predict(scores)

    @property
    def _allowance(self) -> Allowance:
        return Allowance(self.epsilon, self.delta, self.calibration)

    def _server(self, dimension: int) -> TrustedServer:
        check_whole("iterations", self.iterations, 1)
        check_positive("gradient_bound", self.gradient_bound)
        check_positive("step", self.step)
        if not (math.isfinite(self.l2) and self.l2 >= 0):
            raise ConfigurationError(f"l2 must be finite and not negative, got l2={self.l2}")
        self.mechanism_ = central_mechanism(
            dimension, self.iterations, self.gradient_bound, self._allowance
        )
        return TrustedServer.of(self.loss_, self.gradient_bound, dimension, self.mechanism_)

    def _checked_loss(self, labels: Floats) -> SmoothLoss:
        loss = logistic_loss() if self.loss is None else self.loss
        if not isinstance(loss, SmoothLoss):
            raise ConfigurationError(f"loss must be a SmoothLoss or None, got loss={loss!r}")
        if loss.labels is not None and not np.isin(labels, loss.labels).all():
            raise LabelError(
                f"the {loss.name} loss knows the labels {loss.labels}, and y holds others; "
                "code them so"
            )
        return loss

    def _entropy(self) -> Entropy:
        if self.random_state is None:
            return SystemEntropy()
        return SeededEntropy(int(generator_of(self.random_state).integers(2**63)))


def step_from(w: Floats, gradient: Floats, step: float, keep: int, *, l2: float) -> Floats:
    """The next iterate: descend and truncate. The l2 term is nobody's, and needs no noise."""
    return truncate(w - step * (gradient + l2 * w), keep)


def _logistic_gradients(w: Floats, X: Floats, y: Floats) -> Floats:
    return np.asarray(X * (-y * special.expit(-y * (X @ w)))[:, None])


def _squared_gradients(w: Floats, X: Floats, y: Floats) -> Floats:
    return np.asarray(X * (X @ w - y)[:, None])


def _sign(scores: Floats) -> Floats:
    return np.where(scores >= 0, 1.0, -1.0)
