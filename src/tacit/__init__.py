"""Regression on data that nobody discloses.

Each person's device randomizes one record under local differential privacy and sends 16 bytes;
an untrusted server learns a regression from them. Start with `LogisticRegression` on data at
hand, or with `Study.from_public` for a study of your own.
"""

from typing import TYPE_CHECKING, Any

from tacit.device import Delivery, Device, Preview, preview, randomize
from tacit.errors import TacitError, TacitWarning
from tacit.inference import (
    Comparison,
    Contrast,
    Fit,
    Plan,
    Summary,
    Tabular,
    Test,
    compare,
    fit,
    plan,
)
from tacit.labelprivate import LabelReport, LabelStudy
from tacit.models import Family
from tacit.privacy import Guarantee
from tacit.simulation import simulate
from tacit.study import (
    Binary,
    Bounded,
    Categorical,
    Count,
    Feature,
    Report,
    Study,
    Tally,
    read_reports,
    write_reports,
)

if TYPE_CHECKING:
    from tacit.estimators import LinearRegression, LogisticRegression, PoissonRegressor

__version__ = "0.1.0"

__all__ = [
    "Binary",
    "Bounded",
    "Categorical",
    "Comparison",
    "Contrast",
    "Count",
    "Delivery",
    "Device",
    "Family",
    "Feature",
    "Fit",
    "Guarantee",
    "LabelReport",
    "LabelStudy",
    "LinearRegression",
    "LogisticRegression",
    "Plan",
    "PoissonRegressor",
    "Preview",
    "Report",
    "Study",
    "Summary",
    "Tabular",
    "TacitError",
    "TacitWarning",
    "Tally",
    "Test",
    "compare",
    "fit",
    "plan",
    "preview",
    "randomize",
    "read_reports",
    "simulate",
    "write_reports",
]

_ESTIMATORS = frozenset({"LinearRegression", "LogisticRegression", "PoissonRegressor"})


def __getattr__(name: str) -> Any:
    """Estimators load scikit-learn, so they wait until somebody asks for one."""
    if name in _ESTIMATORS:
        from tacit import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module 'tacit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
