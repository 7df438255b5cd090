"""The public geometry, and the way from design columns to z."""

import math
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest

from tacit.arrays import Floats
from tacit.errors import ConfigurationError, PublicRowsError
from tacit.study import geometry
from tacit.study.transform import INTERCEPT_SHARE, Transform

NAMES = ("a", "b", "c")
# Numbers that follow from eigenvectors are rounded to 6 digits of their unit; sums over a few
# columns, and squares of them, lose at most one.
ROUNDED = 1e-5


def make_transform(
    names: Sequence[str], design: Floats, intercept: bool
) -> tuple[Transform, dict[str, str]]:
    """With shares by formula."""
    return geometry.make_transform(names, design, intercept)[:2]


@pytest.fixture(scope="module")
def design() -> Floats:
    """Correlated columns of very different units."""
    generator = np.random.default_rng(3)
    mixed = generator.normal(size=(500, 3)) @ np.array([[1, 0.8, 0.1], [0, 1, 0.5], [0, 0, 1]])
    return np.asarray(mixed * [1.0, 1e4, 1e-3] + [5.0, -2e4, 1.0])


@pytest.mark.parametrize("intercept", [True, False])
def test_components_are_uncorrelated_with_the_stated_shares(
    design: Floats, intercept: bool
) -> None:
    """The mean squared length of z is 1, and each component has its share of it."""
    transform, _ = make_transform(NAMES, design, intercept)
    z = transform.encode(design)
    moments = z.T @ z / len(z)
    shares = ([INTERCEPT_SHARE] if intercept else []) + list(transform.shares)
    np.testing.assert_allclose(moments, np.diag(shares), rtol=0, atol=ROUNDED)
    assert math.isclose(sum(shares), 1.0, rel_tol=ROUNDED)


@pytest.mark.parametrize("intercept", [True, False])
def test_by_formula_shares_make_up_for_the_spectrum(design: Floats, intercept: bool) -> None:
    """To three digits; the spectrum of numbers is that of their correlations, times 1/4."""
    transform, _ = make_transform(NAMES, design, intercept)
    shares = np.array(transform.shares) * np.array(transform.spectrum) ** 0.25
    np.testing.assert_allclose(shares, shares[0], rtol=2 * 0.005)
    assert list(transform.spectrum) == sorted(transform.spectrum, reverse=True)
    if intercept:
        expected = np.linalg.eigvalsh(np.corrcoef(design.T))[::-1] / 4
        np.testing.assert_allclose(transform.spectrum, expected, rtol=ROUNDED)


def test_rare_levels_weigh_less_than_common_ones() -> None:
    """Of uncorrelated 0/1 columns the variance given is half the standard deviation."""
    common, rare = np.tile([0.0, 1.0], 800), np.repeat(np.tile([1.0, 0, 0, 0, 0, 0, 0, 0], 100), 2)
    transform, _ = make_transform(["common", "rare"], np.column_stack([common, rare]), True)
    expected = sorted((np.std(column) / 2 for column in (common, rare)), reverse=True)
    np.testing.assert_allclose(transform.spectrum, expected, rtol=ROUNDED)


@pytest.mark.parametrize("intercept", [True, False])
def test_coefficients_return_to_the_original_units(design: Floats, intercept: bool) -> None:
    """The linear predictor is the same before and after."""
    transform, _ = make_transform(NAMES, design, intercept)
    w = np.arange(1.0, transform.dimension + 1)
    coefficients = transform.to_original @ w
    x = np.column_stack([np.ones(len(design)), design]) if intercept else design
    predictor = transform.encode(design) @ w
    np.testing.assert_allclose(x @ coefficients, predictor, rtol=0, atol=ROUNDED)
    assert transform.names == (("intercept", *NAMES) if intercept else NAMES)


def test_signs_do_not_depend_on_the_eigenvalue_routine(design: Floats) -> None:
    """The largest loading of each component is positive."""
    transform, _ = make_transform(NAMES, design, True)
    loadings = np.array(transform.matrix) * design.std(axis=0)
    assert (loadings[np.arange(3), np.abs(loadings).argmax(axis=1)] > 0).all()


def test_numbers_are_rounded_before_use(design: Floats) -> None:
    """What the file says is what is used."""
    transform, _ = make_transform(NAMES, design, True)
    again = msgspec.json.decode(msgspec.json.encode(transform), type=type(transform))
    assert again == transform
    assert all(float(f"{v:.10g}") == v for row in transform.matrix for v in row)
    np.testing.assert_array_equal(again.encode(design), transform.encode(design))


def test_what_rounding_leaves_of_a_zero_is_zero() -> None:
    """A loading too small for a study would have it refused by every device."""
    basis = np.random.default_rng(8).normal(size=(500, 3))
    first, second, third = np.linalg.qr(basis - basis.mean(axis=0))[0].T  # uncorrelated
    for size, dust in ((1e95, 0.0), (1e97, 1e-5)):
        columns = np.column_stack([first, first + second, (third + dust * first) * size])
        transform, _ = make_transform(NAMES, columns, True)
        transform.check()
        assert 0.0 in transform.loadings[:, 2]


def test_constant_and_collinear_columns_are_dropped_and_named(design: Floats) -> None:
    """The earlier of two columns stays."""
    a, b, c = design.T
    wide = np.column_stack([a, np.full(500, 3.3), b, 2 * a - b + 1, c])
    transform, dropped = make_transform(("a", "k", "b", "sum", "c"), wide, True)
    assert transform.columns == NAMES
    assert dropped == {"k": "constant", "sum": "collinear with earlier columns"}


def test_a_full_set_of_one_hot_columns_loses_its_last() -> None:
    """With an intercept they are collinear; without one they are not."""
    one_hot = np.eye(4)[np.arange(200) % 4]
    names = ("a", "b", "c", "d")
    transform, dropped = make_transform(names, one_hot, True)
    assert transform.columns == ("a", "b", "c")
    assert list(dropped) == ["d"]
    assert make_transform(names, one_hot, False)[1] == {}


def test_many_collinear_columns_leave_a_full_rank(design: Floats) -> None:
    """Every one dropped is a combination of those kept."""
    generator = np.random.default_rng(5)
    basis = generator.normal(size=(300, 5))
    wide = basis @ generator.normal(size=(5, 40))
    transform, dropped = make_transform([f"x{j}" for j in range(40)], wide, True)
    assert transform.columns == tuple(f"x{j}" for j in range(5))
    assert len(dropped) == 35


def test_nearly_collinear_columns_stay() -> None:
    """A residual spread of a hundredth is far from none."""
    generator = np.random.default_rng(6)
    a, noise = generator.normal(size=(2, 300))
    assert make_transform(("a", "b"), np.column_stack([a, a + 0.01 * noise]), True)[1] == {}


def test_without_an_intercept_a_constant_column_stays() -> None:
    """It is then the intercept in all but name; only a column of zeros carries nothing."""
    wide = np.column_stack([np.ones(50), np.arange(50.0), np.zeros(50)])
    transform, dropped = make_transform(("one", "x", "zero"), wide, False)
    assert transform.columns == ("one", "x")
    assert dropped == {"zero": "always zero"}


def test_an_intercept_alone_is_a_transform() -> None:
    """p = 1: the study then estimates a mean."""
    transform, _ = make_transform((), np.zeros((5, 0)), True)
    assert transform.dimension == 1
    np.testing.assert_array_equal(
        transform.encode(np.zeros((2, 0))), np.full((2, 1), math.sqrt(INTERCEPT_SHARE))
    )
    assert transform.to_original.tolist() == [[math.sqrt(INTERCEPT_SHARE)]]


def test_a_large_offset_keeps_its_differences() -> None:
    """Times in milliseconds are centred to a fraction of their spread."""
    stamps = 1.7e12 + np.arange(100.0)[:, None]
    z = make_transform(("t",), stamps, True)[0].encode(stamps)
    np.testing.assert_allclose(z[:, 1].mean(), 0.0, rtol=0, atol=np.spacing(1.7e12))


@pytest.mark.parametrize(
    ("rows", "columns", "intercept", "said"),
    [
        (0, 2, True, "no public rows"),
        (3, 3, True, "3 public rows and 3 columns"),
        (3, 5, False, "3 public rows and 5 columns"),
        (9, 0, False, "nothing to fit"),
    ],
)
def test_too_few_rows_or_columns_are_refused(
    rows: int, columns: int, intercept: bool, said: str
) -> None:
    """Naming both numbers."""
    x = np.random.default_rng(1).normal(size=(rows, columns))
    with pytest.raises(PublicRowsError, match=said):
        make_transform([f"x{j}" for j in range(columns)], x, intercept)


@pytest.mark.parametrize(
    "change",
    [
        {"center": (0.0,)},
        {"matrix": ((1.0, 0.0, 0.0),) * 2},
        {"matrix": ((1.0, 0.0),) * 3},
        {"matrix": ((math.inf, 0.0, 0.0),) * 3},
        {"shares": (0.3, 0.3, 0.4)},
        {"shares": (1.0, 0.1, -0.2)},
        {"tilts": ((0.1, 0.1, 0.1),)},
        {"tilts": ((0.001, 0.001),)},
        {"spectrum": (1.0, 1.0, 0.0)},
        {"columns": ("a", "a", "b")},
        {"columns": ("a", "b", "intercept")},
        {
            "columns": (),
            "center": (),
            "matrix": (),
            "spectrum": (),
            "shares": (),
            "tilts": (),
            "intercept": False,
        },
    ],
)
def test_parts_that_do_not_fit_are_refused(design: Floats, change: dict[str, Any]) -> None:
    """As a hand-made file could have them."""
    transform, _ = make_transform(NAMES, design, True)
    transform.check()
    with pytest.raises(ConfigurationError):
        msgspec.structs.replace(transform, **change).check()
