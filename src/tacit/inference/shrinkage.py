"""Empirical Bayes for predictions: shrinkage along the public spectrum.

Prior: the coefficient of the unit-variance component j is Normal(0, s lambda_j^k / sum lambda^k).
For each (s, k) of a small grid the mode is found by damped Gauss–Newton and the evidence by
Laplace's approximation. Nothing but the tally and the public rows is used.
"""

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.inference.likelihood import Likelihood
from tacit.inference.penalised import Penalised
from tacit.inference.prior import precision_of

SIGNALS = tuple(float(s) for s in np.geomspace(0.03, 10.0, 9))
POWERS = (0.0, 0.5, 1.0, 1.5, 2.0)
_INTERCEPT_VARIANCE = 4.0  # of its predictor: rates of 2% to 98% are within two deviations
_ROWS_FOR_PRIOR = 5000  # public rows that suffice to compare priors; the mode itself uses all


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


def shrink(likelihood: Likelihood, spectrum: Spectrum) -> Mode:
    """The mode under the best prior of the grid, with V taken at the mode of a middling prior."""
    fitted = likelihood.start
    for _ in range(2):
        problem = Penalised.near(likelihood, fitted)
        fitted = problem.mode(_prior(problem, spectrum, 1.0, 1.0), fitted)
    small = problem.thinned(fitted, _ROWS_FOR_PRIOR)
    found = [
        candidate
        for power in POWERS
        for candidate in _along_signals(small, spectrum, power, fitted)
    ]
    best = max(found, key=lambda candidate: candidate.evidence)
    final = Penalised.near(likelihood, best.weights)
    prior = _prior(final, spectrum, best.signal, best.power)
    return Mode(final.mode(prior, best.weights), best.signal, best.power, best.evidence)


def _along_signals(
    problem: Penalised, spectrum: Spectrum, power: float, start: Floats
) -> list[Mode]:
    """Modes for every signal, each started from the one before."""
    found, weights = [], start
    for signal in SIGNALS:
        prior = _prior(problem, spectrum, signal, power)
        weights = problem.mode(prior, weights)
        found.append(Mode(weights, signal, power, problem.evidence(prior, weights)))
    return found


def _prior(problem: Penalised, spectrum: Spectrum, signal: float, power: float) -> Floats:
    model = problem.design.model
    return problem.prior(spectrum.precision(signal, power, model.width, model.unit))
