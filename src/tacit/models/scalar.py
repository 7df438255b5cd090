"""Labels with one predictor: yes or no, counts, numbers in a range."""

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.models.family import Family


@dataclass(frozen=True)
class ScalarModel:
    """The corner is +1 or -1, with mean (f - midpoint) / half width for a label from low to high.

    A binary label is a number from 0 to 1, whose mean is the probability of the positive class.
    `own` says that the family is the user's, so that no name stands for it.
    """

    family: Family
    low: float
    high: float
    binary: bool
    own: bool = False
    width: int = 1

    @property
    def name(self) -> str:
        """The family's name."""
        return self.family.name

    @property
    def unit(self) -> float:
        """A large step of the predictor."""
        return self.family.unit

    @property
    def origin(self) -> float:
        """The predictor from which iterations start."""
        return self.family.origin

    @property
    def scores(self) -> Floats:
        """Matrix from predictors to what decides: here the one predictor."""
        return np.ones((1, 1))

    @property
    def contrasts(self) -> Floats:
        """Matrix (c, k) from predictors to those whose coefficients a table shows."""
        return np.ones((1, 1))

    def mean(self, predictor: Floats) -> Floats:
        """Expected corner, (m, 1)."""
        middle, half = (self.high + self.low) / 2, (self.high - self.low) / 2
        return (self.family.mean(predictor) - middle) / half

    def slope(self, predictor: Floats) -> Floats:
        """Derivative of the expected corner, (m, 1, 1)."""
        return self.family.slope(predictor)[:, :, None] / ((self.high - self.low) / 2)

    def second(self, predictor: Floats) -> Floats:
        """The square of -1 or +1."""
        return np.ones((*predictor.shape, 1))

    def information(self, predictor: Floats) -> Floats | None:
        """Fisher information (m, 1, 1) of the label itself about its predictor, if known."""
        if self.binary:
            mean, slope = self.family.mean(predictor), self.family.slope(predictor)
            spread = np.maximum(mean * (1.0 - mean), np.finfo(np.float64).tiny)
            return (slope**2 / spread)[:, :, None]
        known = self.family.information
        return None if known is None else known(predictor)[:, :, None]

    def predicted(self, predictor: Floats) -> Floats:
        """Probabilities of (negative, positive) for a binary label, else the mean label."""
        mean = self.family.predicted(predictor[:, 0])
        return np.column_stack([1.0 - mean, mean]) if self.binary else mean
