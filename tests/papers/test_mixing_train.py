"""What the trainer makes of the releases, and the scikit-learn faces."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from evidence.papers import mixing as experiment
from tacit.arrays import Floats
from tacit.errors import ConfigurationError, LabelError
from tacit.papers import BGM, DGM, OLS, RMGM
from tacit.papers.mixing import (
    Agreement,
    Mixing,
    assemble,
    bgm,
    dgm,
    mixed_rows,
    moments,
    ols,
    release,
    rmgm,
)
from tacit.papers.mixing.device import encode
from tests.papers.parties import released

STANDARD_ERRORS = 7.0
RANGES = (((-1.0, 1.0),) * 2, ((0.0, 1.0), (-1.0, 1.0)))


def people(count: int, seed: int = 0) -> tuple[Floats, Floats]:
    """Columns [X, y] with y = <x, w>, and w."""
    generator = np.random.default_rng(seed)
    X = np.column_stack([generator.uniform(-1, 1, (count, 2)), generator.uniform(0, 1, count)])
    w = np.array([0.5, -0.3, 0.2])
    return np.column_stack([X, X @ w]), w


def noiseless(agreement: Agreement, D: Floats) -> Floats:
    """D^pub without the noise."""
    parts = (D[:, :2], D[:, 2:])
    return np.hstack([encode(agreement, j, p) * agreement.units(j) for j, p in enumerate(parts)])


@pytest.mark.parametrize("construction", ["signs", "hadamard"])
def test_without_noise_the_coefficients_come_back(construction: Any) -> None:
    """Exact labels: OLS, BGM and RMGM with any k from d up return the true w."""
    D, w = people(500)
    plain = Agreement(RANGES, 500, 1.0)
    mixed = Agreement(RANGES, 500, 1.0, mixing=Mixing(bytes(16), 12, construction))
    for found in (
        ols(D, ridge=0.0),
        bgm(plain, noiseless(plain, D), ridge=0.0),
        rmgm(mixed, noiseless(mixed, D), ridge=0.0),
    ):
        assert np.allclose(found, w, atol=1e-9)


def test_ols_is_least_squares_whatever_the_labels() -> None:
    """Against numpy's own solver, and for any column as the label."""
    D = np.random.default_rng(1).normal(size=(300, 4))
    for target in range(4):
        others = np.delete(D, target, axis=1)
        expected = np.linalg.lstsq(others, D[:, target])[0]
        assert np.allclose(ols(D, target=target, ridge=0.0), expected, atol=1e-9)


@pytest.mark.parametrize("mixing", [None, Mixing(bytes(16), 30)], ids=["plain", "mixed"])
def test_subtracting_the_noise_makes_second_moments_unbiased(mixing: Mixing | None) -> None:
    """Given B, their mean is that of the noiseless release, within 7 standard errors."""
    D, _ = people(200)
    made = Agreement(RANGES, 200, 4.0, mixing=mixing)
    generator = np.random.default_rng(2)
    found = np.array([moments(made, released(made, D, generator), debias=True) for _ in range(300)])
    error = found.std(axis=0, ddof=1) / math.sqrt(len(found))
    truth = moments(made, noiseless(made, D))
    assert (np.abs(found.mean(axis=0) - truth) <= STANDARD_ERRORS * error).all()


def test_bgm_converges_to_a_shrunk_answer_and_dgm_to_the_right_one() -> None:
    """At 400,000 people and epsilon 16: each within 7 standard errors of its own limit.

    Standard errors are those of the mean of x~ (y~ - <x~, limit>), plus s^2 w for DGM.
    """
    D, w = people(400_000)
    made = Agreement(RANGES, 400_000, 16.0)
    D_pub = released(made, D, np.random.default_rng(3))
    H, noise = D[:, :3].T @ D[:, :3] / len(D), np.diag(made.noise_scales()[:3] ** 2)
    shrunk = np.linalg.solve(H + noise, H @ w)

    def standard_errors(limit: Any, hessian: Any) -> Floats:
        scores = D_pub[:, :3] * (D_pub[:, 3] - D_pub[:, :3] @ limit)[:, None]
        influence = scores @ np.linalg.inv(hessian)
        return np.asarray(influence.std(axis=0) / math.sqrt(len(D)))

    biased, debiased = bgm(made, D_pub, ridge=0.0), dgm(made, D_pub, ridge=0.0)
    near = STANDARD_ERRORS * standard_errors(shrunk, H + noise)
    assert (np.abs(biased - shrunk) <= near).all()
    assert (np.abs(debiased - w) <= STANDARD_ERRORS * standard_errors(w, H)).all()
    assert (np.abs(biased - w) > near).any()


def test_parties_release_and_the_trainer_fits() -> None:
    """The whole protocol in its four steps, with real entropy, ends in finite coefficients."""
    D, _ = people(400)
    plan = Agreement(RANGES, 400, 8.0)
    made = Agreement(RANGES, 400, 8.0, mixing=Mixing.draw(mixed_rows(plan)))
    D_pub = assemble(made, [release(made, 0, D[:, :2]), release(made, 1, D[:, 2:])])
    assert np.isfinite(rmgm(made, D_pub)).all()


def test_rmgm_without_a_matrix_is_refused() -> None:
    """It would be BGM under another name."""
    D, _ = people(10)
    with pytest.raises(ConfigurationError, match="mixing=None"):
        rmgm(Agreement(RANGES, 10, 1.0), D)


def test_a_singular_hessian_is_an_error_with_advice() -> None:
    """Two equal features and no ridge."""
    twice = np.ones((10, 3))
    with pytest.raises(ConfigurationError, match=r"ridge=0\.0"):
        ols(twice, ridge=0.0)


@pytest.mark.parametrize("kind", [BGM, DGM, RMGM])
def test_estimators_state_both_guarantees(kind: Any) -> None:
    """One for the person, one for each party; together they make the person's."""
    D, _ = people(300)
    fitted = kind(2.0, parties=(1, 3), random_state=0).fit(D[:, :3], D[:, 3])
    assert fitted.guarantee_.epsilon == 2.0
    assert len(fitted.party_guarantees_) == 2
    assert all(one.epsilon < 2.0 for one in fitted.party_guarantees_)
    assert "all parties together" in str(fitted.guarantee_)
    assert "simulation" in str(fitted.guarantee_)


def test_columns_are_dealt_out_evenly_as_in_the_paper() -> None:
    """Ten features and a label among six parties: five have two columns, the last has one."""
    X = np.zeros((30, 10))
    assert DGM(parties=6).fit(X, X[:, 0]).agreement_.sizes == (2, 2, 2, 2, 2, 1)


def test_labels_beyond_the_stated_range_are_refused() -> None:
    """In the estimator, where rows are simulated people; features are clipped."""
    X = np.full((10, 2), 5.0)
    BGM(random_state=0).fit(X, np.zeros(10))
    with pytest.raises(LabelError):
        BGM(random_state=0).fit(X, np.full(10, 1.5))


def test_feature_ranges_can_be_stated_one_by_one() -> None:
    """Noise on a column is proportional to its own range."""
    X = np.zeros((20, 2))
    fitted = DGM(feature_range=[(0, 1), (0, 100)], random_state=0).fit(X, X[:, 0])
    scales = fitted.agreement_.noise_scales()
    assert scales[1] == pytest.approx(100 * scales[0])


@pytest.mark.parametrize(
    ("people_needed", "kind"), [(experiment.people_dgm, DGM), (experiment.people_rmgm, RMGM)]
)
def test_the_number_of_people_needed_is_right_within_a_factor_of_two(
    people_needed: Any, kind: Any
) -> None:
    """At that number the mean error is between half and twice the target of 0.1."""
    count, errors = int(people_needed(16.0, "party")), []
    for seed in range(12):
        generator = np.random.default_rng(seed)
        X = generator.uniform(-1, 1, (count, 10))
        w = generator.uniform(-0.1, 0.1, 10)
        made = kind(16.0, parties=6, budget="party", random_state=seed)
        found = made.fit(X, X @ w).coef_
        errors.append(float(np.sum((found - w) ** 2) / np.sum(w**2)))
    assert 0.05 <= np.mean(errors) <= 0.2


class AnyLabel:
    """States a range around whatever labels a check sends, as no real study may."""

    label_range: Any

    def fit(self, X: Any, y: Any) -> Any:
        """Fit with the extremes of y as the range."""
        stated, values = self.label_range, np.asarray(y, dtype=float)
        self.label_range = (float(values.min()) - 1, float(values.max()) + 1)
        try:
            return super().fit(X, y)  # type: ignore[misc]
        finally:
            self.label_range = stated


class AnyBGM(AnyLabel, BGM):
    pass


class AnyDGM(AnyLabel, DGM):
    pass


class AnyRMGM(AnyLabel, RMGM):
    pass


CHECKS = [
    (estimator, check)
    for made in (OLS(), AnyBGM(), AnyDGM(), AnyRMGM())
    for estimator, check in estimator_checks_generator(made)
    if check.func.__name__ != "check_array_api_input"  # needs array libraries that are not ours
]


@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=lambda x: getattr(getattr(x, "func", None), "__name__", "")
)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_scikit_learn_conventions(estimator: Any, check: Any) -> None:
    """Every check of scikit-learn's own suite passes."""
    check(estimator)
