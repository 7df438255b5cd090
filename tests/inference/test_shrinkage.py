"""Empirical Bayes: the mode, the evidence, and what shrinkage is worth."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import linalg, stats

from tacit import Bounded, Study
from tacit.arrays import Floats
from tacit.inference.likelihood import Likelihood, Observed, start_weights
from tacit.inference.maximise import Endless, maximise
from tacit.inference.penalised import Penalised
from tacit.inference.posterior import spectrum_of
from tacit.inference.prior import weak_precision
from tacit.inference.shrinkage import POWERS, SIGNALS, Mode, Spectrum, shrink
from tacit.inference.terms import Terms
from tacit.models import LabelModel
from tests.inference.helpers import LABELS, make_design, make_rows, make_study


def _shrunken(study: Study, observed: Observed) -> Mode:
    design = make_design(study)
    start = start_weights(study, design.model)
    likelihood = Likelihood(study, design, observed, start, Terms.of(study))
    return shrink(likelihood, spectrum_of(study))


def test_prior_variance_adds_up_to_the_signal() -> None:
    """Over all components the prior spreads `signal` of predictor variance, by lambda^k."""
    mixing = np.diag(np.sqrt([0.1, 0.5, 0.3, 0.1])) + np.tril(np.full((4, 4), 0.05), -1)
    back = np.linalg.inv(mixing)
    spectrum = Spectrum(np.array([4.0, 1.0, 0.25]), mixing)
    for power in POWERS:
        precision = spectrum.precision(0.7, power, width=1, unit=3.0)
        of_components = np.diag(np.linalg.inv(back @ precision @ back.T)) / 9.0
        component_variance = of_components[1:]
        assert component_variance.sum() == pytest.approx(0.7)
        assert of_components[0] == pytest.approx(4.0)
        ratio = component_variance[0] / component_variance[2]
        assert ratio == pytest.approx((4.0 / 0.25) ** power)


@pytest.mark.parametrize("name", ["logistic", "multinomial"])
def test_priors_are_the_same_whatever_the_geometry(name: str) -> None:
    """What is assumed of predictors at public rows does not depend on what reports measure."""
    plain, tilted, poured = (
        make_study(LABELS[name], **how)
        for how in ({}, {"focus": ("age", "region")}, {"purpose": "predictions", "people": 1000})
    )
    for prior in (
        lambda study, model: spectrum_of(study).precision(0.7, 1.5, model.width, model.unit),
        lambda study, model: weak_precision(study, model, 0.5),
    ):
        expected = _predicted_covariance(plain, prior)
        assert len(tilted.transform.tilts) == 3
        for study in (tilted, poured):
            found = _predicted_covariance(study, prior)
            assert np.allclose(found, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def _predicted_covariance(study: Study, prior: Callable[[Study, LabelModel], Floats]) -> Floats:
    """Of the first predictor at a few public rows; 6 digits of the matrix are published."""
    model = study.label.model()
    z = study.encode(make_rows(12, 0))
    return np.asarray(z @ linalg.inv(prior(study, model))[:: model.width, :: model.width] @ z.T)


def test_the_linear_model_has_the_closed_form_posterior() -> None:
    """For a linear mean the mode is that of a Gaussian posterior, at the prior it chose."""
    study = make_study(LABELS["linear"])
    design, start = make_design(study), start_weights(study, make_design(study).model)
    rng = np.random.default_rng(5)
    truth = start + rng.normal(0.0, 3.0, design.size)
    observed = Observed(design.moments(truth) + rng.normal(0.0, 0.01, design.size), 5000, 0.5)
    found = _shrunken(study, observed)
    prior = spectrum_of(study).precision(found.signal, found.power, 1, design.model.unit)
    jacobian = design.jacobian(start)
    inverse = linalg.inv(design.variance(found.weights, 5000, 0.5).total)
    curvature = jacobian.T @ inverse @ jacobian + prior
    pull = jacobian.T @ inverse @ (observed.mean - design.moments(start))
    assert np.allclose(found.weights - start, linalg.solve(curvature, pull), rtol=0.01, atol=0.05)


def test_evidence_is_the_marginal_likelihood_for_a_linear_mean() -> None:
    """Differences of the Laplace evidence equal those of the exact marginal density."""
    study = make_study(LABELS["linear"])
    design = make_design(study)
    start = start_weights(study, design.model)
    rng = np.random.default_rng(6)
    mean = design.moments(start) + rng.normal(0.0, 0.05, design.size)
    variance = design.variance(start, 2000, 0.5).total
    problem = Penalised(design, mean, start, linalg.inv(variance))
    jacobian, spectrum = design.jacobian(start), spectrum_of(study)
    laplace, exact = [], []
    for signal in (SIGNALS[0], SIGNALS[4], SIGNALS[-1]):
        prior = spectrum.precision(signal, 1.0, 1, design.model.unit)
        laplace.append(problem.evidence(prior, problem.mode(prior, start)))
        marginal = variance + jacobian @ linalg.inv(prior) @ jacobian.T
        exact.append(stats.multivariate_normal(design.moments(start), marginal).logpdf(mean))
    assert np.allclose(np.diff(laplace), np.diff(exact), atol=1e-4)


@pytest.mark.parametrize("name", tuple(LABELS))
def test_predictions_exist_where_coefficients_do_not(name: str) -> None:
    """A tally of pure noise still has a finite mode."""
    study = make_study(LABELS[name])
    design = make_design(study)
    mean = np.random.default_rng(2).normal(0.0, 1.0, design.size)
    found = _shrunken(study, Observed(mean, 50, 50.0))
    assert np.isfinite(found.weights).all()


def test_shrinks_when_nothing_was_learned() -> None:
    """With noise far above any signal the predictor stays small, whatever the noise says."""
    study = make_study(LABELS["logistic"])
    design = make_design(study)
    for seed in range(10):
        mean = np.random.default_rng(seed).normal(0.0, 0.5, design.size)
        found = _shrunken(study, Observed(mean, 100, 0.25 * 100))
        assert np.sqrt(np.mean(design.predictor(found.weights)[:, 0] ** 2)) < 2.0


def test_shrinks_towards_the_middle_of_the_label() -> None:
    """Where nothing was learned the mean predicted is that of an even label, not zero."""
    study = make_study(Bounded("y", 1_000.0, 1_040.0))
    design = make_design(study)
    even = Observed(np.zeros(design.size), 100, 25.0)
    found = _shrunken(study, even)
    assert np.allclose(design.predictor(found.weights), 1_020.0)


def test_predicts_better_than_maximum_likelihood_under_noise() -> None:
    """Over many noisy tallies the mode's predictor is nearer to the truth, by far."""
    study = make_study(LABELS["logistic"])
    design, start = make_design(study), start_weights(study, make_design(study).model)
    rng = np.random.default_rng(4)
    people, noise = 20_000, 60.0 / 7
    gaps = []
    for _ in range(20):
        truth = rng.normal(0.0, 0.8, design.size)
        chol = np.linalg.cholesky(design.variance(truth, people, noise).total)
        mean = design.moments(truth) + chol @ rng.standard_normal(design.size)
        shrunk = _shrunken(study, Observed(mean, people, noise))
        plain = maximise(design, mean, start)
        assert not isinstance(plain, Endless)
        gaps.append([np.mean(design.predictor(w - truth) ** 2) for w in (shrunk.weights, plain)])
    shrunk_error, plain_error = np.mean(gaps, axis=0)
    assert shrunk_error < plain_error
