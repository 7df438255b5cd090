"""GLMs with Gaussian features and no public rows at all: pure eps, one 16-byte report.

Same identity as Algorithm 1, w = c w_ols. For x ~ N(0, Sigma) the predictions <x, w_ols> are
N(0, s^2) with s^2 = w_ols' Sigma w_ols = w_ols' E[xy], so 1 = c E[Phi''(c s N)] is a
one-dimensional integral: nothing is left for public rows to tell. The moments x x' and
k x (y - midpoint) (the midpoint changes nothing: E x = 0) go through the sphere mechanism: they
are divided by their largest length, and one more coordinate completes them to a unit vector.
Assumed: mean-zero Gaussian features (a different law gives a wrong scale, and nothing collected
can tell), a stated radius or largest eigenvalue of Sigma, no intercept.
"""

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.arrays import Seeds
from tacit.errors import ConfigurationError, ConvergenceError, LabelError
from tacit.families import Family
from tacit.papers.common import check_budget, check_positive, generator_of
from tacit.papers.stein.links import LOSSES, named
from tacit.papers.stein.moments import Floats, Moments, record
from tacit.papers.stein.server import Collected, least_squares
from tacit.privacy import Entropy, Guarantee, Sphere, SystemEntropy
from tacit.privacy.expand import SCALE, quantised_sums
from tacit.study.checks import LARGEST_EPSILON

_SHORTENED = 1e-3  # share of people whose features are clipped, at most
_CHUNK = 4096
_NODES = np.linspace(-12.0, 12.0, 4801)
_NODE_WEIGHTS = np.exp(-(_NODES**2) / 2.0)
_NEEDS_RADIUS = (
    "state radius, the length beyond which features are shortened, or spectral_norm, the largest "
    "eigenvalue of their covariance; got radius=None and spectral_norm=None"
)


@dataclass(frozen=True)
class SphereProtocol:
    """What a device must know: the range of records, and the sphere mechanism for them."""

    features: int
    radius: float
    low: float
    high: float
    epsilon: float

    @cached_property
    def moments(self) -> Moments:
        """Moments of x and of the label about the middle of its range."""
        half = (self.high - self.low) / 2.0
        return Moments(self.features, "gaussian", self.radius, half, self.radius / half)

    @cached_property
    def sphere(self) -> Sphere:
        """The mechanism, one dimension more than the moments have."""
        return Sphere.best(self.moments.dimension + 1, self.epsilon, self.tag)

    @cached_property
    def tag(self) -> bytes:
        """Sets this collection's expansion apart from every other's."""
        stated = (self.features, self.radius, self.low, self.high, self.epsilon)
        return hashlib.sha256(repr(stated).encode()).digest()[:16]

    def encode(self, X: Floats, y: Floats) -> Floats:
        """Unit vectors (n, dimension) of n records."""
        moments, middle = self.moments, (self.low + self.high) / 2.0
        with np.errstate(all="ignore"):
            vectors = moments.encode(X, y - middle) / moments.longest
            rest = np.maximum(0.0, 1.0 - np.einsum("nd,nd->n", vectors, vectors))
        return np.column_stack([vectors, np.sqrt(rest)])

    def report(self, x: Any, y: Any, entropy: Entropy | None = None) -> bytes:
        """One device's report: 16 bytes, whatever the record holds."""
        if self.epsilon > LARGEST_EPSILON:
            raise ConfigurationError(
                f"devices accept epsilon up to {LARGEST_EPSILON:g}, got epsilon={self.epsilon}"
            )
        vector = self.encode(*record(x, y, self.features))
        return self.sphere.randomize(vector, entropy or SystemEntropy()).tobytes()

    def mean(self, seeds: Seeds) -> Floats:
        """Unbiased mean of the moments from reports (n, 16), summed as integers."""
        sphere = self.sphere
        sums = quantised_sums(seeds, self.tag, sphere.dimension) / SCALE
        return self._unbiased(sums, len(seeds), sphere)

    def simulate_mean(self, X: Floats, y: Floats, generator: np.random.Generator) -> Floats:
        """`mean` over n simulated devices, drawn from the same law."""
        sphere = self.sphere
        sums = np.zeros(sphere.dimension)
        for start in range(0, len(X), _CHUNK):
            part = slice(start, start + _CHUNK)
            sums += sphere.points(self.encode(X[part], y[part]), generator).sum(axis=0)
        return self._unbiased(sums, len(X), sphere)

    def _unbiased(self, sums: Floats, people: int, sphere: Sphere) -> Floats:
        return sums[:-1] * (self.moments.longest / sphere.mean_length / people)


class GaussianDesignGLM(RegressorMixin, BaseEstimator):
    """A GLM for Gaussian features without public rows; `solve(family)` answers further losses.

    `radius` or `spectral_norm` must be stated; labels lie in `label_range`.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        family: str | Family = "logistic",
        radius: float | None = None,
        spectral_norm: float | None = None,
        label_range: tuple[float, float] = (0.0, 1.0),
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.family = family
        self.radius = radius
        self.spectral_norm = spectral_norm
        self.label_range = label_range
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def protocol(self, features: int) -> SphereProtocol:
        """What devices are told before anything is collected; it holds their half."""
        check_budget(self.epsilon)
        low, high = self.label_range
        if not (math.isfinite(high - low) and low < high):
            raise ConfigurationError(
                f"label_range must be (low, high), low < high, got label_range={self.label_range!r}"
            )
        radius = self._checked_radius(features)
        return SphereProtocol(features, radius, float(low), float(high), self.epsilon)

    def collect(self, X: ArrayLike, y: ArrayLike) -> "GaussianDesignGLM":
        """Every row of X sends its report once; what they leave serves every `solve`."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        X, y = np.asarray(X), np.asarray(y, dtype=np.float64)
        protocol = self.protocol(X.shape[1])
        _check_labels(y, protocol.low, protocol.high)
        mean = protocol.simulate_mean(X, y, generator_of(self.random_state))
        self.protocol_, self.collected_ = protocol, read_moments(protocol, mean)
        self.ols_ = self.collected_.ols
        self.guarantee_ = Guarantee(self.epsilon, simulated=True)
        return self

    def solve(self, family: str | Family | None = None) -> Floats:
        """Coefficients for another loss from the same reports; costs no privacy."""
        check_is_fitted(self, "collected_")
        return self.collected_.solve(self._family(family))[1]

    def fit(self, X: ArrayLike, y: ArrayLike) -> "GaussianDesignGLM":
        """Collect, and solve for the family the estimator was made with."""
        family = self._family(None)
        self.collect(X, y)
        self.scale_, self.coef_ = self.collected_.solve(family)
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """The mean label of each row."""
        check_is_fitted(self, "coef_")
        rows = np.asarray(validate_data(self, X, reset=False, dtype=np.float64))
        return np.asarray(self._family(None).predicted(rows @ self.coef_))

    def _family(self, family: str | Family | None) -> Family:
        wanted = self.family if family is None else family
        return wanted if isinstance(wanted, Family) else named(wanted, "family", LOSSES)

    def _checked_radius(self, features: int) -> float:
        """Stated, or so that ||x||^2 <= ||Sigma|| chi^2_p lies inside for all but a few."""
        if self.radius is not None:
            return check_positive("radius", self.radius)
        if self.spectral_norm is None:
            raise ConfigurationError(_NEEDS_RADIUS)
        largest = check_positive("spectral_norm", self.spectral_norm)
        return math.sqrt(largest * float(special.chdtri(features, _SHORTENED)))


def _check_labels(y: Floats, low: float, high: float) -> None:
    outside = (y < low) | (y > high)
    if outside.any():
        raise LabelError(
            f"labels must lie between {low:g} and {high:g}, got {y[outside][0]!r} "
            f"({int(outside.sum())} of {len(y)} rows); correct the rows or label_range"
        )


def read_moments(protocol: SphereProtocol, mean: Floats) -> Collected:
    """Server side: least squares, and the law of its predictions as nodes of an integral."""
    gram, cross = protocol.moments.decode(mean)
    ols = least_squares(gram, cross)
    variance = float(ols @ cross)
    if not variance > 0:
        raise ConvergenceError(
            f"the predictions of least squares have variance {variance:.3g}: privacy noise has "
            f"swamped the covariance; use more people, a larger epsilon or a smaller radius"
        )
    return Collected(gram, cross, ols, math.sqrt(variance) * _NODES, _NODE_WEIGHTS)
