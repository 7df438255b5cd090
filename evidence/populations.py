"""Made-up populations with known coefficients, one for each shape of features a survey may have."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tacit import Binary, Bounded, Categorical, Count
from tacit.labels import Label

Floats = NDArray[np.float64]
Columns = dict[str, NDArray[Any]]
Draw = Callable[[np.random.Generator, int], Columns]

INTERCEPT = "intercept"
_NAMES = tuple(f"x{j}" for j in range(5))
_SLOPES = (0.6, -0.5, 0.4, 0.0, -0.3)  # of columns with unit variance
_PERSON_NOISE = 1.0  # half the width of the uniform noise of linear labels


@dataclass(frozen=True)
class Population:
    """How rows are drawn, and the coefficients that make labels of them, by name.

    Labels of several classes have names such as "b vs a: x0".
    """

    name: str
    rows: Draw
    truth: Mapping[str, float]
    label: Label = Binary("label", positive=True, negative=False)  # noqa: RUF009

    @property
    def intercept(self) -> bool:
        """Whether the model has one."""
        return any(name.endswith(INTERCEPT) for name in self.truth)

    def predictor(self, rows: Columns, outcome: str = "") -> Floats:
        """The linear predictor of raw rows, from the coefficients whose names start with it."""
        count = len(next(iter(rows.values())))
        total = np.zeros(count)
        for name, value in self.truth.items():
            if name.startswith(outcome):
                total += value * _column(rows, name.removeprefix(outcome), count)
        return total

    def labels(self, rows: Columns, generator: np.random.Generator) -> NDArray[Any]:
        """Labels drawn from the model."""
        if isinstance(self.label, Categorical):
            return self._classes(rows, self.label.levels, generator)
        mean = self.expected(rows)[:, -1]
        if isinstance(self.label, Count):
            return np.asarray(generator.poisson(mean))
        if isinstance(self.label, Bounded):
            return mean + generator.uniform(-_PERSON_NOISE, _PERSON_NOISE, len(mean))
        return np.asarray(generator.random(len(mean)) < mean)

    def expected(self, rows: Columns) -> Floats:
        """Chances of every class (n, K), or the mean of a number (n, 1)."""
        if isinstance(self.label, Categorical):
            first, *others = self.label.levels
            logits = [self.predictor(rows, f"{other} vs {first}: ") for other in others]
            every = np.column_stack([np.zeros_like(logits[0]), *logits])
            return np.asarray(special.softmax(every, axis=1))
        predictor = self.predictor(rows)
        if isinstance(self.label, Count):
            return np.exp(predictor)[:, None]
        if isinstance(self.label, Bounded):
            return predictor[:, None]
        chance = special.expit(predictor)
        return np.column_stack([1.0 - chance, chance])

    def _classes(
        self, rows: Columns, levels: Sequence[Any], generator: np.random.Generator
    ) -> NDArray[Any]:
        chances = self.expected(rows)
        uniform = generator.random((len(chances), 1))
        drawn = (uniform > np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1)
        return np.asarray(np.array(levels)[drawn])


def _column(rows: Columns, name: str, count: int) -> NDArray[Any]:
    if name == INTERCEPT:
        return np.ones(count)
    column, _, level = name.partition(": ")
    return (rows[column] == level).astype(float) if level else rows[column].astype(float)


def _named(matrix: Floats) -> Columns:
    return {name: matrix[:, j] for j, name in enumerate(_NAMES[: matrix.shape[1]])}


def _slopes(intercept: float | None, scale: tuple[float, ...] = (1.0,) * 5) -> dict[str, float]:
    start = {} if intercept is None else {INTERCEPT: intercept}
    slopes = (slope * unit for slope, unit in zip(_SLOPES, scale, strict=True))
    return start | dict(zip(_NAMES, slopes, strict=True))


def gaussian() -> Population:
    """Independent normal columns."""
    return Population("Gaussian", lambda g, n: _named(g.standard_normal((n, 5))), _slopes(-0.3))


def without_intercept() -> Population:
    """Normal columns that are not centred, and a model through the origin."""
    return Population(
        "no intercept", lambda g, n: _named(0.5 + g.standard_normal((n, 5))), _slopes(None)
    )


def bernoulli() -> Population:
    """Fair yes-or-no answers; coefficients in units of an answer."""
    return Population(
        "Bernoulli",
        lambda g, n: _named((g.random((n, 5)) < 0.5).astype(float)),
        _slopes(-0.3, scale=(2.0,) * 5),
    )


def rare_binary() -> Population:
    """Answers of which 3% to 20% are yes."""
    rates = np.array([0.03, 0.05, 0.1, 0.15, 0.2])
    return Population(
        "rare binary",
        lambda g, n: _named((g.random((n, 5)) < rates).astype(float)),
        _slopes(0.2, scale=(1.5,) * 5),
    )


def student_t4() -> Population:
    """Columns with the tails of Student's t with 4 degrees of freedom, of variance 1."""
    return Population(
        "heavy tails (t4)",
        lambda g, n: _named(g.standard_t(4, (n, 5)) / math.sqrt(2.0)),
        _slopes(-0.3),
    )


def exponential() -> Population:
    """Skewed positive columns."""
    return Population(
        "exponential", lambda g, n: _named(g.standard_exponential((n, 5))), _slopes(-0.4)
    )


def correlated(condition: float = 100.0) -> Population:
    """Normal columns of variance 1 whose correlation matrix has this condition number."""
    shared = (condition - 1.0) / (condition + 4.0)  # of equicorrelated columns
    root = np.linalg.cholesky(np.full((5, 5), shared) + (1.0 - shared) * np.eye(5))
    return Population(
        f"correlated, condition number {condition:g}",
        lambda g, n: _named(g.standard_normal((n, 5)) @ root.T),
        _slopes(-0.3),
    )


def categorical() -> Population:
    """Two questions with named levels beside a number."""

    def rows(generator: np.random.Generator, count: int) -> Columns:
        region = generator.choice(["north", "south", "east", "west"], count, p=[0.4, 0.3, 0.2, 0.1])
        housing = generator.choice(["rent", "own", "family"], count, p=[0.5, 0.35, 0.15])
        return {"region": region, "housing": housing, "x0": generator.standard_normal(count)}

    truth = {
        INTERCEPT: -0.2,
        "region: east": 0.8,
        "region: south": -0.5,
        "region: west": 0.0,
        "housing: family": 0.6,
        "housing: own": -0.7,
        "x0": 0.5,
    }
    return Population("categorical", rows, truth)


def linear() -> Population:
    """Uniform columns and a number that stays within its stated range of -5 to 5."""
    side = math.sqrt(3.0)
    return Population(
        "linear",
        lambda g, n: _named(g.uniform(-side, side, (n, 5))),
        _slopes(0.5),
        Bounded("label", -5.0, 5.0),
    )


def poisson() -> Population:
    """Counts, of which devices report at most 4."""
    return Population(
        "Poisson, capped at 4",
        lambda g, n: _named(g.standard_normal((n, 5))),
        _slopes(0.3, scale=(0.5,) * 5),
        Count("label", 4),
    )


def multinomial() -> Population:
    """Three classes."""
    slopes = {
        "b vs a: ": (0.3, 0.6, -0.4, 0.0, 0.2, -0.3),
        "c vs a: ": (-0.2, 0.0, 0.5, -0.6, 0.3, 0.0),
    }
    truth = {
        prefix + name: value
        for prefix, values in slopes.items()
        for name, value in zip((INTERCEPT, *_NAMES), values, strict=True)
    }
    return Population(
        "multinomial, 3 classes",
        lambda g, n: _named(g.standard_normal((n, 5))),
        truth,
        Categorical("label", ("a", "b", "c")),
    )
