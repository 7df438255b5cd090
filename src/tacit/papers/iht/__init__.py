"""Sparse linear regression: iterative hard thresholding, locally private.

Di Wang, Jinhui Xu: On Sparse Linear Regression in the Local Differential Privacy Model,
ICML 2019 (PMLR 97).

Assumed: features uniform on {-1, +1}^p, y = f(<x, theta>) + noise with f the identity unless said
otherwise, ||theta||_2 <= 1, at most s* coefficients that are not zero, |noise| <= C.
Proved there: whatever the protocol, protecting whole records costs an error of at least
p / (n eps^2); Algorithm 1 comes within logarithms of it. Protecting labels alone costs
s log(p) / (n eps^2), and Algorithm 2 attains it. Algorithm 3 has a trusted server.

    problem.py       the model: bounds that follow from it, Trunc, projection
    rounds.py        one round of Algorithm 1: a device's report, the server's step
    ldp.py           LDPIHT (Algorithm 1)
    oneshot.py       OneShotSparse (Theorem 1)
    label_device.py  a device that protects its label
    label_only.py    LabelLDPIHT (Algorithm 2), LabelLasso (section 5)
    central.py       DPIHT (Algorithm 3)

Two of its statements are corrected here (11, 12 in docs/errata.md); the appendix, which has the
details of the randomizer and of Theorem 1's upper bound, is not part of the text we follow.
"""

from tacit.papers.iht.central import DPIHT, SmoothLoss, logistic_loss, squared_loss
from tacit.papers.iht.label_device import LabelRandomizer
from tacit.papers.iht.label_only import LabelLasso, LabelLDPIHT
from tacit.papers.iht.ldp import LDPIHT
from tacit.papers.iht.oneshot import OneShotSparse
from tacit.papers.iht.problem import Problem
from tacit.papers.iht.rounds import Round

__all__ = [
    "DPIHT",
    "LDPIHT",
    "LabelLDPIHT",
    "LabelLasso",
    "LabelRandomizer",
    "OneShotSparse",
    "Problem",
    "Round",
    "SmoothLoss",
    "logistic_loss",
    "squared_loss",
]
