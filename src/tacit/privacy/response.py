"""Randomised response over K classes (Warner 1965, Kairouz et al. 2014): the class, or another.

Proved: it is a `Window` of K cells, one of them favoured, so that every report has one of two
probabilities, whose ratio is at most e^eps, whatever the class; two words each, no rejection.
Where a class is drawn by weights first, the report's law is a mixture, and the bound holds for
mixtures on both sides.
A report's value is a vector with one coordinate per class, unbiased for the weights. Whoever
codes classes by corners multiplies by those: (n, K) @ (K, K - 1).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError
from tacit.privacy.audit.numbers import audit_numbers
from tacit.privacy.audit.outcome import Audit, Source
from tacit.privacy.draws import WORD
from tacit.privacy.entropy import Entropy, SeededEntropy, uniform
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.window import Window


@dataclass(frozen=True)
class Response:
    """Randomizes weights over `classes`; a sure class has a weight of 1."""

    classes: int
    epsilon: float

    @cached_property
    def window(self) -> Window:
        """Whose threshold is the chance of the true class."""
        return Window.of(self.epsilon, self.classes, 1)

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon, for the class."""
        return Guarantee(self.epsilon)

    @property
    def kept(self) -> float:
        """The chance that a report is the true class."""
        return self.window.threshold / WORD

    @property
    def changed(self) -> float:
        """The chance of every other class."""
        return (1.0 - self.kept) / (self.classes - 1)

    @property
    def noise(self) -> float:
        """The largest variance of a coordinate: at the chance nearest to a half."""
        chance = min(max(0.5, self.changed), self.kept)
        return chance * (1.0 - chance) / (self.kept - self.changed) ** 2

    def encode(self, values: Floats) -> Floats:
        """Weights (n, K) that add up to 1. What is none counts as 0, a row of none as even."""
        return class_weights(values, self.classes)

    def randomize(self, values: Floats, entropy: Entropy) -> Integers:
        """One class, from 0, for each row of weights."""
        weights = self.encode(values)
        luck = uniform(len(weights), entropy)
        drawn = (luck[:, None] >= np.cumsum(weights, axis=1)[:, :-1]).sum(axis=1)
        return self.window.draw(drawn, entropy)

    def value(self, reports: Integers) -> Floats:
        """Unbiased weights (n, K): one large coordinate, the others below 0."""
        seen = np.asarray(reports)[:, None] == np.arange(self.classes)
        return np.asarray((seen - self.changed) / (self.kept - self.changed), dtype=np.float64)

    def sample(self, values: Floats, generator: np.random.Generator) -> Floats:
        """Values of reports as devices draw them. Simulation only."""
        return self.value(self.randomize(values, SeededEntropy(generator)))

    def audit(self, source: Source, claimed: Guarantee | None = None) -> Audit:
        """Try to refute epsilon by reports of the first two classes: is one the first?"""
        first, second = np.eye(self.classes)[:2]
        return audit_numbers(
            self, claimed or self.guarantee, source, (first, second), lambda seen: seen == 0
        )


def class_weights(values: Floats, classes: int) -> Floats:
    """Weights (n, classes) that add up to 1. What is none counts as 0, a row of none as even."""
    if np.ndim(values) != 2 or np.shape(values)[1] != classes:
        raise ConfigurationError(
            f"weights must have shape (n, {classes}), got shape {np.shape(values)}"
        )
    with np.errstate(all="ignore"):  # a caller who made these errors must not see a value
        weights = np.clip(np.nan_to_num(values, nan=0.0), 0.0, 1.0)
        total = weights.sum(axis=1, keepdims=True)
        return np.where(total > 0.0, weights / total, 1.0 / classes)
