"""Generalized linear models and non-linear regression from one report each, with public rows.

Di Wang, Huanyu Zhang, Marco Gaboardi, Jinhui Xu: Estimating Smooth GLM in Non-interactive Local
Differential Privacy Model with Public Unlabeled Data, ALT 2021 (the preprint); Di Wang, Lijie Hu,
Huanyu Zhang, Marco Gaboardi, Jinhui Xu: Generalized Linear Models in Non-interactive Local
Differential Privacy with Public Data, JMLR 2023 (the journal text).
Model: E[y | x] = Phi'(<x, w>) (Algorithms 1, 2) or y = f(<x, w>) + noise (3, 4), no intercept.

Proved there: for Gaussian x (Algorithms 1, 3) w = c w_ols, where w_ols = E[xx']^-1 E[xy] and
1 = c E[Phi''(c <x, w_ols>)] (Stein's lemma), so noisy second moments and public rows give w with
error of order p^(3/2)/(eps sqrt n) + sqrt(p/m). For x with ||x||_1 <= r and nearly independent
whitened coordinates (2, 4) the same holds up to a bias of order 1/sqrt(p), which no n removes.

Assumed: the public rows have the law of the people's features, the features have mean zero, the
mean model is right, and c exists. The privacy guarantee rests on none of this.

Read in this order: `device` (what a device encodes, and its sensitivity), `round` (noise, one or
two rounds), `scaling` (the number c), `server` (pooling, least squares), `estimators`.
"""

from tacit.papers.stein.device import Moments
from tacit.papers.stein.estimators import GaussianDesignGLM, SteinGLM, SteinRegression
from tacit.papers.stein.links import LINKS, LOSSES
from tacit.papers.stein.round import MomentsRound, PredictionsRound, SphereRound
from tacit.papers.stein.server import Collected

__all__ = [
    "LINKS",
    "LOSSES",
    "Collected",
    "GaussianDesignGLM",
    "Moments",
    "MomentsRound",
    "PredictionsRound",
    "SphereRound",
    "SteinGLM",
    "SteinRegression",
]
