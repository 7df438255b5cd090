"""Labels of several classes."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from tacit.arrays import Floats


@dataclass(frozen=True)
class SoftmaxModel:
    """Logits are `(K - 1)/K corners @ predictor`, so that K = 2 is the logistic family."""

    corners: Floats
    name: str = "multinomial"
    own: bool = False
    unit: float = 1.0
    origin: float = 0.0

    @property
    def width(self) -> int:
        """Number of predictors, K - 1."""
        return int(self.corners.shape[1])

    @property
    def scores(self) -> Floats:
        """Matrix (K, K - 1) from predictors to logits."""
        count = len(self.corners)
        return self.corners * ((count - 1) / count)

    @property
    def contrasts(self) -> Floats:
        """Every class but the first against it, (K - 1, K - 1)."""
        return np.asarray(self.scores[1:] - self.scores[0])

    def predicted(self, predictor: Floats) -> Floats:
        """Class probabilities, (m, K)."""
        return np.asarray(special.softmax(predictor @ self.scores.T, axis=1))

    def mean(self, predictor: Floats) -> Floats:
        """Expected corner, (m, k)."""
        return self.predicted(predictor) @ self.corners

    def slope(self, predictor: Floats) -> Floats:
        """Derivative of the expected corner: a multiple of its covariance, hence symmetric."""
        count = len(self.corners)
        mean = self.mean(predictor)
        covariance = self.second(predictor) - mean[:, :, None] * mean[:, None, :]
        return covariance * ((count - 1) / count)

    def information(self, predictor: Floats) -> Floats | None:
        """Fisher information (m, k, k) of the class about its predictors."""
        count = len(self.corners)
        return self.slope(predictor) * ((count - 1) / count)

    def second(self, predictor: Floats) -> Floats:
        """Expected outer product of the corner, (m, k, k)."""
        outer = self.corners[:, :, None] * self.corners[:, None, :]
        return np.tensordot(self.predicted(predictor), outer, axes=1)
