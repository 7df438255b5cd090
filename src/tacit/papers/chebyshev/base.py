"""What the four estimators share."""

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tacit.papers.chebyshev import series
from tacit.papers.chebyshev.play import Oracle, minimise, one_pass, with_replacement
from tacit.papers.chebyshev.release import Kind, Release
from tacit.papers.chebyshev.series import Derivative, Series
from tacit.papers.common import (
    Calibration,
    Floats,
    achieved,
    check_positive,
    check_whole,
    generator_of,
)


class OneReport(BaseEstimator):
    """What the four share: degree and smoothing from the target error, reports, the descent."""

    epsilon: float
    delta: float
    target_error: float
    degree: int | None
    smoothing: float | None
    radius: float
    calibration: Calibration
    printed: bool
    batch_size: int
    random_state: Any

    @abstractmethod
    def _oracle(self, features: int, generator: np.random.Generator) -> Oracle:
        """The server's gradients."""

    def _play(self, X: Floats, y: Floats, notes: tuple[str, ...] = ()) -> Floats:
        """Send every row through a device, descend on the reports: w for rows / radius."""
        generator = generator_of(self.random_state)
        batch = min(check_whole("batch_size", self.batch_size, 1), len(X))
        rows = X / check_positive("radius", self.radius)
        oracle = self._oracle(X.shape[1], generator)
        draw = with_replacement if self.printed else one_pass
        blocks = draw(self.release_, rows, y, batch, generator)
        self.oracle_ = oracle
        self.guarantee_ = achieved(
            self.release_.mechanism.curve,
            self.calibration,
            self.epsilon,
            self.delta,
            simulated=True,
            notes=notes,
        )
        return minimise(oracle, X.shape[1], blocks, batch)

    def _beta(self, share: float) -> float:
        """The smoothing that costs half of the target error."""
        if self.smoothing is not None:
            return check_positive("smoothing", self.smoothing)
        return check_positive("target_error", self.target_error) * share

    def _approximate(self, derivative: Derivative, scale: float) -> Series:
        """P_d of the stated degree, or of the least whose error is target_error / scale."""
        if self.degree is not None:
            return series.of_degree(derivative, self.degree)
        return series.of_error(
            derivative, check_positive("target_error", self.target_error) / scale
        )

    def _release(self, kind: Kind, features: int, approximation: Series) -> Release:
        """The device's part, kept for whoever wants to run it; with the degree it needs."""
        self.degree_ = approximation.degree
        self.release_ = Release.of(
            kind,
            features,
            approximation.degree,
            epsilon=self.epsilon,
            delta=self.delta,
            calibration=self.calibration,
        )
        return self.release_
