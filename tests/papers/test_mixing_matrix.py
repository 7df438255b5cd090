"""The shared matrix B: expanded from a seed as documented, and as random as the theory needs."""

import math
import tracemalloc

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from numpy.typing import NDArray
from scipy.linalg import hadamard

from tacit.errors import ConfigurationError
from tacit.papers.mixing import Mixing
from tacit.privacy import SeededEntropy

STANDARD_ERRORS = 7.0
SEED = bytes(range(16))
Floats = NDArray[np.float64]


def matrix(mixing: Mixing, people: int) -> Floats:
    """B itself, by mixing one person at a time."""
    return np.asarray(mixing.mix(np.eye(people)) * math.sqrt(mixing.rows))


def keystream(purpose: bytes, number: int, count: int) -> bytes:
    """The documented expansion, by another implementation of ChaCha20."""
    key = SEED + number.to_bytes(8, "little") + purpose
    return Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor().update(bytes(count))


def test_signs_follow_the_documented_expansion() -> None:
    """Row r of person i is bit r of the person's keystream, also past the first block."""
    B = matrix(Mixing(SEED, 1100), 5)
    for person in range(5):
        stream = int.from_bytes(keystream(b"tacit.B1", person, 192), "little")
        expected = [2 * (stream >> row & 1) - 1 for row in range(1100)]
        assert np.allclose(B[:, person], expected, rtol=0, atol=1e-9)


def test_hadamard_follows_the_documented_expansion() -> None:
    """Rows drawn by lot from the Hadamard matrix, times a sign for each person."""
    B = matrix(Mixing(SEED, 6, "hadamard"), 13)
    lots = [int.from_bytes(keystream(b"tacit.R1", row, 8), "little") for row in range(16)]
    signs = [2 * (keystream(b"tacit.S1", person, 1)[0] & 1) - 1 for person in range(13)]
    expected = hadamard(16)[np.argsort(lots)[:6], :13] * np.array(signs)
    assert np.allclose(B, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("construction", ["signs", "hadamard"])
def test_every_entry_is_one_or_minus_one(construction: str) -> None:
    """So a person's column has length sqrt(k), on which the sensitivity rests."""
    B = matrix(Mixing(SEED, 64, construction), 60)  # type: ignore[arg-type]
    assert np.allclose(np.abs(B), 1.0, rtol=0, atol=1e-9)


def test_a_full_hadamard_mixing_keeps_all_inner_products() -> None:
    """With all rows kept B'B / k is the identity."""
    B = matrix(Mixing(SEED, 64, "hadamard"), 50)
    assert np.allclose(B.T @ B / 64, np.eye(50), atol=1e-9)


@pytest.mark.parametrize("construction", ["signs", "hadamard"])
def test_inner_products_are_unbiased(construction: str) -> None:
    """Over seeds the mean of (Bu)'(Bv)/k is u'v, within 7 standard errors."""
    generator = np.random.default_rng(0)
    columns = generator.normal(size=(40, 2))
    seeds = [generator.bytes(16) for _ in range(400)]
    mixed = [Mixing(seed, 8, construction).mix(columns) for seed in seeds]  # type: ignore[arg-type]
    products = np.array([part[:, 0] @ part[:, 1] for part in mixed])
    error = products.std(ddof=1) / math.sqrt(len(seeds))
    assert abs(products.mean() - columns[:, 0] @ columns[:, 1]) <= STANDARD_ERRORS * error


@pytest.mark.parametrize("construction", ["signs", "hadamard"])
def test_mixing_is_the_same_for_every_party(construction: str) -> None:
    """Columns mixed one by one or together give the same rows."""
    columns = np.random.default_rng(1).uniform(-1, 1, (5000, 3))
    mixing = Mixing(SEED, 20, construction)  # type: ignore[arg-type]
    apart = np.hstack([mixing.mix(columns[:, j : j + 1]) for j in range(3)])
    assert np.allclose(mixing.mix(columns), apart, rtol=0, atol=1e-9)


def test_the_matrix_is_never_held_as_a_whole() -> None:
    """Memory stays below a tenth of k x n numbers."""
    people, rows = 50_000, 2_048
    columns = np.ones((people, 1))
    tracemalloc.start()
    Mixing(SEED, rows).mix(columns)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * people * rows / 10


def test_a_fresh_matrix_comes_from_entropy() -> None:
    """Drawn from the system unless a source is given, which then decides it."""
    assert Mixing.draw(4).seed != Mixing.draw(4).seed
    assert Mixing.draw(4, entropy=SeededEntropy(1)) == Mixing.draw(4, entropy=SeededEntropy(1))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"seed": b"short", "rows": 4}, "seed must have 16 bytes, got 5"),
        ({"seed": SEED, "rows": 0}, "rows=0"),
        ({"seed": SEED, "rows": 4, "construction": "fourier"}, "construction='fourier'"),
    ],
)
def test_bad_matrices_are_refused(wrong: dict[str, object], words: str) -> None:
    """By parameter and value."""
    with pytest.raises(ConfigurationError, match=words):
        Mixing(**wrong)  # type: ignore[arg-type]


def test_more_rows_than_the_hadamard_matrix_has_are_refused() -> None:
    """The message names both numbers."""
    with pytest.raises(ConfigurationError, match="rows=9 exceeds the 8 rows"):
        Mixing(SEED, 9, "hadamard").mix(np.ones((7, 1)))
