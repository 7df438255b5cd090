"""Whether questions to a tally are answered rightly."""

import numpy as np
import pytest
from numpy.typing import NDArray

from evidence import populations, questions
from evidence.questions import RUNS, Asked

LOWEST, HIGHEST = 0.035, 0.065  # of tests at 5%, what the project promises
COVERED = (0.93, 0.97)  # by 95% intervals
TOLERANCE = 7.0  # standard errors
QUICK = 40
_REGIONS = dict.fromkeys(("region: east", "region: south", "region: west"), 0.0)

TRUE = {
    "dropped and tied": Asked(
        populations.gaussian,
        1.0,
        30_000,
        {"drop": ["x3"], "tie": [["x1", "x4"]]},
        {"x1": -0.4, "x4": -0.4},
    ),
    "feature and merged levels": Asked(
        populations.categorical,
        2.0,
        12_000,
        {"drop": ["region"], "merge": {"housing": [["own", "family"]]}},
        {**_REGIONS, "housing: own": 0.5, "housing: family": 0.5},
    ),
    "classes": Asked(
        populations.multinomial,
        4.0,
        6_000,
        {"drop": ["x3"]},
        {"b vs a: x3": 0.0, "c vs a: x3": 0.0},
    ),
    "counts": Asked(populations.poisson, 4.0, 6_000, {"drop": ["x1", "x3"]}, {"x1": 0.0}),
}
ONE = Asked(populations.gaussian, 1.0, 30_000, {"drop": ["x3"]})


def rejected(p: NDArray[np.float64]) -> float:
    """How often a test at 5% says no."""
    return float((p < 0.05).mean())


@pytest.mark.assure
@pytest.mark.parametrize("name", tuple(TRUE))
def test_a_true_submodel_is_rejected_as_often_as_stated(name: str) -> None:
    """At 5% between 3.5% and 6.5% of 2,000 runs."""
    p = np.array([test.p for test in questions.left_out(TRUE[name], RUNS, seed=1)])
    assert LOWEST <= rejected(p) <= HIGHEST


def test_the_statistic_of_a_true_submodel_is_chi_square_on_average() -> None:
    """Its mean is its degrees of freedom, within seven standard errors of chi-square."""
    asked = TRUE["feature and merged levels"]
    tests = questions.left_out(asked, QUICK, seed=2)
    degrees = tests[0].degrees
    mean = float(np.mean([test.statistic for test in tests]))
    assert degrees == 4
    assert abs(mean - degrees) < TOLERANCE * np.sqrt(2 * degrees / QUICK)


@pytest.mark.assure
def test_what_is_five_standard_errors_away_is_found() -> None:
    """A normal estimate there is beyond 1.96 of them in 99.9% of runs."""
    fit = ONE.fit([3, 0])
    away = 5.0 * float(fit.standard_errors[fit.names.index("x3")])
    runs = 200
    p = np.array([test.p for test in questions.left_out(ONE, runs, seed=3, x3=away)])
    assert rejected(p) >= 0.999 - TOLERANCE * np.sqrt(0.001 / runs)


@pytest.mark.assure
@pytest.mark.parametrize(
    "asked",
    [
        Asked(populations.gaussian, 1.0, 30_000),
        Asked(populations.gaussian, 8.0, 100_000),
        Asked(populations.categorical, 2.0, 12_000),
        Asked(populations.multinomial, 4.0, 6_000),
        Asked(populations.poisson, 4.0, 6_000),
    ],
    ids=lambda asked: f"{asked.make.__name__}-{asked.epsilon:g}",
)
def test_averages_are_covered(asked: Asked) -> None:
    """Effects, and mean predictions within seven binomial standard errors of 95%."""
    effects, means = questions.averages(asked, 400, seed=4)
    low, high = COVERED
    assert low <= (np.abs(effects) < 1.96).mean() <= high
    noise = np.sqrt(0.95 * 0.05 / 400)
    assert abs((np.abs(means) < 1.96).mean() - 0.95) < TOLERANCE * noise


@pytest.mark.assure
@pytest.mark.parametrize(("epsilon", "people"), [(1.0, 30_000), (8.0, 100_000)])
def test_equal_populations_differ_as_often_as_stated(epsilon: float, people: int) -> None:
    """Also where public rows, which the two tallies share, make most of each one's error."""
    p, z = questions.compared(Asked(populations.gaussian, epsilon, people), 400, seed=5)
    noise = np.sqrt(0.95 * 0.05 / len(p))
    assert abs(rejected(p) - 0.05) < TOLERANCE * noise
    assert abs((np.abs(z) < 1.96).mean() - 0.95) < TOLERANCE * noise
