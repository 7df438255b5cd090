"""Noninteractive locally private learning of linear models via polynomial approximations.

D. Wang, A. Smith, J. Xu, Algorithmic Learning Theory 2019 (PMLR 98).

Assumed (Assumption 1): |x| <= 1 and |y| <= 1 for every person, and the answer w is sought in the
unit ball; the loss is f(y<w,x>) with f convex and 1-Lipschitz on [-1, 1] (Algorithms 1 and 2),
|<w,x> - y| (Remark 15), or |w - x|/2 (Algorithm 3).
Proved: the reports are (eps, delta)-private, and the mean gradient formed from distinct copies is
that of a smoothed loss but for the error of a polynomial of degree d. The number of people needed
grows like (d^2/eps^2)^(2d+2): as printed nothing is learned at realistic sizes, see
docs/papers-chebyshev.md. Five statements are corrected here (6 to 10 in docs/errata.md).

Read in this order: `device` (the copies), `round`, `server` and `sigm` (gradients and descent),
`estimators`; `series` and `mixture` are the approximation.
"""

from tacit.papers.chebyshev.device import Copies
from tacit.papers.chebyshev.estimators import (
    AbsoluteRegression,
    ConvexClassifier,
    EuclideanMedian,
    HingeClassifier,
)
from tacit.papers.chebyshev.mixture import Mixture
from tacit.papers.chebyshev.round import CopiesRound
from tacit.papers.chebyshev.sigm import stochastic_inexact_gradient

__all__ = [
    "AbsoluteRegression",
    "ConvexClassifier",
    "Copies",
    "CopiesRound",
    "EuclideanMedian",
    "HingeClassifier",
    "Mixture",
    "stochastic_inexact_gradient",
]
