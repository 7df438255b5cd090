"""Priors on components, told as precisions of weights."""

import numpy as np
import pytest
from scipy import linalg

from tacit.inference.prior import weak_precision
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
