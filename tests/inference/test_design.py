"""The moments, their derivative and their covariance, against brute force."""

import numpy as np
import pytest

from tacit.inference.design import Design
from tacit.labels import Binary
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
    code, mean = label.corners, design.model.mean(predictor)
    options = len(code)
    chances = (1 + (options - 1) * mean @ code.T) / options  # the corners' chances have this mean
    outcomes = np.array([[np.kron(u, g) for g in code] for u in design.u])
    first = np.einsum("mk,mkd->d", chances, outcomes) / len(outcomes)
    second = np.einsum("mk,mkd,mke->de", chances, outcomes, outcomes) / len(outcomes)
    expected = np.einsum("mk,mkd->md", chances, outcomes)
    assert np.allclose(design.moments(weights), first, atol=1e-12)
    assert np.allclose(parts.privacy, 0.7 / 500 * np.eye(design.size))
    assert np.allclose(parts.people, (second - np.outer(first, first)) / 500, atol=1e-12)
    assert np.allclose(parts.public, np.cov(expected.T, ddof=0) / len(outcomes), atol=1e-12)
    assert np.allclose(parts.total, parts.privacy + parts.people + parts.public)


def test_a_row_of_length_zero_contributes_nothing() -> None:
    """Without an intercept a row of zeros has no direction."""
    model = Binary("y", positive=1).model()
    design = Design.of(np.array([[0.0, 0.0], [3.0, 4.0]]), model)
    assert np.array_equal(design.u, [[0.0, 0.0], [0.6, 0.8]])
    assert np.all(np.isfinite(design.moments(np.ones(2))))
