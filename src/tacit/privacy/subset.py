"""`Subset`: some of K classes, more often with the true one (Wang et al. 2016, Ye, Barg 2018).

With one class in a report it is K-ary response. Proved: every set of `size` classes has one of two
probabilities, by whether it holds the true class, whose ratio is at most e^eps by the rounding of
one integer threshold; given the side, each set is as likely as any other, because classes are
drawn one after the other in proportion to what is still needed. Integers throughout: a class is
drawn unevenly by at most 2^-52 of its chance, all of them by 2^-39, and `UNEVEN` has room for
that. Where a class is drawn by weights first, the law is a mixture, and the bound holds for
mixtures on both sides.
A report is the place of its set among all sets: one integer, for K-ary response the class.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError
from tacit.privacy.audit.numbers import audit_numbers
from tacit.privacy.audit.outcome import Audit, Source
from tacit.privacy.draws import WORD, below, ratio_below, threshold_below
from tacit.privacy.entropy import Entropy, SeededEntropy, uniform, words
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.response import class_weights

MOST_CLASSES = 2**12
MOST_SETS = 2**53  # so that a report is an integer in every language


@dataclass(frozen=True)
class Subset:
    """Sets of `size` of `classes` classes; `threshold` of 2^64 is the chance to hold the true one.

    Randomizes weights over classes; a sure class has a weight of 1.
    """

    epsilon: float
    classes: int
    size: int
    threshold: int

    @classmethod
    def of(cls, epsilon: float, classes: int, size: int) -> "Subset":
        """The sets whose two probabilities differ by e^eps at most."""
        ratio = ratio_below(epsilon)
        if not 2 <= classes <= MOST_CLASSES:
            raise ConfigurationError(
                f"classes must be from 2 to {MOST_CLASSES}, got classes={classes}"
            )
        if not 1 <= size <= classes // 2 or math.comb(classes, size) > MOST_SETS:
            raise ConfigurationError(
                f"size must be from 1 to {classes // 2}, with at most 2^53 sets of that size "
                f"among {classes} classes, got size={size}"
            )
        return cls(epsilon, classes, size, threshold_below(ratio * Fraction(size, classes - size)))

    @classmethod
    def best(cls, epsilon: float, classes: int) -> "Subset":
        """The size that tells most about classes that are all alike common."""
        grown = float(ratio_below(epsilon))

        def error(size: int) -> float:
            rest = classes - size
            return (size * grown + rest) ** 2 / (size * rest)

        sizes = range(1, max(classes // 2, 1) + 1)
        return cls.of(
            epsilon, classes, min((s for s in sizes if _countable(classes, s)), key=error)
        )

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon, for the class."""
        return Guarantee(self.epsilon)

    @property
    def kept(self) -> float:
        """The chance that a report holds the true class."""
        return self.threshold / WORD

    @property
    def changed(self) -> float:
        """The chance that it holds another one."""
        return (self.size - self.kept) / (self.classes - 1)

    @property
    def noise(self) -> float:
        """The largest variance of a coordinate: at the chance nearest to a half."""
        chance = min(max(0.5, self.changed), self.kept)
        return chance * (1.0 - chance) / (self.kept - self.changed) ** 2

    @property
    def reports(self) -> range:
        """Every report there is."""
        return range(math.comb(self.classes, self.size))

    def encode(self, values: Floats) -> Floats:
        """Weights (n, K) that add up to 1. What is none counts as 0, a row of none as even."""
        return class_weights(values, self.classes)

    def randomize(self, values: Floats, entropy: Entropy) -> Integers:
        """One set for each row of weights; K + 1 words, whatever they are."""
        weights = self.encode(values)
        luck = uniform(len(weights), entropy)
        own = (luck[:, None] >= np.cumsum(weights, axis=1)[:, :-1]).sum(axis=1)
        favoured = words(len(own), entropy) < np.uint64(self.threshold)
        # the others that are in the set, each with the chance of what is needed of what is left
        others = np.empty((len(own), self.classes - 1), dtype=np.bool_)
        needed = self.size - favoured.astype(np.int64)
        for place in range(self.classes - 1):
            drawn = below(words(len(own), entropy), self.classes - 1 - place)
            others[:, place] = drawn < needed
            needed -= others[:, place]
        return self._rank(_with_own(others, own, favoured))

    def members(self, reports: Integers) -> NDArray[np.bool_]:
        """Which classes (n, K) are in the sets."""
        rank = np.array(reports, dtype=np.int64)
        order = np.full(len(rank), self.size)
        found = np.zeros((len(rank), self.classes), dtype=np.bool_)
        for place in range(self.classes - 1, -1, -1):
            before = self._sets[place, order]
            found[:, place] = (order > 0) & (rank >= before)
            rank -= np.where(found[:, place], before, 0)
            order -= found[:, place]
        return found

    def value(self, reports: Integers) -> Floats:
        """Unbiased weights (n, K): large coordinates for the classes in the set."""
        centred = self.members(reports) - self.changed
        return np.asarray(centred / (self.kept - self.changed), dtype=np.float64)

    def chances(self, reports: Integers, inputs: Floats) -> Floats:
        """How likely (n, k) each of k inputs makes each report, but for a factor of the report."""
        ratio = self.kept / (1.0 - self.kept) * (self.classes - self.size) / self.size
        return np.asarray(1.0 + (ratio - 1.0) * (self.members(reports) @ self.encode(inputs).T))

    def sample(self, values: Floats, generator: np.random.Generator) -> Floats:
        """Values of reports as devices draw them. Simulation only."""
        return self.value(self.randomize(values, SeededEntropy(generator)))

    def audit(self, source: Source, claimed: Guarantee | None = None) -> Audit:
        """Try to refute epsilon by reports of two classes: do they hold the first alone?"""
        first, second = np.eye(self.classes)[:2]

        def told_apart(reports: Integers) -> NDArray[np.bool_]:
            held = self.members(reports)
            return np.asarray(held[:, 0] & ~held[:, 1])

        return audit_numbers(self, claimed or self.guarantee, source, (first, second), told_apart)

    @cached_property
    def _sets(self) -> Integers:
        """Entry (j, c): how many sets of c there are among the first j classes."""
        counts = [[math.comb(j, c) for c in range(self.size + 1)] for j in range(self.classes)]
        return np.array(counts, dtype=np.int64)

    def _rank(self, members: NDArray[np.bool_]) -> Integers:
        """The place of each set: sets are sorted by their last class, then the one before."""
        order = np.cumsum(members, axis=1)
        before = self._sets[np.arange(self.classes), order]
        return np.asarray((before * members).sum(axis=1), dtype=np.int64)


def _countable(classes: int, size: int) -> bool:
    return math.comb(classes, size) <= MOST_SETS


def _with_own(
    others: NDArray[np.bool_], own: Integers, favoured: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """All classes in their places: the other ones, and each person's own between them."""
    places = np.arange(others.shape[1] + 1)
    padded = np.concatenate([others, np.zeros((len(others), 1), dtype=np.bool_)], axis=1)
    later = np.concatenate([padded[:, -1:], others], axis=1)
    members = np.where(places < own[:, None], padded, later)
    return np.where(places == own[:, None], favoured[:, None], members)
