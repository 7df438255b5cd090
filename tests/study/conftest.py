"""Public rows with everything that happens in such rows, and studies of them."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.study import Binary, Study

Rows = dict[str, NDArray[Any]]

CHURNED = Binary("churned", positive="yes", negative="no")


@pytest.fixture(scope="session")
def public() -> Rows:
    """400 public rows with every kind of feature, rare levels and missing values."""
    generator = np.random.default_rng(7)
    region = np.repeat(
        np.array(["north", "south", "east", "isle", "moor"], object), [190, 120, 70, 12, 8]
    )
    income = generator.exponential(30.0, 400)
    income[:25] = np.nan
    return {
        "age": generator.normal(45.0, 12.0, 400),
        "smoker": generator.random(400) < 0.3,
        "region": generator.permutation(region),
        "income": income,
    }


@pytest.fixture(scope="session")
def study(public: Rows) -> Study:
    """A study of those rows."""
    return Study.from_public(
        public, label=CHURNED, epsilon=1.0, source="2025 opt-in panel", title="Churn"
    )


@pytest.fixture(scope="session")
def other_study(public: Rows) -> Study:
    """The same rows under another epsilon: another study."""
    return Study.from_public(public, label=CHURNED, epsilon=2.0, source="2025 opt-in panel")
