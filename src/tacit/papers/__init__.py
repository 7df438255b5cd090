"""The algorithms of the source papers, as printed and corrected."""

from tacit.papers.chebyshev import (
    AbsoluteRegression,
    ConvexClassifier,
    EuclideanMedian,
    HingeClassifier,
)
from tacit.papers.iht import DPIHT, LDPIHT, LabelLasso, LabelLDPIHT, OneShotSparse
from tacit.papers.mixing import BGM, DGM, OLS, RMGM
from tacit.papers.stein import GaussianDesignGLM, SteinGLM, SteinRegression

__all__ = [
    "BGM",
    "DGM",
    "DPIHT",
    "LDPIHT",
    "OLS",
    "RMGM",
    "AbsoluteRegression",
    "ConvexClassifier",
    "EuclideanMedian",
    "GaussianDesignGLM",
    "HingeClassifier",
    "LabelLDPIHT",
    "LabelLasso",
    "OneShotSparse",
    "SteinGLM",
    "SteinRegression",
]
