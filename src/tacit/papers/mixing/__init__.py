"""Parties that hold different columns of the same people release data to regress on.

R. Wu, X. Yang, Y. Yao, J. Sun, T. Liu, K. Q. Weinberger, C. Wang: Differentially Private
Multi-Party Data Release for Linear Regression, UAI 2022.

Setting: party j of m holds columns D^j (n, d_j); together D = [X, Y], d features and a label.
Each publishes D^j + R^j (DGM, BGM) or B D^j / sqrt(k) + R^j with a public B of -1 and +1 (RMGM),
R^j Gaussian. Anyone then regresses any column on the others.
Proved: for every B the release of a party is (epsilon, delta)-private in one person's row of it
(Agreement.sensitivity); all parties' together have mu = sqrt(sum mu_j^2). With n to infinity DGM,
and RMGM for k to infinity with k/n to 0, converge to the least-squares coefficients; BGM does not.
Assumed: the same people in the same order everywhere, entries within stated ranges (others are
clipped), E[x x'] positive definite. There is no intercept.
Beside the paper: exact noise, each party's own d_j and stated ranges, one budget for the person,
B as a seed, k by formula. `docs/errata.md` has errata 13 and 14.

Read on in this order: `agreement` and `mix` (what is public), `device` (a party), `round`, `server`
(the trainer), `estimators`.
"""

from tacit.papers.mixing.agreement import Agreement, mixed_rows
from tacit.papers.mixing.estimators import BGM, DGM, OLS, RMGM
from tacit.papers.mixing.mix import Mixing
from tacit.papers.mixing.round import PartyRound, held_by, release
from tacit.papers.mixing.server import assemble, bgm, dgm, moments, ols, rmgm

__all__ = [
    "BGM",
    "DGM",
    "OLS",
    "RMGM",
    "Agreement",
    "Mixing",
    "PartyRound",
    "assemble",
    "bgm",
    "dgm",
    "held_by",
    "mixed_rows",
    "moments",
    "ols",
    "release",
    "rmgm",
]
