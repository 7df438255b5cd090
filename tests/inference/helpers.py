"""Small studies with known answers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit import Binary, Bounded, Categorical, Count, Study, Tally, simulate
from tacit.arrays import Floats
from tacit.inference.design import Design
from tacit.models import LabelModel

Label = Binary | Bounded | Categorical | Count

LABELS: dict[str, Label] = {
    "logistic": Binary("y", positive=1, negative=0),
    "linear": Bounded("y", -10.0, 30.0),
    "poisson": Count("y", 6),
    "multinomial": Categorical("y", ("a", "b", "c", "d")),
}


def make_rows(count: int, seed: int) -> dict[str, Any]:
    """Correlated numbers, a flag and a category, in very different units."""
    rng = np.random.default_rng(seed)
    age = rng.normal(45.0, 15.0, count)
    return {
        "age": age,
        "hours": rng.exponential(2.0, count) + 0.02 * age,
        "smoker": rng.random(count) < 0.3,
        "region": rng.choice(["north", "south", "west"], count, p=[0.5, 0.3, 0.2]),
    }


def flat_in(precision: Floats, coefficient: Floats) -> Floats:
    """A prior given a'w, with nothing said of a'w itself (`coefficient` is a)."""
    variance = coefficient @ np.linalg.solve(precision, coefficient)
    return np.asarray(precision - np.outer(coefficient, coefficient) / variance)


def make_study(label: Label, *, epsilon: float = 4.0, public: int = 2000, **more: Any) -> Study:
    """A study around the rows of seed 0."""
    return Study.from_public(
        make_rows(public, 0), label=label, epsilon=epsilon, source="simulated", **more
    )


def make_design(study: Study, public: int = 2000) -> Design:
    """The study's public rows with its own label model."""
    return Design.of(study.encode(make_rows(public, 0)), study.label.model())


def draw_labels(model: LabelModel, predictor: Any, label: Label, rng: np.random.Generator) -> Any:
    """Labels from the model at given predictors (n, k)."""
    mean = model.predicted(predictor)
    if isinstance(label, Binary | Categorical):
        drawn = (rng.random(len(mean))[:, None] >= mean.cumsum(axis=1)[:, :-1]).sum(axis=1)
        return np.array(label.levels)[drawn] if isinstance(label, Categorical) else drawn
    if isinstance(label, Count):
        return rng.poisson(mean)
    return np.clip(rng.normal(mean, 2.0), label.low, label.high)


@dataclass(frozen=True)
class World:
    """A study, the weights people follow, and a tally of their reports."""

    study: Study
    weights: Any
    tally: Tally


def make_world(name: str, *, people: int, epsilon: float, seed: int, **more: Any) -> World:
    """People whose labels follow known weights of the encoded rows."""
    label = LABELS[name]
    study = make_study(label, epsilon=epsilon, **more)
    model = label.model()
    rng = np.random.default_rng(seed)
    weights = rng.normal(0.0, 0.6, study.dimension) * model.unit / 2
    weights[: model.width] += model.origin / np.sqrt(0.1)
    rows = make_rows(people, seed + 1)
    predictor = study.encode(rows) @ weights.reshape(-1, model.width)
    labels = draw_labels(model, predictor, label, rng)
    return World(study, weights, simulate(study, rows, labels, random_state=seed))
