"""Sparse linear regression: iterative hard thresholding, locally private.

Di Wang, Jinhui Xu: On Sparse Linear Regression in the Local Differential Privacy Model,
ICML 2019 (PMLR 97).

Assumed: features uniform on {-1, +1}^p, y = f(<x, theta>) + noise with f the identity unless said
otherwise, ||theta||_2 <= 1, at most s* coefficients that are not zero, |noise| <= C.
Proved there: whatever the protocol, protecting whole records costs an error of at least
p / (n eps^2); Algorithm 1 comes within logarithms of it. Protecting labels alone costs
s log(p) / (n eps^2), and Algorithm 2 attains it. Algorithm 3 has a trusted server.

Read in this order: `problem` (the model, and the bounds that follow from it), `device`, `round`
(gradients of Algorithm 1, products of Theorem 1, labels of section 5), `server`, `estimators`;
`central` is Algorithm 3, whose server sees every row.

Two of its statements are corrected here (11, 12 in docs/errata.md); the appendix, which has the
details of the randomizer and of Theorem 1's upper bound, is not part of the text we follow.
"""

from tacit.papers.iht.central import DPIHT, SmoothLoss, logistic_loss, squared_loss
from tacit.papers.iht.estimators import LDPIHT, LabelLasso, LabelLDPIHT, OneShotSparse
from tacit.papers.iht.problem import Problem
from tacit.papers.iht.round import GradientRound, LabelRound, ProductRound

__all__ = [
    "DPIHT",
    "LDPIHT",
    "GradientRound",
    "LabelLDPIHT",
    "LabelLasso",
    "LabelRound",
    "OneShotSparse",
    "Problem",
    "ProductRound",
    "SmoothLoss",
    "logistic_loss",
    "squared_loss",
]
