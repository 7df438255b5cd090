"""The device of section 5: features are public, the label alone is protected.

Device. y is clipped to [-B, B], B = sqrt(s*) + C (erratum 12 (P): the noise is stated without a
range). Then it goes through the eps-private mechanism for one number that has the least variance
at this eps, or through Gaussian noise, as printed.
Proved: eps-, or (eps, delta)-, locally private for the label (see `privacy.scalar`,
`privacy.gaussian`). The pure mechanism is also the better one: at eps = 1 the two-point one has
3.9 times less standard deviation than exact Gaussian noise at delta = 1e-6.
Server. Values of reports are unbiased for the clipped labels, with a known variance.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacit.arrays import Integers
from tacit.papers.common import Calibration, Floats, check_budget, gaussian_noise
from tacit.papers.iht.base import chosen_mechanism
from tacit.papers.iht.problem import clipped_labels
from tacit.privacy.curve import classical_scale
from tacit.privacy.entropy import Entropy, SeededEntropy, SystemEntropy
from tacit.privacy.gaussian import GaussianMechanism
from tacit.privacy.scalar import Scalar, best_scalar
from tacit.privacy.staircase import Staircase
from tacit.privacy.window import piecewise, two_point

LabelMechanism = Literal["best", "two-point", "piecewise", "staircase", "gaussian"]

_PURE = {
    "best": best_scalar,
    "two-point": two_point,
    "piecewise": piecewise,
    "staircase": Staircase.best,
}


@dataclass(frozen=True)
class LabelRandomizer:
    """Labels in [-bound, bound] to integers, and back to unbiased values."""

    bound: float
    mechanism: Scalar | GaussianMechanism

    @classmethod
    def of(
        cls,
        bound: float,
        epsilon: float,
        *,
        name: LabelMechanism | None = None,
        calibration: Calibration = "exact",
        delta: float = 1e-6,
    ) -> "LabelRandomizer":
        """The mechanism of that name; the classical formula stands for the printed noise.

        (The text that we follow lost its line 2: the formula of sigma_1 is missing.)
        """
        check_budget(epsilon, delta)
        chosen = chosen_mechanism(name, calibration, tuple(_PURE))
        if chosen != "gaussian":
            return cls(bound, _PURE[chosen](epsilon))
        noise = gaussian_noise(
            calibration,
            dimension=1,
            sensitivity=2.0 * bound,
            epsilon=epsilon,
            delta=delta,
            printed_sigma=2.0 * bound * classical_scale(epsilon, delta),
        )
        return cls(bound, noise)

    @property
    def variance(self) -> float:
        """Of the value of one report, at the label that has most."""
        if isinstance(self.mechanism, GaussianMechanism):
            return self.mechanism.noise
        return self.bound**2 * self.mechanism.noise

    def report(self, y: float, entropy: Entropy | None = None) -> int:
        """One person's report, an integer."""
        source = SystemEntropy() if entropy is None else entropy
        return int(self.reports(np.atleast_1d(y), source)[0])

    def reports(self, y: Floats, entropy: Entropy) -> Integers:
        """Reports (n,) of many devices."""
        labels = clipped_labels(y, self.bound)
        if isinstance(self.mechanism, GaussianMechanism):
            return self.mechanism.randomize(labels, entropy)
        return self.mechanism.randomize(labels / self.bound, entropy)

    def values(self, reports: Integers) -> Floats:
        """Unbiased labels."""
        if isinstance(self.mechanism, GaussianMechanism):
            return self.mechanism.value(reports)
        return self.bound * self.mechanism.value(reports)

    def simulate(self, y: Floats, generator: np.random.Generator) -> Floats:
        """Values of simulated reports: the device's own steps, or continuous Gaussian noise."""
        if isinstance(self.mechanism, GaussianMechanism):
            return self.mechanism.sample(clipped_labels(y, self.bound), generator)
        entropy = SeededEntropy(int(generator.integers(2**63)))
        return self.values(self.reports(y, entropy))
