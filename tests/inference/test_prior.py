"""Priors on components, told as precisions of weights."""

import numpy as np
import pytest
from scipy import linalg

from tacit.inference.coefficients import to_coefficients
from tacit.inference.prior import flat_in, weak_precision
from tests.inference.helpers import LABELS, make_design, make_study


@pytest.mark.parametrize("name", tuple(LABELS))
def test_the_weak_prior_spreads_its_signal_over_the_public_rows(name: str) -> None:
    """Each predictor varies by what is stated over the public rows, but for its mean."""
    study = make_study(LABELS[name])
    design = make_design(study)
    covariance = linalg.inv(weak_precision(study, design.model, 2.0))
    spread = np.cov(design.z.T, bias=True)
    width = design.model.width
    for k in range(width):
        of_one = covariance[k::width, k::width]
        expected = 2.0 * design.model.unit**2
        assert np.trace(of_one @ spread) == pytest.approx(expected, rel=1e-4)  # 6 digits


def test_a_prior_flat_in_a_coefficient_says_nothing_of_it() -> None:
    """Along the coefficient's own direction there is no pull; given it, the prior is as it was."""
    study = make_study(LABELS["logistic"])
    model = make_design(study).model
    precision = weak_precision(study, model, 1.0)
    a = to_coefficients(study, model)[2]
    flat = flat_in(precision, a)
    along = linalg.inv(precision) @ a
    assert np.allclose(flat @ along, 0.0, atol=1e-9 * np.abs(precision).max())
    rest = linalg.null_space(a[None, :])
    assert np.allclose(rest.T @ flat @ rest, rest.T @ precision @ rest)
