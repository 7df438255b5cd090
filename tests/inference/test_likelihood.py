"""The moments, their derivative and their covariance, against brute force."""

import numpy as np
import pytest
from scipy import stats

from tacit.families import Family, poisson
from tacit.inference.likelihood import Design
from tacit.inference.model import SoftmaxModel, model_for
from tacit.study.labels import Binary, Categorical, codes
from tests.inference.helpers import LABELS, make_design, make_study

NAMES = tuple(LABELS)


def some_weights(design: Design, seed: int = 3) -> np.ndarray:
    """Weights at which nothing is symmetric."""
    rng = np.random.default_rng(seed)
    return rng.normal(0.0, 0.7, design.size) * design.model.unit


@pytest.mark.parametrize("name", NAMES)
def test_jacobian_is_the_derivative_of_the_moments(name: str) -> None:
    """J agrees with central differences of G."""
    design = make_design(make_study(LABELS[name]), public=2000)
    weights = some_weights(design)
    step = 1e-5 * design.model.unit
    differences = np.array(
        [
            (design.moments(weights + step * e) - design.moments(weights - step * e)) / (2 * step)
            for e in np.eye(design.size)
        ]
    ).T
    scale = np.abs(differences).max()
    assert np.abs(design.jacobian(weights) - differences).max() < 1e-8 * scale


@pytest.mark.parametrize("name", NAMES)
def test_jacobian_is_symmetric_and_positive(name: str) -> None:
    """The function maximised is convex, and strictly so for independent columns."""
    design = make_design(make_study(LABELS[name]))
    jacobian = design.jacobian(some_weights(design))
    assert np.abs(jacobian - jacobian.T).max() <= 1e-12 * np.abs(jacobian).max()
    assert np.linalg.eigvalsh(jacobian)[0] > 0


@pytest.mark.parametrize("name", NAMES)
def test_variance_is_that_of_fresh_people_and_fresh_public_rows(name: str) -> None:
    """V by its parts equals the covariance computed row by row from the definition."""
    label = LABELS[name]
    study = make_study(label)
    design = make_design(study)
    weights = some_weights(design)
    parts = design.variance(weights, people=500, noise=0.7)
    predictor = design.predictor(weights)
    code, mean = codes(label), design.model.mean(predictor)
    if isinstance(design.model, SoftmaxModel):
        chances = design.model.predicted(predictor)
    else:
        chances = np.column_stack([(1 - mean[:, 0]) / 2, (1 + mean[:, 0]) / 2])
    outcomes = np.array([[np.kron(u, g) for g in code] for u in design.u])
    first = np.einsum("mk,mkd->d", chances, outcomes) / len(outcomes)
    second = np.einsum("mk,mkd,mke->de", chances, outcomes, outcomes) / len(outcomes)
    expected = np.einsum("mk,mkd->md", chances, outcomes)
    assert np.allclose(design.moments(weights), first, atol=1e-12)
    assert np.allclose(parts.privacy, 0.7 / 500 * np.eye(design.size))
    assert np.allclose(parts.people, (second - np.outer(first, first)) / 500, atol=1e-12)
    assert np.allclose(parts.public, np.cov(expected.T, ddof=0) / len(outcomes), atol=1e-12)
    assert np.allclose(parts.total, parts.privacy + parts.people + parts.public)


def test_two_classes_are_the_logistic_model() -> None:
    """The multinomial model with K = 2 has the moments of the logistic one."""
    predictor = np.linspace(-4, 4, 9)[:, None]
    logistic = model_for(Binary("y", positive="b", negative="a"), None)
    softmax = model_for(Categorical("y", ("a", "b")), None)
    assert np.allclose(logistic.mean(predictor), softmax.mean(predictor))
    assert np.allclose(logistic.slope(predictor), softmax.slope(predictor))
    assert np.allclose(logistic.second(predictor), softmax.second(predictor))
    assert np.allclose(logistic.predicted(predictor), softmax.predicted(predictor))


@pytest.mark.parametrize("cap", [1, 2, 5, 40])
def test_capped_mean_is_exact(cap: int) -> None:
    """E min(Y, cap) equals the sum over the Poisson law, and its slope the derivative."""
    family, predictor = poisson(cap), np.linspace(-5.0, 4.0, 19)
    rate = np.exp(predictor)
    counts = np.arange(2000)
    summed = (stats.poisson.pmf(counts, rate[:, None]) * np.minimum(counts, cap)).sum(axis=1)
    assert np.allclose(family.mean(predictor), summed, rtol=1e-10)
    slope = (family.mean(predictor + 1e-6) - family.mean(predictor - 1e-6)) / 2e-6
    assert np.allclose(family.slope(predictor), slope, rtol=1e-6, atol=1e-8)
    assert np.allclose(family.predicted(predictor), rate)


def test_poisson_survives_any_predictor() -> None:
    """Far predictors give the cap and a zero slope, not an overflow."""
    family = poisson(10)
    assert np.allclose(family.mean(np.array([-1e6, 1e6])), [0.0, 10.0])
    assert np.allclose(family.slope(np.array([-1e6, 1e6])), [0.0, 0.0])


def test_a_row_of_length_zero_contributes_nothing() -> None:
    """Without an intercept a row of zeros has no direction."""
    model = model_for(Binary("y", positive=1), None)
    design = Design.of(np.array([[0.0, 0.0], [3.0, 4.0]]), model)
    assert np.array_equal(design.u, [[0.0, 0.0], [0.6, 0.8]])
    assert np.all(np.isfinite(design.moments(np.ones(2))))


def test_own_family_is_used() -> None:
    """A family of one's own replaces the label's model."""
    probit = Family("probit", mean=stats.norm.cdf, slope=stats.norm.pdf)
    model = model_for(Binary("y", positive=1), probit)
    assert np.allclose(model.mean(np.array([[0.0], [1.0]])), [[0.0], [2 * stats.norm.cdf(1) - 1]])
