"""OneShotSparse: the estimator behind the upper bound of Theorem 1.

For features with E[x x'] = I, theta = E[x y]. Each device sends x y once; the server truncates
the mean. Through the sphere mechanism this is Algorithm 1 with T = 1 and step 1, and at the
sizes we tried it has less error than with more rounds.
Device: x y, |y| clipped to sqrt(s*) + C (erratum 12 (P)), so two records are at most
2 sqrt(p)(sqrt(s*) + C) apart. Proved: eps-locally private by the sphere mechanism, or
(eps, delta) by Gaussian noise, which is what the theorem speaks of.
Server: the mean report estimates theta in every coordinate with a known standard deviation; what
lies below the level that noise alone reaches is set to zero.
"""

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tacit.arrays import Integers
from tacit.papers.common import (
    Calibration,
    Floats,
    achieved,
    check_budget,
    gaussian_noise,
    generator_of,
)
from tacit.papers.iht.base import SparseRegressor, chosen_mechanism
from tacit.papers.iht.problem import Problem, cleaned, clipped_labels, noise_level, truncate
from tacit.papers.iht.rounds import Round, sphere_for
from tacit.privacy.curve import classical_scale
from tacit.privacy.entropy import Entropy, SystemEntropy
from tacit.privacy.gaussian import GaussianMechanism
from tacit.privacy.guarantee import Guarantee

OneShotMechanism = Literal["sphere", "duchi", "gaussian"]


def product_mechanism(
    problem: Problem, calibration: Calibration, epsilon: float, delta: float
) -> GaussianMechanism:
    """Gaussian noise for x y; the classical formula stands for the appendix's ("paper")."""
    check_budget(epsilon, delta)
    sensitivity = 2.0 * math.sqrt(problem.dimension) * problem.label_bound
    return gaussian_noise(
        calibration,
        dimension=problem.dimension,
        sensitivity=sensitivity,
        epsilon=epsilon,
        delta=delta,
        printed_sigma=sensitivity * classical_scale(epsilon, delta),
    )


def products(problem: Problem, X: Floats, y: Floats) -> Floats:
    """x y of each record (n, p), clipped."""
    labels = clipped_labels(y, problem.label_bound)
    return cleaned(X, problem.dimension) * labels[:, None]


def product_report(
    problem: Problem,
    mechanism: GaussianMechanism,
    x: Floats,
    y: float,
    entropy: Entropy | None = None,
) -> Integers:
    """One person's Gaussian report: p integers, in steps of the mechanism's grid."""
    vector = products(problem, np.atleast_2d(x), np.atleast_1d(y))[0]
    return mechanism.randomize(vector, SystemEntropy() if entropy is None else entropy)


class OneShotSparse(SparseRegressor):
    """One report each, the mean of x y, truncated.

    `mechanism`: "sphere" (None means it), "duchi" (both eps-private), or "gaussian", as in the
    theorem ("paper" calibration means it). `threshold=True` also drops what noise alone would
    explain (`level_`). `mean_` is the untruncated estimate with standard deviation `deviation_`
    (at most) in each coordinate. Other parameters as in LDPIHT.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        delta: float = 1e-6,
        sparsity: int = 1,
        keep: int | None = None,
        radius: float = 1.0,
        noise_bound: float = 1.0,
        mechanism: OneShotMechanism | None = None,
        threshold: bool = True,
        calibration: Calibration = "exact",
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.sparsity = sparsity
        self.keep = keep
        self.radius = radius
        self.noise_bound = noise_bound
        self.mechanism = mechanism
        self.threshold = threshold
        self.calibration = calibration
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> "OneShotSparse":
        """Send every row through a simulated device, and truncate the mean."""
        rows, labels = self._records(X, y)
        generator = generator_of(self.random_state)
        name = chosen_mechanism(self.mechanism, self.calibration, ("sphere", "duchi"))
        collect = self._gaussian if name == "gaussian" else self._sphere
        collect(name, rows, labels, generator)
        self.level_ = noise_level(self.deviation_, 1, len(self.mean_)) if self.threshold else 0.0
        kept = truncate(self.mean_, self.problem_.keep, self.level_)
        self.coef_ = self.problem_.project(kept)
        return self

    def _sphere(
        self, name: str, rows: Floats, labels: Floats, generator: np.random.Generator
    ) -> None:
        problem = self.problem_
        sphere = sphere_for(name, problem.dimension, self.epsilon)
        self.mean_ = -Round.first(problem, sphere).simulated_gradient(rows, labels, generator)
        # a scaled report has E|U/mu|^2 = R^2/mu^2, spread evenly over features of one size
        self.deviation_ = problem.label_bound / sphere.mean_length / math.sqrt(len(rows))
        self.guarantee_ = Guarantee(float(self.epsilon), simulated=True)

    def _gaussian(
        self, name: str, rows: Floats, labels: Floats, generator: np.random.Generator
    ) -> None:
        problem, people = self.problem_, len(rows)
        noise = product_mechanism(problem, self.calibration, self.epsilon, self.delta)
        total = products(problem, rows, labels).sum(axis=0)
        self.mean_ = noise.simulate_sum(total, people, generator) / people
        self.deviation_ = math.hypot(noise.sigma, problem.label_bound) / math.sqrt(people)
        self.guarantee_ = achieved(
            noise.curve, self.calibration, self.epsilon, self.delta, simulated=True
        )
