"""Where randomness comes from. It is always an argument, never a global.

Devices get `SystemEntropy`. `SeededEntropy` repeats itself and is for simulation and tests only.
"""

import secrets
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats

Words = NDArray[np.uint64]


class Entropy(Protocol):
    """A source of uniformly random bytes."""

    def draw(self, count: int) -> bytes:
        """Return `count` fresh random bytes, or raise: never fewer, never predictable ones."""
        ...


class SystemEntropy:
    """The operating system's generator, unbuffered: a forked process never repeats its parent."""

    def draw(self, count: int) -> bytes:
        """Bytes from the system; where it has none the error passes on and nothing is sent."""
        return secrets.token_bytes(count)


class SeededEntropy:
    """Reproducible bytes for simulation. Whoever knows the seed undoes the privacy."""

    def __init__(self, seed: int | np.random.Generator) -> None:
        self._generator = np.random.default_rng(seed)

    def draw(self, count: int) -> bytes:
        """Bytes that the seed determines."""
        return self._generator.bytes(count)


def words(count: int, entropy: Entropy) -> Words:
    """Uniform 64-bit words."""
    return np.frombuffer(entropy.draw(8 * count), dtype="<u8")


def uniform(count: int, entropy: Entropy) -> Floats:
    """Uniform multiples of 2^-53 in [0, 1)."""
    return (words(count, entropy) >> np.uint64(11)).astype(np.float64) * 2.0**-53
