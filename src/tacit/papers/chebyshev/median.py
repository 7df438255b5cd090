"""Algorithm 3 with scikit-learn's face."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import validate_data

from tacit.errors import ConfigurationError
from tacit.papers.chebyshev import series
from tacit.papers.chebyshev.base import OneReport
from tacit.papers.chebyshev.oracle import MedianOracle, sphere_constant
from tacit.papers.chebyshev.play import Oracle
from tacit.papers.common import Calibration


class EuclideanMedian(OneReport):
    """Algorithm 3: `location_`, the point with the least mean distance to the rows.

    Rows and answer lie in the ball of `radius` around 0, longer rows are scaled down to it.
    `target_error` is that of |w - x|/2 in units of `radius`. The rest is as in `HingeClassifier`.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        delta: float = 1e-6,
        target_error: float = 1.0,
        degree: int | None = None,
        smoothing: float | None = None,
        radius: float = 1.0,
        calibration: Calibration = "exact",
        printed: bool = False,
        batch_size: int = 1,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.target_error = target_error
        self.degree = degree
        self.smoothing = smoothing
        self.radius = radius
        self.calibration = calibration
        self.printed = printed
        self.batch_size = batch_size
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: Any = None) -> "EuclideanMedian":
        """Send every row through a simulated device, and learn from the reports."""
        X = np.asarray(validate_data(self, X, dtype=np.float64))
        self.location_ = self._play(X, np.zeros(len(X))) * self.radius
        return self

    def _oracle(self, features: int, generator: np.random.Generator) -> Oracle:
        if self.printed and features == 1:
            raise ConfigurationError(
                "printed=True: the printed constant of Lemma 16 is infinite for one column; "
                "use printed=False"
            )
        constant = sphere_constant(features)
        beta = self._beta(1.0 / (2.0 * constant))
        approximation = self._approximate(series.step(beta), 2.0 * constant)
        release = self._release("point", features, approximation)
        return MedianOracle(release, approximation, beta, generator, self.printed)
