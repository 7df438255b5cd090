"""Public rows from a survey that reached some people more than others, and what puts that right."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evidence import populations
from evidence.one_run import collect
from evidence.populations import Columns
from tacit import Feature, Study
from tacit.inference import fit

Floats = NDArray[np.float64]

LEVEL = 0.95
WEIGHT = "weight"
_REGIONS = ("north", "south", "east", "west")
_PEOPLE, _REACHED = (0.4, 0.3, 0.2, 0.1), (0.2, 0.2, 0.3, 0.3)  # shares of the regions
_SHIFT = 0.5  # of the mean of x0 among those reached
_MARGINS = {"region": dict(zip(_REGIONS, _PEOPLE, strict=True)), "x0": 0.0}
HOW: dict[str, dict[str, Any]] = {
    "as they are": {},
    "weights": {"weights": WEIGHT},
    "margins": {"margins": _MARGINS},
}


@dataclass(frozen=True)
class Size:
    """How large each study is, and how many there are."""

    epsilon: float
    people: int
    public_rows: int
    runs: int


FULL = Size(epsilon=4.0, people=20_000, public_rows=2_000, runs=300)


@dataclass(frozen=True)
class Scores:
    """Errors of maximum likelihood in units of their stated standard errors, (runs, coefficients).

    `covered` says whether the interval of the table holds the truth.
    """

    how: str
    errors: Floats
    covered: NDArray[np.bool_]
    public_share: float

    @property
    def bias(self) -> float:
        """The largest mean error of a coefficient."""
        return float(np.abs(self.errors.mean(axis=0)).max())

    @property
    def spread(self) -> float:
        """How large errors are: 1 where the stated standard errors are right and nothing biased."""
        return float(np.sqrt((self.errors**2).mean()))

    @property
    def coverage(self) -> float:
        """Of the intervals."""
        return float(self.covered.mean())


def reached(generator: np.random.Generator, count: int) -> Columns:
    """Rows of the population "categorical" as a lopsided survey finds them, with their weights."""
    region = generator.choice(_REGIONS, count, p=_REACHED)
    x0 = generator.normal(_SHIFT, 1.0, count)
    ratio = dict(zip(_REGIONS, np.array(_PEOPLE) / np.array(_REACHED), strict=True))
    weight = np.array([ratio[each] for each in region]) * np.exp(_SHIFT**2 / 2 - _SHIFT * x0)
    housing = generator.choice(["rent", "own", "family"], count, p=[0.5, 0.35, 0.15])
    return {"region": region, "housing": housing, "x0": x0, WEIGHT: weight}


def scores(how: str, size: Size, seed: int) -> Scores:
    """Of tables of studies whose public rows are used in this way."""
    runs = [_one(how, size, [seed, run]) for run in range(size.runs)]
    errors, covered, shares = zip(*runs, strict=True)
    return Scores(how, np.array(errors), np.array(covered), float(np.mean(shares)))


def _one(how: str, size: Size, seed: list[int]) -> tuple[Floats, NDArray[np.bool_], float]:
    population = populations.categorical()
    public = reached(np.random.default_rng([*seed, 0]), size.public_rows)
    study = Study.from_public(
        public,
        label=population.label,
        epsilon=size.epsilon,
        source="made up",
        features=[Feature("region", levels=_REGIONS), "housing", "x0"],
        simulation=True,
        **HOW[how],
    )
    tally = collect(study, population, size.people, [*seed, 1])
    found = fit(study, tally, public=public)
    truth = np.array([population.truth[name] for name in found.names])
    low, high = found.conf_int(LEVEL).T
    maximum = found.solution("maximum")
    errors = (maximum.coef - truth) / maximum.standard_errors
    return errors, (low <= truth) & (truth <= high), float(maximum.shares[2].mean())
