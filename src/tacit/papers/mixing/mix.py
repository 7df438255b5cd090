"""The shared random matrix B, of -1 and +1, as a 16-byte seed. It is public: it protects nothing.

Expansion, which every party must follow: the ChaCha20 block function with zero nonce and
key = seed (16 bytes), a number (8 bytes, little-endian), a purpose (8 bytes).
"signs": the number is the person's (0, 1, ...), the purpose `tacit.B1`; row r of the person's
column of B is +1 where bit r mod 512 of block r div 512 is set (lowest bit of lowest byte first).
"hadamard": rows of the Hadamard matrix of order N, the least power of 2 from the number of people
up, times a sign per person (purpose `tacit.S1`, first bit of block 0). The rows kept are those
whose number gives the smallest first 8 bytes of block 0 (purpose `tacit.R1`), in that order.
Either way all entries are -1 or +1, so the sensitivity is the same.
"""

import math
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.papers.common import check_choice, check_whole
from tacit.privacy.entropy import Entropy, SystemEntropy
from tacit.privacy.expand import block, words_of

Construction = Literal["signs", "hadamard"]

SEED_BYTES: Final = 16
_BITS = 512  # of one ChaCha20 block
_PEOPLE_AT_ONCE = 2048  # whose signs are expanded together: 8 MB
_NONCE = np.zeros(3, dtype=np.uint32)


@dataclass(frozen=True)
class Mixing:
    """B with `rows` rows (k in the paper) and a column per person, never held as a whole."""

    seed: bytes
    rows: int
    construction: Construction = "signs"

    def __post_init__(self) -> None:
        if len(self.seed) != SEED_BYTES:
            raise ConfigurationError(f"seed must have {SEED_BYTES} bytes, got {len(self.seed)}")
        check_whole("rows", self.rows, 1)
        check_choice("construction", self.construction, get_args(Construction))

    @classmethod
    def draw(
        cls, rows: int, construction: Construction = "signs", entropy: Entropy | None = None
    ) -> "Mixing":
        """A fresh B, drawn by the first party and sent to all."""
        return cls((entropy or SystemEntropy()).draw(SEED_BYTES), rows, construction)

    def mix(self, columns: Floats) -> Floats:
        """B D / sqrt(k) for a party's columns D (people, d_j): (rows, d_j)."""
        mixed = (
            self._mix_signs(columns) if self.construction == "signs" else self._hadamard(columns)
        )
        return mixed / math.sqrt(self.rows)

    def _mix_signs(self, columns: Floats) -> Floats:
        bits_of_rows = np.zeros((-(-self.rows // _BITS) * _BITS, columns.shape[1]))
        for start in range(0, len(columns), _PEOPLE_AT_ONCE):
            part = columns[start : start + _PEOPLE_AT_ONCE]
            people = np.arange(start, start + len(part))
            for counter in range(len(bits_of_rows) // _BITS):
                bits = self._bits(b"tacit.B1", people, counter)
                rows = slice(counter * _BITS, (counter + 1) * _BITS)
                bits_of_rows[rows] += bits.astype(np.float64).T @ part
        return np.asarray(2.0 * bits_of_rows[: self.rows] - columns.sum(axis=0))

    def _hadamard(self, columns: Floats) -> Floats:
        people = len(columns)
        order = 1 << (people - 1).bit_length()
        if self.rows > order:
            raise ConfigurationError(
                f"rows={self.rows} exceeds the {order} rows of the Hadamard matrix for "
                f"{people} people; mix fewer rows or use construction='signs'"
            )
        padded = np.zeros((order, columns.shape[1]))
        for start in range(0, people, _PEOPLE_AT_ONCE):
            part = slice(start, min(start + _PEOPLE_AT_ONCE, people))
            bits = self._bits(b"tacit.S1", np.arange(part.start, part.stop), 0)[:, :1]
            padded[part] = (2.0 * bits - 1.0) * columns[part]
        return np.asarray(_walsh_hadamard(padded)[self._kept(order)])

    def _kept(self, order: int) -> NDArray[np.int64]:
        """Which rows of the Hadamard matrix are mixed into: k of them, without repetition."""
        lot = np.empty(order, dtype=np.uint64)
        for start in range(0, order, _PEOPLE_AT_ONCE):
            numbers = np.arange(start, min(start + _PEOPLE_AT_ONCE, order))
            first = self._blocks(b"tacit.R1", numbers, 0)[:, :8]
            lot[numbers] = np.ascontiguousarray(first).view("<u8")[:, 0]
        return np.argsort(lot, kind="stable")[: self.rows]

    def _bits(self, purpose: bytes, numbers: NDArray[np.int64], counter: int) -> NDArray[np.uint8]:
        """Bits (numbers, 512) of one block for each number."""
        return np.unpackbits(self._blocks(purpose, numbers, counter), axis=1, bitorder="little")

    def _blocks(
        self, purpose: bytes, numbers: NDArray[np.int64], counter: int
    ) -> NDArray[np.uint8]:
        """Keystream bytes (numbers, 64) of one block for each number."""
        key = np.empty((8, len(numbers)), dtype=np.uint32)
        key[:4] = words_of(self.seed)[:, None]
        key[4:6] = numbers.astype("<u8").view("<u4").reshape(-1, 2).T
        key[6:] = words_of(purpose)[:, None]
        words = block(key, counter, _NONCE)
        return np.ascontiguousarray(words.T.astype("<u4")).view(np.uint8)


def _walsh_hadamard(columns: Floats) -> Floats:
    """H times the columns, in place, by n log n additions."""
    order, width = columns.shape
    half = 1
    while half < order:
        pairs = columns.reshape(-1, 2, half, width)
        difference = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] += pairs[:, 1]
        pairs[:, 1] = difference
        half *= 2
    return columns
