"""The exact law of a mechanism, from its own code: words are handed out, and reports read.

A report depends on its words through whole intervals of them. Their ends are found by bisection
on the code itself, so that no threshold is taken from the mechanism or computed again here.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats, Integers
from tacit.privacy import Mechanism

WORD = 2**64
LAST = WORD - 1
Law = dict[int, Fraction]
Words = NDArray[np.uint64]  # of people, one for each call of the entropy
Interval = tuple[int, int]  # from, and up to but without

_POWERS = [2**k for k in range(64)]
_SPREAD = [k * (WORD // 256) for k in range(256)]
_GRID = np.array(
    sorted({0, LAST, *_SPREAD, *_POWERS, *(WORD - power for power in _POWERS)}), dtype=np.uint64
)


class Script:
    """Entropy that hands out chosen words (people, calls), call by call."""

    def __init__(self, rows: Words) -> None:
        self._calls = iter(rows.T)

    def draw(self, count: int) -> bytes:
        """The next call's words, which must be as many as asked for."""
        drawn = next(self._calls)
        assert count == 8 * len(drawn)
        return bytes(drawn.astype("<u8"))


class Recorder:
    """Entropy that counts its calls."""

    calls = 0

    def draw(self, count: int) -> bytes:
        """Zeros."""
        self.calls += 1
        return bytes(count)


def calls_of(mechanism: Mechanism, value: Floats) -> int:
    """How many words one report takes."""
    recorder = Recorder()
    mechanism.randomize(value[None], recorder)
    return recorder.calls


def reports(mechanism: Mechanism, value: Floats, rows: Words) -> Integers:
    """What people with this value send, given each one's words."""
    return mechanism.randomize(np.repeat(value[None], len(rows), axis=0), Script(rows))


def intervals(
    mechanism: Mechanism,
    value: Floats,
    call: int,
    contexts: Iterable[Sequence[int]],
    hints: Iterable[int] = (),
) -> list[Interval]:
    """The intervals of one call's words within which no report changes, in any context.

    `hints` are words where a change is likely, which spares a search.
    """
    ends, near = {0, WORD}, set(hints)
    for context in contexts:
        whole = np.array(context, dtype=np.uint64)

        def read(words: Words, whole: Words = whole) -> Integers:
            rows = np.tile(whole, (len(words), 1))
            rows[:, call] = words
            return reports(mechanism, value, rows)

        ends.update(_changes(read, near | ends))
    return list(itertools.pairwise(sorted(ends)))


def _changes(read: Callable[[Words], Integers], near: set[int]) -> list[int]:
    """The words at which the report is another than at the word before."""
    known = {word for end in near for word in (end - 1, end) if 0 <= word < WORD}
    grid = np.unique(np.concatenate([_GRID, np.array(sorted(known), dtype=np.uint64)]))
    seen = read(grid)
    at = np.flatnonzero(seen[1:] != seen[:-1])
    low, high, left = grid[at], grid[at + 1], seen[at]
    while (high - low > 1).any():
        middle = low + (high - low) // np.uint64(2)
        stays = read(middle) == left
        low, high = np.where(stays, middle, low), np.where(stays, high, middle)
    return [int(word) for word in high]


def law_of(mechanism: Mechanism, value: Floats) -> Law:
    """The exact chance of every report of a value, where a report takes a few words."""
    calls = calls_of(mechanism, value)
    contexts = list(itertools.product([0, LAST], repeat=calls))
    parts = [intervals(mechanism, value, call, contexts) for call in range(calls)]
    return _summed(mechanism, value, itertools.product(*parts))


def law_of_coins(mechanism: Mechanism, value: Floats) -> Law:
    """The same where all calls but the first and the last three toss coins until one fails.

    What is tossed after a coin that failed must not matter: it is tried with both faces.
    """
    calls = calls_of(mechanism, value)
    ends = list(itertools.product([0, LAST], repeat=3))
    first = intervals(mechanism, value, 0, [[0] * calls, [LAST] * calls])
    tosses: list[list[Interval]] = []
    for coin in range(1, calls - 3):
        # a coin decides only where all before it went on, and most where all after it fail
        chain = [0] * coin + [LAST] * (calls - 3 - coin)
        likely = {end for toss in tosses for interval in toss for end in interval}
        tosses.append(intervals(mechanism, value, coin, ([*chain, *end] for end in ends), likely))
    reached = [0, LAST] + [LAST] * (calls - 5)
    last = [
        intervals(mechanism, value, calls - 3 + k, ([*reached, *end] for end in ends))
        for k in range(3)
    ]
    laws = [_summed(mechanism, value, _chains(first, tosses, last, tail)) for tail in (0, LAST)]
    assert laws[0] == laws[1]
    return laws[0]


def _chains(
    first: list[Interval], tosses: list[list[Interval]], last: list[list[Interval]], tail: int
) -> Iterable[tuple[Interval | int, ...]]:
    """So many coins that go on, one that does not, and others that do not matter."""
    deciding = [toss for toss in tosses if len(toss) > 1]
    assert all(len(toss) == 2 for toss in deciding)
    assert deciding == tosses[: len(deciding)]
    for lasting in range(len(deciding) + 1):
        on = [toss[0] for toss in deciding[:lasting]]
        off = [toss[1] for toss in deciding[lasting : lasting + 1]]
        rest = [tail] * (len(tosses) - len(on) - len(off))
        for start in first:
            for end in itertools.product(*last):
                yield (start, *on, *off, *rest, *end)


def _summed(
    mechanism: Mechanism, value: Floats, cells: Iterable[tuple[Interval | int, ...]]
) -> Law:
    """Chances of reports over boxes of words; a single word stands for all and costs nothing."""
    boxes = list(cells)
    starts = [[part if isinstance(part, int) else part[0] for part in box] for box in boxes]
    rows = np.array(starts, dtype=np.uint64)
    law: Law = {}
    for report, box in zip(reports(mechanism, value, rows).tolist(), boxes, strict=True):
        sizes = [part[1] - part[0] for part in box if not isinstance(part, int)]
        chance = Fraction(math.prod(sizes), WORD ** len(sizes))
        law[report] = law.get(report, Fraction(0)) + chance
    assert sum(law.values()) == 1
    return law


def worst_ratio(laws: Sequence[Law]) -> Fraction:
    """How much likelier one value can make a report than another; they must share all reports."""
    assert len({frozenset(law) for law in laws}) == 1
    columns = ([law[report] for law in laws] for report in laws[0])
    return max(max(column) / min(column) for column in columns)


def moments(mechanism: Mechanism, law: Law) -> tuple[Floats, Floats]:
    """Mean and variance of the values of reports, coordinate by coordinate."""
    values = mechanism.value(np.array(list(law))).reshape(len(law), -1)
    chances = np.array([float(chance) for chance in law.values()])
    mean = chances @ values
    return mean, chances @ (values - mean) ** 2
