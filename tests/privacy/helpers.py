"""Numbers and samples that several tests of the privacy folder share."""

import math

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import SeededEntropy

TAG = bytes(range(16))
STANDARD_ERRORS = 7.0
FALSE_ALARM = 1e-9  # of a test by distribution (Kolmogorov–Smirnov, chi-square)
ULP = float(np.finfo(float).eps)


def random_seeds(count: int, seed: int = 0) -> NDArray[np.uint8]:
    """Seeds (count, 16) as a device would draw them."""
    drawn = np.frombuffer(SeededEntropy(seed).draw(16 * count), dtype=np.uint8)
    return drawn.reshape(count, 16)


def random_units(count: int, dimension: int, seed: int = 0) -> NDArray[np.float64]:
    """Unit vectors (count, dimension) in directions of no particular kind."""
    vectors = np.random.default_rng(seed).standard_normal((count, dimension))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def rate_error(rate: float, count: int) -> float:
    """The standard error of a frequency."""
    return math.sqrt(rate * (1 - rate) / count)


def ks_limit(*counts: int) -> float:
    """The distance that one or two empirical laws exceed with probability FALSE_ALARM at most."""
    effective = 1 / sum(1 / count for count in counts)
    return math.sqrt(-math.log(FALSE_ALARM / 2) / 2 / effective)
