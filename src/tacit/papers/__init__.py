"""The algorithms of the source papers, as printed and corrected."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_PAPERS = ("chebyshev", "iht", "mixing", "stein")


def __getattr__(name: str) -> Any:
    """Estimators load scikit-learn, so they wait until somebody asks for one."""
    if name in __all__:
        for paper in _PAPERS:
            module = import_module(f"tacit.papers.{paper}")
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module 'tacit.papers' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
