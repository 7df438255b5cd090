"""Whole studies again and again, with the geometry of a study, with a focus, and with the old one.

Labels are drawn from a logistic model with realistic coefficients: those of a fit to every raw row.
Every run draws its own public rows, study, labels and reports. The old geometry gives components
shares in proportion to the root of their variance.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy import special

from evidence import surveys
from evidence.datasets import Columns
from evidence.surveys import Survey, raw_coefficients
from tacit import Binary, Feature, Study, fit
from tacit.inference.coefficients import coefficient_scales
from tacit.simulation import simulate_tally
from tacit.study.shares import by_root

Floats = NDArray[np.float64]

EPSILON = 1.0
LEVEL = 0.95
GEOMETRIES = ("root", "coefficients", "focus")
_RARE = 0.005  # of the rows: rarer levels and answers are left out, so that every run has the same
_QUARTILES = 1.349  # standard deviations between the quartiles of a normal distribution


@dataclass(frozen=True)
class World:
    """People with their features, the coefficients that make their labels, and what is in focus."""

    name: str
    people: Columns
    features: tuple[Feature, ...]
    truth: dict[str, float]
    focus: str
    public_rows: int
    label: Any


@dataclass(frozen=True)
class Repeated:
    """Errors, lower and upper ends of every run (runs, coefficients), in public deviations."""

    names: tuple[str, ...]
    people: int
    errors: Floats
    low: Floats
    high: Floats

    @property
    def spread(self) -> Floats:
        """Standard deviation of each estimate, by its quartiles: some may be endless."""
        low, high = np.quantile(self.errors, (0.25, 0.75), axis=0, method="nearest")
        return np.asarray((high - low) / _QUARTILES)

    @property
    def covered(self) -> float:
        """Share of the intervals that hold the truth."""
        return float(((self.low <= 0.0) & (self.high >= 0.0)).mean())


def fewer_people(before: Repeated, after: Repeated, coefficient: str = "") -> float:
    """How many times, for one coefficient, or for all but the intercept at one geometric mean."""
    if coefficient:
        place = after.names.index(coefficient)
        return float((before.errors[:, place].std() / after.errors[:, place].std()) ** 2)
    ratios = np.log(before.spread / after.spread)[[n != "intercept" for n in after.names]]
    return float(np.exp(2.0 * ratios.mean()))


def of_survey(survey: Survey, focus: str) -> World:
    """The survey's people with labels from the model that fits them best."""
    columns = dict(survey.columns)
    labels = columns.pop(survey.label.column)
    kept = {name: values for name, values in columns.items() if _varies(values)}
    common = np.all([_is_common(values) for values in kept.values()], axis=0)
    people, labels = {name: values[common] for name, values in kept.items()}, labels[common]
    features = tuple(_feature(name, values) for name, values in people.items())
    reference = Study.from_public(
        people, label=survey.label, epsilon=1.0, source="all rows", features=features
    )
    truth = raw_coefficients(reference, people, labels)
    return World(survey.name, people, features, truth, focus, survey.public_rows, survey.label)


def _varies(values: NDArray[Any]) -> bool:
    """No answer but a rare one differs from the commonest."""
    return values.dtype.kind == "O" or float((values != np.median(values)).mean()) >= _RARE


def _is_common(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows have no level that is rare."""
    if values.dtype.kind != "O":
        return np.ones(len(values), dtype=bool)
    _, places, counts = np.unique(values.astype(str), return_inverse=True, return_counts=True)
    return np.asarray((counts >= _RARE * len(values))[places])


def _feature(name: str, values: NDArray[Any]) -> Feature:
    """With its levels in the order of the whole, whatever a sample holds."""
    if values.dtype.kind != "O":
        return Feature(name)
    levels, counts = np.unique(values.astype(str), return_counts=True)
    return Feature(name, "categorical", levels=tuple(levels[np.argsort(-counts)].tolist()))


def correlated(seed: int = 1, count: int = 70_000) -> World:
    """Ten normal columns with correlation 0.9^|i - j|."""
    generator = np.random.default_rng(seed)
    places = np.arange(10)
    root = np.linalg.cholesky(0.9 ** np.abs(places[:, None] - places))
    rows = generator.standard_normal((count, 10)) @ root.T
    slopes = (0.8, -0.6, 0.4, 0.0, -0.3, 0.5, -0.5, 0.3, 0.0, 0.4)
    names = tuple(f"x{j}" for j in places)
    truth = {"intercept": -0.3} | dict(zip(names, slopes, strict=True))
    people = {name: rows[:, j] for j, name in enumerate(names)}
    features = tuple(Feature(name, "numeric") for name in names)
    label = Binary("label", positive=True, negative=False)
    return World("ten correlated columns", people, features, truth, "x5", 10_000, label)


def repeated(world: World, geometry: str, epsilon: float, runs: int, seed: int) -> Repeated:
    """So many studies with one geometry; the same seed draws the same people for each."""
    found = [_run(world, geometry, epsilon, [seed, run]) for run in range(runs)]
    names = found[0][0]
    errors, low, high = (np.array([one[part] for one in found]) for part in (1, 2, 3))
    people = len(next(iter(world.people.values()))) - world.public_rows
    return Repeated(names, people, errors, low, high)


def _run(
    world: World, geometry: str, epsilon: float, seed: list[int]
) -> tuple[tuple[str, ...], Floats, Floats, Floats]:
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(next(iter(world.people.values()))))
    chosen, others = np.split(order, [world.public_rows])
    public, people = ({k: v[part] for k, v in world.people.items()} for part in (chosen, others))
    # a study around the public rows
    study = Study.from_public(
        public, label=world.label, epsilon=epsilon, source="a random sample", simulation=True,
        features=world.features, focus=(world.focus,) if geometry == "focus" else (),
    )  # fmt: skip
    if geometry == "root":
        study = rooted(study)
    # labels of the others, from the true coefficients
    truth = np.array([world.truth[name] for name in study.transform.names])
    z = study.encode(people)
    chance = special.expit(z @ np.linalg.solve(study.transform.to_original, truth))
    yes = (generator.random(len(chance)) < chance).astype(np.float64)
    # their reports, and the table
    tally = simulate_tally(study, z, np.column_stack([1.0 - yes, yes]), generator)
    table = fit(study, tally, public=public).table(LEVEL)
    scale = coefficient_scales(study)
    ends = (scale * (each - truth) for each in (table.estimate, table.low, table.high))
    return (study.transform.names, *ends)


def rooted(study: Study) -> Study:
    """The same study with shares in proportion to the root of the variance."""
    transform = study.transform
    first = int(transform.intercept)
    shares = by_root(
        np.asarray(transform.spectrum),
        sum(transform.shares) + sum(float(np.dot(tilt, tilt)) for tilt in transform.tilts),
    )
    components = np.linalg.solve(transform.mixing[first:, first:], transform.loadings)
    matrix = np.sqrt(shares)[:, None] * components
    changed = msgspec.structs.replace(
        transform,
        matrix=tuple(tuple(row) for row in matrix.tolist()),
        shares=tuple(shares.tolist()),
        tilts=(),
    )
    return msgspec.structs.replace(study, transform=changed)


WORLDS: tuple[tuple[Callable[[], World], int], ...] = (
    (correlated, 60),
    (lambda: of_survey(surveys.covertype(), "Elevation"), 40),
)
