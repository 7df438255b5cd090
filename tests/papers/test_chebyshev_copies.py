"""The device of Algorithms 1 to 3: sensitivity, noise, wild values."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.papers.chebyshev import Copies
from tacit.papers.chebyshev.device import Kind, copies_of
from tacit.papers.common import Allowance

KINDS: tuple[Kind, ...] = ("separate", "product", "residual", "point")
DELTA = 1e-6


def copies(kind: Kind, degree: int = 2, features: int = 2, **others: Any) -> Copies:
    """A few copies at epsilon 1."""
    return Copies.of(
        kind, features, degree, Allowance(**({"epsilon": 1.0, "delta": DELTA} | others))
    )


@pytest.mark.parametrize("calibration", ["exact", "paper"])
@pytest.mark.parametrize("kind", KINDS)
def test_sensitivity_is_reached_and_never_exceeded(kind: Kind, calibration: str) -> None:
    """An optimiser over pairs of records, from several starts, finds it and nothing above."""
    made = copies(kind, calibration=calibration)

    def distance(pair: Floats) -> float:
        first, second = pair.reshape(2, 3)
        a, b = (made.encode(r[None, :2], r[2:])[0] for r in (first, second))
        return -float(np.linalg.norm(a - b))

    rng = np.random.default_rng(0)
    found = [
        -optimize.minimize(distance, rng.normal(size=6), method="Nelder-Mead").fun for _ in range(6)
    ]
    assert max(found) <= made.mechanism.sensitivity * (1 + 1e-12)
    assert max(found) >= made.mechanism.sensitivity * (1 - 1e-4)


def test_number_of_copies() -> None:
    """The power t^j takes j copies of its own."""
    assert [copies_of(d) for d in (1, 2, 3, 4)] == [1, 3, 6, 10]


@pytest.mark.parametrize("kind", KINDS)
def test_the_server_reads_what_the_device_wrote(kind: Kind) -> None:
    """Copy 0 and the others come back, whatever the weight of copy 0."""
    made = copies(kind, degree=3, features=4, calibration="paper")
    X, y = np.arange(8.0).reshape(2, 4) / 20.0, np.array([0.5, -0.25])
    first, others = made.read(made.encode(X, y))
    record = np.column_stack([X, y])
    expected: dict[str, Any] = {
        "separate": (record, record),
        "product": (X * y[:, None], X * y[:, None]),
        "residual": (record, X),
        "point": (X, X[:, :0]),
    }
    copy, zeroth = expected[kind]
    assert np.allclose(first, zeroth)
    assert others.shape == (2, 6, copy.shape[1])
    assert np.allclose(others, copy[:, None, :])


@pytest.mark.parametrize("degree", [1, 3])
def test_printed_noise_is_that_of_the_paper(degree: int) -> None:
    """Variances of Algorithms 1 and 3, copy 0 apart, with their logarithms."""
    log, spread = math.log(1.25 / DELTA), degree**2 * (degree + 1) ** 2
    for kind in ("separate", "product", "residual"):
        made = copies(kind, degree=degree, calibration="paper", epsilon=0.5)
        assert made.noise**2 == pytest.approx(8 * log * spread / 0.25)
        assert made.noise_of_first**2 == pytest.approx(32 * log / 0.25)
    median = copies("point", degree=degree, calibration="paper", epsilon=0.5)
    assert median.noise**2 == pytest.approx(2 * log * spread / 0.25)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([np.nan, 1.0], 1.0),
        ([np.inf, -np.inf], np.nan),
        ([1e308, 1e308], -np.inf),
        ([0.0, 0.0], 1e300),
        ([5e-324, -5e-324], None),
    ],
)
def test_no_record_leaves_the_bounds(kind: Kind, x: list[float], y: Any) -> None:
    """Whatever it holds, its vector is no longer than half the largest distance of two."""
    made = copies(kind)
    vector = made.encode(np.array([x]), np.array([y], object))
    assert np.linalg.norm(vector) <= made.mechanism.sensitivity / 2 * (1 + 1e-12)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": "triple"}, "copies='triple'"),
        ({"degree": 0}, "degree=0"),
        ({"features": 0}, "features=0"),
        ({"epsilon": 0.0}, "epsilon=0.0"),
        ({"delta": 0.0}, "delta=0.0"),
    ],
)
def test_configuration_is_checked(changes: dict[str, Any], words: str) -> None:
    """The parameter and its value are named."""
    with pytest.raises(ConfigurationError, match=words):
        copies(**({"kind": "product"} | changes))


def test_records_of_another_width_are_refused() -> None:
    """The number of columns is public."""
    with pytest.raises(ConfigurationError, match=r"2 features.*\(1, 3\)"):
        copies("product").encode(np.ones((1, 3)), np.ones(1))
