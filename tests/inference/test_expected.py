"""Expected variances: the closed form is that of the weak prior, whatever people and noise."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import linalg

from tacit.inference.coefficients import coefficient_names, to_coefficients
from tacit.inference.design import Design
from tacit.inference.expected import Expected, Rows
from tacit.inference.likelihood import noise_per_person
from tacit.inference.prior import weak_precision
from tacit.study import Study
from tests.inference.helpers import LABELS, flat_in, make_design, make_study

Floats = NDArray[np.float64]


def _truth(study: Study, design: Design) -> Floats:
    weights = np.random.default_rng(1).normal(0.0, 0.6, design.size) * design.model.unit / 2
    weights[: design.model.width] += design.model.origin / study.transform.mixing[0, 0]
    return weights


def _information(design: Design, weights: Floats, people: float, noise: float) -> Floats:
    jacobian = design.jacobian(weights)
    inverse = np.linalg.inv(design.variance(weights, people, noise).total)
    return np.asarray(jacobian @ inverse @ jacobian)


@pytest.mark.parametrize("name", tuple(LABELS))
@pytest.mark.parametrize("people", [50.0, 1e4, 1e7])
def test_variances_are_those_of_a_prior_flat_in_the_coefficient(name: str, people: float) -> None:
    """For few people, many, and more than the public rows allow for; at two noises."""
    study = make_study(LABELS[name])
    design = make_design(study)
    weights, prior = _truth(study, design), weak_precision(study, design.model, 0.5)
    to_coef, noise = to_coefficients(study, design.model), noise_per_person(study)
    made = Expected.at(Rows(design, 1.0), weights, noise=3.0 * noise, prior=prior, to_coef=to_coef)
    for one in (made, made.with_noise(noise)):
        told = _information(design, weights, people, one.noise)
        expected = [a @ linalg.inv(told + flat_in(prior, a)) @ a for a in to_coef]
        assert np.allclose(one.variances(np.array([people]))[0], expected, rtol=1e-6)
        assert np.allclose(one.variances_each(np.full(len(to_coef), people)), expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["logistic", "multinomial"])
def test_tied_coefficients_are_those_of_the_smaller_model(name: str) -> None:
    """Two levels made one in every group: w = C theta, with the prior that it inherits."""
    study = make_study(LABELS[name])
    design, people = make_design(study), 2000.0
    weights, prior = _truth(study, design), weak_precision(study, design.model, 0.5)
    to_coef, noise = to_coefficients(study, design.model), noise_per_person(study)
    names = coefficient_names(study)
    south = [i for i, each in enumerate(names) if each.endswith("region: south")]
    west = [i for i, each in enumerate(names) if each.endswith("region: west")]
    made = Expected.at(Rows(design, 1.0), weights, noise=noise, prior=prior, to_coef=to_coef)
    smaller = linalg.null_space(to_coef[south] - to_coef[west])
    told = smaller.T @ _information(design, weights, people, noise) @ smaller
    inherited = smaller.T @ prior @ smaller
    expected = [
        1.0 / (1.0 / (a @ linalg.inv(told + inherited) @ a) - 1.0 / (a @ linalg.inv(inherited) @ a))
        for a in to_coef[south] @ smaller
    ]
    assert np.allclose(made.variances_tied(people, south, west), expected, rtol=1e-6)


def test_endless_people_leave_the_public_rows() -> None:
    """Four times the public rows behind each row: a quarter of the variance that remains."""
    study = make_study(LABELS["logistic"])
    design = make_design(study)
    weights, prior = _truth(study, design), weak_precision(study, design.model, 0.5)
    to_coef = to_coefficients(study, design.model)
    one, four = (
        Expected.at(Rows(design, each), weights, noise=5.0, prior=prior, to_coef=to_coef)
        for each in (1.0, 4.0)
    )
    endless = np.array([np.inf])
    assert np.allclose(one.variances(endless), 4.0 * four.variances(endless), rtol=0.02)


def test_few_rows_hold_as_much_of_a_rare_level_as_all() -> None:
    """Of 60,000 rows one in twelve is taken; of 60 with the rare level five, give or take one."""
    generator = np.random.default_rng(2)
    z = np.column_stack([np.ones(60_000), generator.standard_normal(60_000), np.zeros(60_000)])
    rare = generator.permutation(60_000)[:60]
    z[rare, 2] = np.sqrt(1000.0)
    model = make_design(make_study(LABELS["logistic"])).model
    few = Rows.few(Design.of(z, model), np.eye(3))
    assert len(few.design.z) == 5000
    assert few.each_stands_for == pytest.approx(12.0)
    assert abs((few.design.z[:, 2] > 0).sum() - 5) <= 1
