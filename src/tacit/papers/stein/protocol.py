"""Algorithms 1 to 5, device side: what the devices are told, and the reports they send.

Algorithms 1 to 4 send one report, the noisy moments. Algorithm 5 and its analogues send a second
one after the server has announced w_ols: the noisy clipped prediction <x, w_ols>. All of one
person's noise is one Gaussian over the joint vector (moments, echo * prediction), so one curve is
the guarantee for both rounds: the second may depend on the first (adaptive composition is exact
for Gaussian noise), and some w_ols separates any two records' predictions completely.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.papers.common import Calibration, gaussian_noise
from tacit.papers.stein.moments import SQRT_2, Design, Floats, Moments, record
from tacit.privacy import Entropy, SystemEntropy
from tacit.privacy.gaussian import GaussianMechanism

Integers = NDArray[np.int64]
Rounds = Literal[1, 2]


@dataclass(frozen=True)
class Protocol:
    """Everything a device must know, all of it public. `mechanism` is the joint noise.

    `low` and `high` bound the predictions of the second round, `echo` weighs them.
    """

    moments: Moments
    mechanism: GaussianMechanism
    low: float = 0.0
    high: float = 1.0
    echo: float = 1.0

    def report(self, x: Any, y: Any, entropy: Entropy | None = None) -> Integers:
        """One device's report (of the first round): integers, whatever the record holds."""
        vector = self.moments.encode(*record(x, y, self.moments.features))[0]
        return self._part(vector.size).randomize(vector, entropy or SystemEntropy())

    def second_report(self, x: Any, ols: Floats, entropy: Entropy | None = None) -> Integers:
        """The same device's report of the second round, after `ols` was announced."""
        X, y = record(x, 0.0, self.moments.features)
        prediction = self.predictions(X, y, ols)
        return self._part(1).randomize(self.echo * prediction, entropy or SystemEntropy())

    def _part(self, dimension: int) -> GaussianMechanism:
        """The joint noise on some of its coordinates."""
        return replace(self.mechanism, dimension=dimension)

    def predictions(self, X: Floats, y: Floats, ols: Floats) -> Floats:
        """Clipped predictions of the second round."""
        # erratum 5: <x, w_ols> is symmetric about 0, and is projected on the range of y all the
        # same: for a GLM on [0, 1], which sets half of the predictions to 0. Kept as printed.
        with np.errstate(all="ignore"):
            predicted = self.moments.clip(X, y)[0] @ ols
        return np.clip(np.nan_to_num(predicted, nan=self.low), self.low, self.high)

    def mean(self, reports: Integers) -> Floats:
        """What the reports (n, dimension) of the first round average to, summed as integers."""
        return self.mechanism.value(reports.sum(axis=0)) / len(reports)

    def second_values(self, reports: Integers) -> Floats:
        """The noisy predictions that reports (n, 1) of the second round stand for."""
        return self.mechanism.value(reports[:, 0]) / self.echo

    def simulate_mean(self, X: Floats, y: Floats, generator: np.random.Generator) -> Floats:
        """`mean` over n simulated devices: the noise is one draw."""
        total = self.moments.total(X, y)
        return self.mechanism.simulate_sum(total, len(X), generator) / len(X)

    def simulate_second(
        self, X: Floats, y: Floats, ols: Floats, generator: np.random.Generator
    ) -> Floats:
        """`second_values` of n simulated devices."""
        vectors = self.echo * self.predictions(X, y, ols)
        return self.mechanism.sample(vectors, generator) / self.echo


def plan_protocol(
    calibration: Calibration,
    *,
    design: Design,
    rounds: Rounds,
    features: int,
    radius: float,
    label_bound: float,
    printed_bound: float,
    prediction_range: tuple[float, float],
    epsilon: float,
    delta: float,
) -> Protocol:
    """The noise for the joint release: the least, or as printed.

    `printed_bound` is the bound on |y| that the printed noise relies on.
    """
    paper = calibration == "paper"
    weight = radius / (printed_bound if paper else label_bound)
    off_diagonal = 1.0 if paper else SQRT_2
    moments = Moments(features, design, radius, label_bound, weight, off_diagonal)
    low, high = prediction_range
    # as printed: each part of round 1 gets half of eps (a quarter with two rounds), round 2 half.
    # Erratum 3: the classical formula is proved for a share of eps up to 1 only.
    classical = math.sqrt(2.0 * math.log(2.5 / delta)) * 2.0 / epsilon
    printed = rounds * classical * 2.0 * radius**2
    echo = (printed / classical if paper else moments.sensitivity) / (high - low)
    second = echo * (high - low) if rounds == 2 else 0.0
    mechanism = gaussian_noise(
        calibration,
        dimension=moments.dimension + (rounds - 1),
        sensitivity=math.hypot(moments.sensitivity, second),
        epsilon=epsilon,
        delta=delta,
        printed_sigma=printed,
    )
    return Protocol(moments, mechanism, low, high, echo)
