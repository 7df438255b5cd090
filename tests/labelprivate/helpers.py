"""Known rows, labels of every kind that follow from them, and studies of both."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tacit import Binary, Bounded, Categorical, Count, LabelStudy
from tacit.labels import Label

Rows = dict[str, NDArray[Any]]

SICK = Binary("sick", positive="yes", negative="no")
VISITS = Count("visits", cap=6)
PAIN = Bounded("pain", -4.0, 4.0)
PLAN = Categorical("plan", ("a", "b", "c"))
MANY = Categorical("plan", tuple("abcdefg"))
LABELS: tuple[Label, ...] = (SICK, VISITS, PAIN, PLAN, MANY)

TRUTH = {"intercept": -0.5, "age": 0.6, "smoker": -0.4}


def people(count: int, seed: int = 0) -> Rows:
    """Two features of unit size or so."""
    generator = np.random.default_rng(seed)
    return {"age": generator.standard_normal(count), "smoker": generator.random(count) < 0.4}


def answers(label: Label, rows: Rows, seed: int = 1) -> NDArray[Any]:
    """Labels drawn from the model with `TRUTH`; of several classes, each step up adds to it."""
    generator = np.random.default_rng(seed)
    predictor = TRUTH["intercept"] + TRUTH["age"] * rows["age"] + TRUTH["smoker"] * rows["smoker"]
    if isinstance(label, Count):
        return np.asarray(generator.poisson(np.exp(predictor)))
    if isinstance(label, Bounded):
        return np.asarray(predictor + generator.uniform(-1, 1, len(predictor)))
    steps = np.arange(label.class_count) * (1 if isinstance(label, Binary) else 0.5)
    shares = special.softmax(predictor[:, None] * steps, axis=1)
    drawn = (generator.random((len(shares), 1)) > np.cumsum(shares, axis=1)[:, :-1]).sum(axis=1)
    return np.asarray(np.array(label.classes)[drawn])


def study_of(label: Label, epsilon: float = 1.0) -> LabelStudy:
    """A study whose features are settled by rows."""
    return LabelStudy.from_rows(people(500), label=label, epsilon=epsilon, title="A trial")
