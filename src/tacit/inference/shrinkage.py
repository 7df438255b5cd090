"""Empirical Bayes for predictions: shrinkage along the public spectrum.

Prior: the coefficient of the unit-variance component j is Normal(0, s lambda_j^k / sum lambda^k).
For each (s, k) of a small grid the mode is found by damped Gauss–Newton and the evidence by
Laplace's approximation. Nothing but the tally and the public rows is used.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from tacit.arrays import Floats
from tacit.inference.design import Design
from tacit.inference.likelihood import Observed
from tacit.inference.prior import precision_of

SIGNALS = tuple(float(s) for s in np.geomspace(0.03, 10.0, 9))
POWERS = (0.0, 0.5, 1.0, 1.5, 2.0)
_INTERCEPT_VARIANCE = 4.0  # of its predictor: rates of 2% to 98% are within two deviations
_ITERATIONS = 50
_ROWS_FOR_PRIOR = 5000  # public rows that suffice to compare priors; the mode itself uses all
_PRECISION = 1e-5  # of the objective, whose differences matter from about 0.1


@dataclass(frozen=True)
class Mode:
    """The mode under the prior the evidence chose, with that prior's signal and power."""

    weights: Floats
    signal: float
    power: float
    evidence: float


@dataclass(frozen=True)
class Spectrum:
    """What the prior needs of the transform: variances of the components, and how they mix."""

    variances: Floats
    mixing: Floats

    def precision(self, signal: float, power: float, width: int, unit: float) -> Floats:
        """Prior precision of the weights, (p k, p k)."""
        powered = self.variances**power
        variances = signal * powered / powered.sum()
        if len(self.mixing) > len(variances):
            variances = np.concatenate([[_INTERCEPT_VARIANCE], variances])
        return precision_of(variances * unit**2, self.mixing, width)


def shrink(design: Design, observed: Observed, spectrum: Spectrum, start: Floats) -> Mode:
    """The mode under the best prior of the grid, with V taken at the mode of a middling prior."""
    pilot = spectrum.precision(1.0, 1.0, design.model.width, design.model.unit)
    fitted = start
    for _ in range(2):
        problem = Penalised(design, observed.mean, start, _inverse(design, observed, fitted))
        fitted = problem.mode(pilot, fitted)
    small = problem.thinned(fitted)
    found = [
        candidate
        for power in POWERS
        for candidate in _along_signals(small, spectrum, power, fitted)
    ]
    best = max(found, key=lambda candidate: candidate.evidence)
    final = Penalised(design, observed.mean, start, _inverse(design, observed, best.weights))
    prior = spectrum.precision(best.signal, best.power, design.model.width, design.model.unit)
    return Mode(final.mode(prior, best.weights), best.signal, best.power, best.evidence)


def _along_signals(
    problem: "Penalised", spectrum: Spectrum, power: float, start: Floats
) -> list[Mode]:
    """Modes for every signal, each started from the one before."""
    model = problem.design.model
    found, weights = [], start
    for signal in SIGNALS:
        prior = spectrum.precision(signal, power, model.width, model.unit)
        weights = problem.mode(prior, weights)
        found.append(Mode(weights, signal, power, problem.evidence(prior, weights)))
    return found


def _inverse(design: Design, observed: Observed, weights: Floats) -> Floats:
    variance = design.variance(weights, observed.people, observed.noise)
    return np.asarray(linalg.inv(variance.total))


@dataclass(frozen=True)
class Penalised:
    """(G - b)' V^-1 (G - b) + (w - start)' P (w - start) for fixed V and prior precision P."""

    design: Design
    mean: Floats
    start: Floats
    inverse: Floats

    def thinned(self, near: Floats) -> "Penalised":
        """The same problem on fewer public rows, with G corrected to be right at `near`."""
        every = -(-len(self.design.z) // _ROWS_FOR_PRIOR)
        small = self.design.thinned(every)
        mean = self.mean + small.moments(near) - self.design.moments(near)
        return Penalised(small, mean, self.start, self.inverse)

    def objective(self, prior: Floats, weights: Floats) -> float:
        """Twice the negative log posterior density, but for what does not depend on weights."""
        gap = self.design.moments(weights) - self.mean
        away = weights - self.start
        return float(gap @ self.inverse @ gap + away @ prior @ away)

    def curvature(self, prior: Floats, jacobian: Floats) -> Floats:
        """Half the objective's second derivative, without that of G."""
        return np.asarray(jacobian.T @ self.inverse @ jacobian + prior)

    def mode(self, prior: Floats, weights: Floats) -> Floats:
        """Where the objective is least, by damped Gauss–Newton from these weights."""
        value = self.objective(prior, weights)
        for _ in range(_ITERATIONS):
            jacobian = self.design.jacobian(weights)
            gap = self.design.moments(weights) - self.mean
            gradient = jacobian.T @ (self.inverse @ gap) + prior @ (weights - self.start)
            step = -linalg.solve(self.curvature(prior, jacobian), gradient, assume_a="pos")
            moved, lower = self._descend(prior, weights, value, step)
            if value - lower <= _PRECISION * (1.0 + abs(lower)):
                return moved
            weights, value = moved, lower
        return weights

    def _descend(
        self, prior: Floats, weights: Floats, value: float, step: Floats
    ) -> tuple[Floats, float]:
        size = 1.0
        while size > 1e-6:
            moved = weights + size * step
            lower = self.objective(prior, moved)
            if lower < value:
                return moved, lower
            size /= 2.0
        return weights, value

    def evidence(self, prior: Floats, weights: Floats) -> float:
        """Log evidence up to a constant shared by all priors."""
        curvature = self.curvature(prior, self.design.jacobian(weights))
        _, log_determinant = np.linalg.slogdet(curvature)
        _, log_precision = np.linalg.slogdet(prior)
        return float(
            -0.5 * self.objective(prior, weights) + 0.5 * log_precision - 0.5 * log_determinant
        )
