"""A study to measure with."""

import numpy as np

from tacit import Binary, Study


def made_up_study(features: int, epsilon: float = 1.0) -> Study:
    """Normal features, a yes-or-no label, and an intercept."""
    values = np.random.default_rng(0).standard_normal((features, 2_000))
    return Study.from_public(
        {f"x{j}": column for j, column in enumerate(values)},
        label=Binary("label", positive="yes", negative="no"),
        epsilon=epsilon,
        source="made up",
    )
