"""Which reports of a study are stored already: a set of fingerprints in memory.

A random primary key in the database would dirty a page of its own for every report; this set takes
13 to 27 bytes a report (40 while it moves to a larger table) and looks up thousands at once.
"""

import mmap
import secrets

import numpy as np
from numpy.typing import NDArray

from tacit.study.report import Seeds

Fingerprints = NDArray[np.uint64]
Slots = NDArray[np.intp]

_FEWEST_BITS = 12
_FULLEST = 0.6
_MOVED_AT_LEAST = 2**14  # slots: so that no addition waits for a whole table to be moved
_MOVED_PER_ADDITION = 4  # more than 1 / 0.6: one move is over long before the next begins
_PIECE = 2**14
_PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
_HALF_WORD = np.uint64(32)


class ReportSet:
    """Seeds by 64-bit fingerprints, in a table that grows by doubling and moves piece by piece.

    The fingerprint is multilinear in the seed's four words under a key drawn for this set: two
    seeds, however chosen, share one with probability 2^-64, and nobody outside can aim for it.
    """

    def __init__(self, expected: int = 0) -> None:
        self._multipliers = _random_words(8).reshape(4, 2)
        self._offsets = _random_words(2)
        self._count = 0
        self._table = SlotTable(_bits_for(expected))
        self._old: SlotTable | None = None
        self._moved = 0

    @property
    def moving(self) -> bool:
        """Whether some of it is still to be moved to the larger table."""
        return self._old is not None

    def contains(self, seeds: Seeds) -> NDArray[np.bool_]:
        """Which of the seeds (n, 16) were added."""
        wanted = self._fingerprints(seeds)
        found = self._table.contains(wanted)
        return found if self._old is None else found | self._old.contains(wanted)

    def prepare(self, seeds: Seeds) -> Fingerprints:
        """What `note` wants of seeds that are not there yet, and the memory it will need."""
        self.reserve(len(seeds))
        return self._fingerprints(seeds)

    def reserve(self, more: int) -> None:
        """Make the table large enough for so many."""
        bits = _bits_for(self._count + more)
        if bits > self._table.bits:
            if self._old is not None:
                self._move(len(self._old.slots))
            self._old, self._moved, self._table = self._table, 0, SlotTable(bits)

    def add(self, seeds: Seeds) -> None:
        """Remember seeds that are not there yet."""
        self.note(self.prepare(seeds))

    def note(self, prepared: Fingerprints) -> None:
        """Remember what was prepared, a piece at a time: this hardly takes memory any more."""
        for start in range(0, len(prepared), _PIECE):
            self._table.place(prepared[start : start + _PIECE])
        self._count += len(prepared)
        for _ in range(0, max(_MOVED_AT_LEAST, _MOVED_PER_ADDITION * len(prepared)), _PIECE):
            self._move(_PIECE)

    def _move(self, slots: int) -> None:
        """The next slots of the old table, which stays as it is until all have a copy."""
        if self._old is None:
            return
        end = self._moved + slots
        values = self._old.slots[self._moved : end]
        self._table.place(values[values != 0])
        self._moved = end
        if end >= len(self._old.slots):
            self._old = None

    def _fingerprints(self, seeds: Seeds) -> Fingerprints:
        words = np.ascontiguousarray(seeds).view("<u4").astype(np.uint64)
        sums = words @ self._multipliers + self._offsets
        high, low = sums[:, 0] >> _HALF_WORD, sums[:, 1] >> _HALF_WORD
        return np.maximum(high << _HALF_WORD | low, np.uint64(1))  # zero means vacant


class SlotTable:
    """A set of fingerprints other than zero, by open addressing; its user keeps it from filling.

    The n-th attempt lies n slots after the one before: this visits every slot, and runs stay short.
    """

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.slots = _zeros(1 << bits)

    def contains(self, values: Fingerprints) -> NDArray[np.bool_]:
        """Which of the values are there."""
        found = np.zeros(len(values), dtype=bool)
        pending, at = np.arange(len(values)), self._first(values)
        step = 0
        while len(pending):
            step += 1
            stored = self.slots[at]
            hit = stored == values[pending]
            found[pending[hit]] = True
            onward = ~hit & (stored != 0)
            pending, at = pending[onward], self._next(at[onward], step)
        return found

    def place(self, values: Fingerprints) -> None:
        """Each in its first vacant slot; of several that meet at one the last stays there."""
        at = self._first(values)
        step = 0
        while len(values):
            step += 1
            vacant = self.slots[at] == 0
            self.slots[at[vacant]] = values[vacant]
            displaced = self.slots[at] != values
            values, at = values[displaced], self._next(at[displaced], step)

    def _first(self, values: Fingerprints) -> Slots:
        """By the highest bits, so that values moved to a larger table go to neighbouring slots."""
        return (values >> np.uint64(64 - self.bits)).astype(np.intp)

    def _next(self, at: Slots, step: int) -> Slots:
        return (at + step) & (len(self.slots) - 1)


def _zeros(count: int) -> Fingerprints:
    """Cleared by the system page by page; numpy asks for huge pages, which stall the first use."""
    return np.frombuffer(mmap.mmap(-1, 8 * count, flags=_PRIVATE), dtype=np.uint64)


def _random_words(count: int) -> NDArray[np.uint64]:
    return np.frombuffer(secrets.token_bytes(8 * count), dtype=np.uint64)


def _bits_for(count: int) -> int:
    return max(_FEWEST_BITS, int(count / _FULLEST).bit_length())
