"""Where randomness comes from. It is always an argument, never a global.

Devices get `SystemEntropy`. `SeededEntropy` repeats itself and is for simulation and tests only.
"""

import secrets
from typing import Protocol

import numpy as np


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
