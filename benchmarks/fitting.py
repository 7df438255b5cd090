"""The estimator against scikit-learn's, on the same rows in the same run."""

import numpy as np
from sklearn.linear_model import LogisticRegression as Peer

from benchmarks.measure import Measured, seconds
from tacit import LogisticRegression

_PEOPLE, _FEATURES, _PUBLIC_ROWS = 1_000_000, 20, 10_000


def measure() -> list[Measured]:
    """A million people, twenty features."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((_PEOPLE, _FEATURES))
    public = generator.standard_normal((_PUBLIC_ROWS, _FEATURES))
    slopes = generator.standard_normal(_FEATURES) / np.sqrt(_FEATURES)
    y = (generator.random(_PEOPLE) < 1.0 / (1.0 + np.exp(-X @ slopes))).astype(int)
    ours = seconds(
        lambda: LogisticRegression(epsilon=1.0, random_state=0).fit(X, y, public=public), repeats=3
    )
    peer = seconds(lambda: Peer().fit(X, y), repeats=3)
    size = f"n={_PEOPLE:,}, p={_FEATURES}"
    return [
        Measured(f"LogisticRegression.fit, {size}", ours, "s"),
        Measured(f"scikit-learn's LogisticRegression.fit, {size} (peer)", peer, "s"),
        Measured("fit / peer", ours / peer, "times", at_most=3.0),
    ]
