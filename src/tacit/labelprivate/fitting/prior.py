"""A weak prior, so that what the reports do not determine takes nothing else along.

In units of the family: slopes of columns of unit size are Normal(0, s/p) for p of them, of every
class against the first; the intercept is Normal(0, 10^2); s by the Laplace evidence. An interval
takes 4 s, so that an evidence that errs low does not decide it, and no prior at all for the
coefficient asked about.
"""

from dataclasses import replace

import numpy as np

from tacit.arrays import Floats
from tacit.labelprivate.fitting.climb import LabelProblem, climb

SAFETY = 4.0
_SIGNALS = (0.1, 0.3, 1.0, 3.0, 10.0)
_INTERCEPT = 10.0
_ROWS = 20_000  # that the evidence looks at


def prior_precision(
    problem: LabelProblem, contrasts: Floats, intercept: bool, signal: float
) -> Floats:
    """Of flat weights, by the contrasts of the model."""
    columns = problem.z.shape[1]
    slopes = columns - int(intercept)
    own = [1.0 / _INTERCEPT**2] * int(intercept) + [slopes / signal] * slopes
    precision = np.kron(np.diag(own), contrasts.T @ contrasts) / problem.unit**2
    return np.asarray(precision, dtype=np.float64)


def best_signal(problem: LabelProblem, contrasts: Floats, intercept: bool) -> float:
    """The signal under which the reports are likeliest."""
    thinned = problem.thinned(-(-len(problem.z) // _ROWS))
    weights, found = problem.centre, []
    for signal in _SIGNALS:
        precision = prior_precision(problem, contrasts, intercept, signal)
        under = replace(thinned, precision=precision)
        weights, value = climb(under, weights)
        _, log_prior = np.linalg.slogdet(precision)
        _, log_spread = np.linalg.slogdet(under.inverse(weights))
        found.append(value + (log_prior + log_spread) / 2)
    return _SIGNALS[int(np.argmax(found))]
