"""The mode under a weak prior, from where intervals are found, and the strength of that prior.

A coefficient that the tally does not determine wanders, and takes determined ones along. So all
that is not asked about gets a prior whose total variance the tally itself chooses, by Laplace's
evidence over a few; the prior then used is `SAFETY` times as wide.
"""

from dataclasses import dataclass

from tacit.arrays import Floats
from tacit.inference.likelihood import Likelihood
from tacit.inference.penalised import Penalised
from tacit.inference.prior import SAFETY, weak_precision

SIGNALS = (0.1, 0.3, 1.0, 3.0, 10.0)
FLAT = 1e6  # as good as no prior: a predictor of a thousand units would be nothing unusual

_ROWS_FOR_EVIDENCE = 5000


@dataclass(frozen=True)
class WeakMode:
    """The problem with V taken at the mode, the prior's precision, and the mode.

    `signal` is the prior's total variance of the predictor, None where no prior was asked for.
    """

    problem: Penalised
    prior: Floats
    weights: Floats
    signal: float | None


def weak_mode(likelihood: Likelihood, *, flat: bool = False) -> WeakMode:
    """Found under the prior that the evidence chooses, or next to none."""
    # a middling prior, and V at its mode
    weights = likelihood.start
    for _ in range(2):
        problem = Penalised.near(likelihood, weights)
        weights = problem.mode(_precision(likelihood, problem, 1.0), weights)
    # how strong the prior is
    signal = None if flat else _by_evidence(likelihood, problem, weights)
    prior = _precision(likelihood, problem, FLAT if signal is None else SAFETY * signal)
    # the mode under it, with V there
    for _ in range(2):
        weights = problem.mode(prior, weights)
        problem = Penalised.near(likelihood, weights)
    return WeakMode(problem, prior, problem.mode(prior, weights), signal)


def _by_evidence(likelihood: Likelihood, problem: Penalised, weights: Floats) -> float:
    small = problem.thinned(weights, _ROWS_FOR_EVIDENCE)
    found = {}
    for signal in SIGNALS:
        prior = _precision(likelihood, small, signal)
        weights = small.mode(prior, weights)
        found[signal] = small.evidence(prior, weights)
    return max(found, key=lambda signal: found[signal])


def _precision(likelihood: Likelihood, problem: Penalised, variance: float) -> Floats:
    return problem.prior(weak_precision(likelihood.study, likelihood.design.model, variance))
