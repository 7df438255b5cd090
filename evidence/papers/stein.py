"""The stein algorithms at the common size, beside the score estimator on the same people.

Gaussian features have variance 1/2; bounded ones are +-1/p, as in the texts. Labels are Bernoulli
for the logistic loss, and carry uniform noise up to 0.05 for the links. An algorithm that gives no
answer has an infinite error.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evidence.papers.row import Row
from tacit import Binary, Bounded, Study
from tacit.errors import ConvergenceError, NoFiniteMaximumError
from tacit.inference import fit
from tacit.labels import Label
from tacit.models import Family
from tacit.papers.stein import (
    LINKS,
    LOSSES,
    GaussianDesignGLM,
    Moments,
    SteinGLM,
    SteinRegression,
)
from tacit.protocol import simulated
from tacit.simulation import simulate

Floats = NDArray[np.float64]

FEATURES, PEOPLE, PUBLIC, RUNS = 10, 100_000, 50_000, 4
DELTA, NOISE, TARGET = 1e-6, 0.05, 0.1
_FEWEST, _MOST, _PLAN_DRAWS, _PLAN_ROWS = 3.0, 16.0, 3, 5_000


@dataclass(frozen=True)
class People:
    """One draw of the population: `mean` holds the labels' expectations."""

    truth: Floats
    X: Floats
    y: Floats
    mean: Floats
    public: Floats


@dataclass(frozen=True)
class Setting:
    """One line: whose algorithm on which population, as printed and as it is here."""

    problem: str
    algorithm: str
    design: str
    family: str
    printed: Callable[[float], Any] | None
    exact: Callable[[float], Any]


def _glm(**options: Any) -> Callable[[float], SteinGLM]:
    return lambda epsilon: SteinGLM(epsilon, DELTA, **options)


def _regression(**options: Any) -> Callable[[float], SteinRegression]:
    return lambda epsilon: SteinRegression(epsilon, DELTA, noise_bound=NOISE, **options)


def _both(make: Callable[..., Any], **options: Any) -> tuple[Any, Any]:
    return make(calibration="paper", **options), make(**options)


_LOGISTIC, _GAUSSIAN, _BOUNDED = "logistic, ", "Gaussian features", "bounded features"
_POOLED = (
    _glm(calibration="paper", pooling="printed"),
    _glm(radius="lemma"),
)
SETTINGS = (
    Setting(
        _LOGISTIC + _GAUSSIAN, "Algorithm 1", "gaussian", "logistic", *_both(_glm, pooling=None)
    ),
    Setting(
        _LOGISTIC + _GAUSSIAN,
        "Algorithm 1, pooled; exact: radius of Lemma 6",
        "gaussian",
        "logistic",
        *_POOLED,
    ),
    Setting(
        _LOGISTIC + _GAUSSIAN,
        "Algorithm 5 (two rounds)",
        "gaussian",
        "logistic",
        *_both(_glm, rounds=2, spectral_norm=0.5),
    ),
    Setting(
        _LOGISTIC + _GAUSSIAN,
        "GaussianDesignGLM",
        "gaussian",
        "logistic",
        None,
        lambda epsilon: GaussianDesignGLM(epsilon, spectral_norm=0.5),
    ),
    Setting(
        _LOGISTIC + _BOUNDED,
        "Algorithm 2",
        "bounded",
        "logistic",
        *_both(_glm, design="bounded", radius=1.0, pooling=None),
    ),
    Setting(
        "sigmoid link, " + _GAUSSIAN,
        "Algorithm 3",
        "gaussian",
        "sigmoid",
        *_both(_regression, link="sigmoid", pooling=None),
    ),
    Setting(
        "cubic link, " + _BOUNDED,
        "Algorithm 4",
        "bounded",
        "cubic",
        *_both(_regression, link="cubic", design="bounded", radius=1.0, pooling=None),
    ),
)

_LABELS: dict[
    str, Label
] = {  # known before anything is collected: a sigmoid's range, a cube's on [-1, 1]
    "logistic": Binary("y", positive=1, negative=0),
    "sigmoid": Bounded("y", -NOISE, 1.0 + NOISE),
    "cubic": Bounded("y", -1.0 - NOISE, 1.0 + NOISE),
}


def rows(epsilon: float) -> Iterator[Row]:
    """One row per algorithm: medians over runs."""
    for setting in SETTINGS:
        crowds = [people(setting.design, setting.family, run) for run in range(RUNS)]
        start = time.perf_counter()
        exact = [_error(setting.exact(epsilon), crowd, run) for run, crowd in enumerate(crowds)]
        seconds = (time.perf_counter() - start) / RUNS
        yield Row(
            problem=setting.problem,
            algorithm=f"stein {setting.algorithm}",
            epsilon=epsilon,
            measure="squared error of the coefficients",
            printed=_printed(setting, epsilon, crowds),
            exact=float(np.median(exact)),
            default=_default(setting.design, setting.family, epsilon),
            default_name="score",
            people=needed(setting.exact(epsilon), people(setting.design, setting.family, RUNS)),
            seconds=seconds,
        )


def _printed(setting: Setting, epsilon: float, crowds: list[People]) -> float:
    """Not a number where no text prints the algorithm."""
    if setting.printed is None:
        return math.nan
    errors = [_error(setting.printed(epsilon), crowd, run) for run, crowd in enumerate(crowds)]
    return float(np.median(errors))


@cache
def people(design: str, family: str, run: int) -> People:
    """The people and public rows of one run; the truth has length 1."""
    generator = np.random.default_rng([7, run])
    truth = generator.standard_normal(FEATURES)
    truth /= np.linalg.norm(truth)
    X, public = (_features(generator, design, count) for count in (PEOPLE, PUBLIC))
    mean = _family(family).mean(X @ truth)
    if family == "logistic":
        y = (generator.random(PEOPLE) < mean).astype(np.float64)
    else:
        y = mean + generator.uniform(-NOISE, NOISE, PEOPLE)
    return People(truth, X, y, mean, public)


def _family(name: Any) -> Family:
    return LOSSES["logistic"] if name == "logistic" else LINKS[name]


def _features(generator: np.random.Generator, design: str, count: int) -> Floats:
    if design == "gaussian":
        return generator.standard_normal((count, FEATURES)) * math.sqrt(0.5)
    return generator.choice([-1.0, 1.0], (count, FEATURES)) / FEATURES


def _error(made: Any, crowd: People, seed: int) -> float:
    public = [] if _without_public(made) else [crowd.public]
    try:
        coef = made.set_params(random_state=seed).fit(crowd.X, crowd.y, *public).coef_
    except ConvergenceError:
        return math.inf
    return _squared(coef, crowd)


def _without_public(made: Any) -> bool:
    return isinstance(made, GaussianDesignGLM) or made.rounds == 2


def _squared(coef: Floats, crowd: People) -> float:
    return float(((coef - crowd.truth) ** 2).sum())


@cache
def _default(design: str, family: str, epsilon: float) -> float:
    return float(
        np.median([_score(people(design, family, run), family, epsilon) for run in range(RUNS)])
    )


def _score(crowd: People, family: str, epsilon: float) -> float:
    """The package's own estimator, maximum likelihood, with an intercept as always."""
    label = _LABELS[family]
    public, private = (
        {f"x{j}": column for j, column in enumerate(X.T)} for X in (crowd.public, crowd.X)
    )
    study = Study.from_public(
        public, label=label, epsilon=epsilon, source="made up", simulation=True
    )
    labels = crowd.y.astype(int) if family == "logistic" else crowd.y
    tally = simulate(study, private, labels, random_state=1)
    try:
        found = fit(study, tally, public=public, family=_family(family)).solution("maximum")
    except (NoFiniteMaximumError, ConvergenceError):
        return math.inf
    return _squared(found.coef[1:], crowd)


def needed(made: Any, crowd: People) -> float:
    """People for the target error: the moments are known, their noise is that of n people."""
    some = slice(4 * _PLAN_ROWS)
    small = replace(crowd, X=crowd.X[some], mean=crowd.mean[some], public=crowd.public[:_PLAN_ROWS])

    def missed(exponent: float) -> bool:
        generator = np.random.default_rng(0)
        errors = [_planned(made, small, 10.0**exponent, generator) for _ in range(_PLAN_DRAWS)]
        return bool(np.median(errors) > TARGET)

    low, high = _FEWEST, _MOST
    if missed(high):
        return math.inf
    while high - low > 0.05:
        middle = (low + high) / 2
        low, high = (middle, high) if missed(middle) else (low, middle)
    return float(10.0**high)


def _planned(made: Any, crowd: People, count: float, generator: np.random.Generator) -> float:
    family = _family(made.link if isinstance(made, SteinRegression) else made.family)
    try:
        if isinstance(made, GaussianDesignGLM):
            coef = _planned_sphere(made, crowd, count, generator).solve(family)[1]
        else:
            coef = _planned_gaussian(made, crowd, count, generator).solve(family)[1]
    except ConvergenceError:
        return math.inf
    return _squared(coef, crowd)


def _planned_gaussian(made: Any, crowd: People, count: float, generator: Any) -> Any:
    public = None if made.rounds == 2 else crowd.public
    first = made.protocol(round(count), FEATURES, public)
    exact = _mean_moments(first.moments, crowd, crowd.mean)
    mean = exact + generator.normal(0.0, first.mechanism.sigma / math.sqrt(count), exact.shape)
    found = first.read(mean, round(count))
    if made.rounds == 1:
        return found
    X, y = crowd.X[:_PLAN_ROWS], crowd.y[:_PLAN_ROWS]
    return found.after(simulated(found, (X, y), generator), len(X))


def _planned_sphere(made: Any, crowd: People, count: float, generator: Any) -> Any:
    only = made.protocol(FEATURES)
    exact = _mean_moments(only.moments, crowd, crowd.mean - 0.5)
    spread = only.moments.longest * math.sqrt(only.mechanism.noise / count)
    return only.read(exact + generator.normal(0.0, spread, exact.shape))


def _mean_moments(moments: Moments, crowd: People, labels: Floats) -> Floats:
    return np.asarray(moments.encode(crowd.X, labels).mean(axis=0))
