"""The server: unbiased gradients of smoothed losses, from reports alone.

t_j multiplies j copies of its own, so E t_j = theta^j for the number theta that each copy
estimates, and c_0 + c_1 t_1 + ... + c_d t_d has mean P_d(theta). Copy 0 carries the direction.

Proved (Theorem 10, with its constants): given the record, the t_j are independent, each factor has
a mean of at most 1 in size and a variance of at most v, and so E(sum c_j t_j)^2 is at most
max P_d^2 + sum c_j^2 ((1 + v)^j - 1). `noise` is the root of that, times the root of E|copy 0|^2.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.papers.chebyshev.device import Copies
from tacit.papers.chebyshev.mixture import Mixture
from tacit.papers.chebyshev.series import Series


def powers(factors: Floats) -> Floats:
    """t_0 = 1 and t_j, the product of factors j(j-1)/2 + 1, ..., j(j+1)/2: (n, K) to (n, d + 1)."""
    count = factors.shape[1]
    starts = [j * (j - 1) // 2 for j in range(1, count + 1) if j * (j - 1) // 2 < count]
    products = np.multiply.reduceat(factors, starts, axis=1)
    return np.hstack([np.ones((len(factors), 1)), products])


def second_moment(series: Series, variance: float) -> float:
    """The largest E(sum c_j t_j)^2, when factors have this variance."""
    c, j = series.coefficients, np.arange(series.degree + 1)
    return float(series.peak**2 + c**2 @ ((1.0 + variance) ** j - 1.0))


def margins(sent: Copies, w: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Estimates of y<w,x>, one for each copy (n, K), and of y x, from copy 0 (n, p).

    Of residuals: of (<w,x> - y)/2, and of x.
    """
    first, copies = sent.read(values)
    if sent.kind == "product":
        return copies @ w, first
    labels, scores = copies[:, :, -1], copies[:, :, :-1] @ w
    if sent.kind == "residual":
        return (scores - labels) / 2.0, first
    return labels * scores, first[:, -1:] * first[:, :-1]


def _margin_variance(sent: Copies) -> float:
    """Of one estimate of y<w,x> or (<w,x> - y)/2, |w| <= 1, at its largest."""
    if sent.kind == "product":
        return sent.noise**2
    if sent.kind == "residual":
        return sent.noise**2 / 2.0
    return (1.0 + sent.noise**2) ** 2 - 1.0


def _direction_moment(sent: Copies) -> float:
    """E|copy 0's y x or x|^2 at its largest."""
    length = 1.0 + sent.features * sent.noise_of_first**2
    return length * (1.0 + sent.noise_of_first**2) if sent.kind == "separate" else length


@dataclass(frozen=True)
class MarginOracle:
    """Algorithm 1: G = (sum c_j t_j) y_0 x_0, P_d the series of f'_beta.

    Remark 15, |<w,x> - y|, by the same method: factors (<w, x_k> - y_k)/2, direction x_0, and P_d
    the series of the smoothed sign.
    """

    sent: Copies
    series: Series
    beta: float

    @property
    def smoothness(self) -> float:
        """Half of what Lemma 9 says: f_beta'' is at most 1/(2 beta).

        The smoothed sign has slope 1/beta, at an argument that moves half as fast.
        """
        return 0.5 / self.beta

    @property
    def noise(self) -> float:
        """A bound on the root mean square of one gradient."""
        moment = second_moment(self.series, _margin_variance(self.sent))
        return math.sqrt(moment * _direction_moment(self.sent))

    def gradient(self, w: Floats, values: Floats) -> Floats:
        """The mean over these reports."""
        factors, direction = margins(self.sent, w, values)
        return np.asarray(powers(factors) @ self.series.coefficients @ direction / len(values))


@dataclass(frozen=True)
class ConvexOracle:
    """Algorithm 2: G = ((f'(1) - f'(-1)) sum c_j t_j + f'(-1)) y_0 x_0, P_d the series of h'_beta.

    The factors are (y_k <w, x_k> - s)/2 with s from Lemma 13.
    """

    sent: Copies
    series: Series
    beta: float
    mixture: Mixture
    generator: np.random.Generator
    printed: bool = False

    @property
    def smoothness(self) -> float:
        """h_beta'' is at most 1/(2 beta), and its argument moves half as fast as the margin."""
        return self.mixture.width / (4.0 * self.beta)

    @property
    def noise(self) -> float:
        """A bound on the root mean square of one gradient."""
        moment = second_moment(self.series, _margin_variance(self.sent) / 4.0)
        size = self.mixture.width * math.sqrt(moment) + abs(self.mixture.low)
        return size * math.sqrt(_direction_moment(self.sent))

    def gradient(self, w: Floats, values: Floats) -> Floats:
        """The mean over these reports."""
        factors, direction = margins(self.sent, w, values)
        # Erratum 6 (E). The paper draws s_k anew for every factor: the product then has mean
        # ((theta - E s)/2)^j, not E((theta - s)/2)^j. One s for all factors of a step.
        fresh = factors.shape[1] if self.printed else 1
        s = self.mixture.sample(self.generator, (len(values), fresh))
        slopes = self.mixture.width * (powers((factors - s) / 2.0) @ self.series.coefficients)
        if self.printed:
            # Erratum 7 (E). f'(-1) belongs to the slope; printed, the number is added to a vector.
            return np.asarray(slopes @ direction / len(values) + self.mixture.low)
        return np.asarray((slopes + self.mixture.low) @ direction / len(values))


@dataclass(frozen=True)
class MedianOracle:
    """Algorithm 3: G = C u (sum c_j t_j - 1/2), u uniform on the sphere, factors <u, w - x_k>/2."""

    sent: Copies
    series: Series
    beta: float
    generator: np.random.Generator
    printed: bool = False

    @property
    def constant(self) -> float:
        """C with |x| = C E|<u, x>|."""
        # Erratum 8 (E). Lemma 16 and Algorithm 3 print C p/(p-1); Theorem 17 has it right.
        p = self.sent.features
        return printed_constant(p) if self.printed else sphere_constant(p)

    @property
    def smoothness(self) -> float:
        """h_beta'' is at most 1/(2 beta), the argument moves by <u, .>/2, and E u u' is I/p."""
        return self.constant / (4.0 * self.beta * self.sent.features)

    @property
    def noise(self) -> float:
        """A bound on the root mean square of one gradient."""
        centred = self.series.coefficients.copy()
        centred[0] -= 0.5
        moment = second_moment(Series(centred, self.series.error), self.sent.noise**2 / 4.0)
        return self.constant * math.sqrt(moment)

    def gradient(self, w: Floats, values: Floats) -> Floats:
        """The mean over these reports."""
        _, copies = self.sent.read(values)
        away = w - copies
        if self.printed:
            return self._printed_gradient(away)
        u = uniform_directions(self.generator, (len(values), self.sent.features))
        factors = np.einsum("nkp,np->nk", away, u) / 2.0
        slopes = powers(factors) @ self.series.coefficients - 0.5
        return np.asarray(self.constant * slopes @ u / len(values))

    def _printed_gradient(self, away: Floats) -> Floats:
        """Erratum 6 (E): u_0 is independent of every u_k, so the mean is zero whatever the data.

        The printed sum starts at j = 1 but still subtracts 1/2 = c_0: noise, of mean zero too.
        """
        u = uniform_directions(self.generator, away.shape)
        u_0 = uniform_directions(self.generator, (len(away), away.shape[2]))
        factors = np.einsum("nkp,nkp->nk", away, u) / 2.0
        slopes = powers(factors)[:, 1:] @ self.series.coefficients[1:] - 0.5
        return np.asarray(self.constant * slopes @ u_0 / len(away))


# A loss's gradient from reports, how smooth it is, and a bound on its root mean square.
Oracle = MarginOracle | ConvexOracle | MedianOracle


def sphere_constant(p: int) -> float:
    """C = sqrt(pi) Gamma((p+1)/2)/Gamma(p/2): |x| = C E|<u, x>| for u uniform on the sphere."""
    log_ratio = special.gammaln((p + 1) / 2.0) - special.gammaln(p / 2.0)
    return float(math.sqrt(math.pi) * math.exp(log_ratio))


def printed_constant(p: int) -> float:
    """The constant of Lemma 16 as printed, sqrt(pi) p Gamma((p-1)/2)/(2 Gamma(p/2))."""
    return sphere_constant(p) * p / (p - 1) if p > 1 else math.inf


def uniform_directions(generator: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Independent uniform unit vectors along the last axis."""
    normal = generator.standard_normal(shape)
    return np.asarray(normal / np.linalg.norm(normal, axis=-1, keepdims=True))
