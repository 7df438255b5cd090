import math
import random

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from tacit.errors import ConfigurationError, ReportError
from tacit.privacy import expand as module
from tacit.privacy.expand import chunk_size, expand, quantise, quantised_sums
from tests.privacy import reference
from tests.privacy.helpers import STANDARD_ERRORS, TAG, ULP, ks_limit, random_seeds

OCTANTS = [k * 2**29 + shift for k in range(8) for shift in (-1, 0, 1)]
EDGES = [w % 2**32 for w in (0, 1, 2, 2**31 - 1, 2**32 - 2, 2**32 - 1, *OCTANTS)]
# where the mantissa changes side in the logarithm
BORDERS = [round(math.sqrt(0.5) * 2**k) + shift for k in range(4, 33) for shift in (-1, 0)]
WORDS = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=20)
DIMENSIONS = (1, 2, 3, 10, 65)
CHUNK = chunk_size(3)


def words(values: list[int]) -> NDArray[np.uint32]:
    """A column of words, as expansion holds them."""
    return np.array(values, dtype=np.uint32)[None, :]


def check_log(values: list[int]) -> None:
    """A few units in the last place, also where the logarithm is nearly zero."""
    computed = module.log_uniform(words(values))[0]
    with mp.workdps(reference.DIGITS):
        for word, log in zip(values, computed, strict=True):
            exact = reference.log_uniform(word)
            assert abs(log - exact) <= 4 * ULP * abs(exact), word


def check_cos_sin(values: list[int]) -> None:
    """A unit in the last place of 1; relative where the value is small."""
    cosines, sines = module.cos_sin_turn(words(values))
    with mp.workdps(reference.DIGITS):
        for word, cos, sin in zip(values, cosines[0], sines[0], strict=True):
            angle = reference.turn(word)
            assert abs(cos - mp.cos(angle)) <= 4 * ULP * abs(mp.cos(angle)), word
            assert abs(sin - mp.sin(angle)) <= 4 * ULP * abs(mp.sin(angle)), word


def test_log_at_edges() -> None:
    """The logarithm is right at the ends of the range and where its series changes side."""
    check_log(EDGES + BORDERS)


def test_cos_and_sin_at_edges() -> None:
    """Cosine and sine are right at 0, at the last word and at every octant's border."""
    check_cos_sin(EDGES)


@given(WORDS)
def test_log_of_any_word(values: list[int]) -> None:
    """The logarithm is right to a few units in the last place for any word."""
    check_log(values)


@given(WORDS)
def test_cos_and_sin_of_any_word(values: list[int]) -> None:
    """Cosine and sine are right to a few units in the last place for any word."""
    check_cos_sin(values)


def test_normals_are_never_zero_or_infinite() -> None:
    """No pair of edge words gives a normal that cannot be scaled to length 1."""
    radius, angle = np.meshgrid(EDGES, EDGES)
    pairs = np.stack([radius.ravel(), angle.ravel()]).astype(np.uint32)
    normals = module.normals(pairs)
    assert np.isfinite(normals).all()
    assert (normals != 0).all()


def test_dimension_one_is_exactly_a_sign() -> None:
    """In one dimension the point is +1 or -1 to the bit, so high caps cannot lose it."""
    assert set(np.unique(expand(random_seeds(10_000), TAG, 1))) == {-1.0, 1.0}


@pytest.mark.parametrize("dimension", [*DIMENSIONS, 500])
def test_unit_length(dimension: int) -> None:
    """Every point has length 1 up to the rounding of a sum of that many squares."""
    points = expand(random_seeds(1000), TAG, dimension)
    assert np.isfinite(points).all()
    squares = np.einsum("dn,dn->n", points, points)
    assert np.abs(squares - 1).max() <= (dimension + 4) * ULP


@pytest.mark.parametrize("count", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1])
def test_independent_of_chunking(count: int) -> None:
    """A seed expands to the same bits alone, in any batch and from any layout of memory."""
    seeds = random_seeds(CHUNK + 1)
    batch = expand(seeds[:count], TAG, 3)
    assert batch.shape == (3, count)
    for i in {0, count // 2, count - 1} & set(range(count)):
        np.testing.assert_array_equal(expand(seeds[i : i + 1], TAG, 3)[:, 0], batch[:, i])
    strided = np.asfortranarray(seeds[:count])
    np.testing.assert_array_equal(expand(strided, TAG, 3), batch)


def test_every_bit_of_seed_and_tag_matters() -> None:
    """Flipping any bit of seed or tag moves the point."""
    seed = random_seeds(1)
    start = expand(seed, TAG, 3)
    for bit in range(128):
        flip = np.packbits(np.eye(128, dtype=np.uint8)[bit])
        assert (expand(seed ^ flip, TAG, 3) != start).all()
        tag = (np.frombuffer(TAG, dtype=np.uint8) ^ flip).tobytes()
        assert (expand(seed, tag, 3) != start).all()


@given(
    st.integers(0, 40),
    st.integers(1, 20),
    st.lists(st.integers(0, 40), max_size=5),
    st.randoms(use_true_random=False),
)
def test_sums_are_exact_for_any_partition(
    count: int, dimension: int, cuts: list[int], shuffler: random.Random
) -> None:
    """The integer sum is that of the single reports, in any order and partition."""
    seeds = random_seeds(count)
    whole = quantised_sums(seeds, TAG, dimension)
    single = quantise(expand(seeds, TAG, dimension)).astype(object).sum(axis=1)
    assert whole.tolist() == list(single)
    order = list(range(count))
    shuffler.shuffle(order)
    parts = np.split(seeds[order], sorted(min(cut, count) for cut in cuts))
    merged = sum(quantised_sums(part, TAG, dimension) for part in parts)
    np.testing.assert_array_equal(merged, whole)


def test_sums_are_exact_across_chunks() -> None:
    """Chunks of the expansion do not show in the sum."""
    seeds = random_seeds(2 * CHUNK + 3)
    np.testing.assert_array_equal(
        quantised_sums(seeds, TAG, 4), quantise(expand(seeds, TAG, 4)).sum(axis=1)
    )


def test_quantise_rounds_half_to_even_within_range() -> None:
    """Both ends and ties are as IEEE 754 says, and 2^31 reports of length 1 still fit."""
    unit = 2.0**-32
    values = np.array([[1.0, -1.0, 0.5 * unit, 1.5 * unit, -2.5 * unit]])
    assert quantise(values).tolist() == [[2**32, -(2**32), 0, 2, -2]]
    assert np.iinfo(np.int64).max >= (2**31 - 1) * 2**32


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_moments_are_those_of_the_uniform_law(dimension: int) -> None:
    """Mean 0 and covariance I/d, coordinate by coordinate."""
    count = 40_000
    points = expand(random_seeds(count, seed=dimension), TAG, dimension)
    mean_error = math.sqrt(1 / dimension / count)
    assert np.abs(points.mean(axis=1)).max() <= STANDARD_ERRORS * mean_error
    fourth, cross = np.array([3, 1]) / (dimension * (dimension + 2))
    variances = np.where(np.eye(dimension), fourth - 1 / dimension**2, cross)
    errors = np.sqrt(np.maximum(variances, 0) / count)
    deviation = np.abs(points @ points.T / count - np.eye(dimension) / dimension)
    assert (deviation <= STANDARD_ERRORS * errors + dimension * ULP).all()


@pytest.mark.parametrize("dimension", [2, 3, 10, 65])
@pytest.mark.parametrize("which", ["first", "last", "diagonal"])
def test_heights_follow_the_beta_law(dimension: int, which: str) -> None:
    """The height along a direction has (1 + height)/2 ~ Beta((d-1)/2, (d-1)/2)."""
    count = 40_000
    points = expand(random_seeds(count, seed=dimension), TAG, dimension)
    diagonal = points.sum(axis=0) / math.sqrt(dimension)
    heights = {"first": points[0], "last": points[-1], "diagonal": diagonal}[which]
    half = (dimension - 1) / 2
    law = stats.beta(half, half).cdf
    assert stats.kstest((1 + heights) / 2, law).statistic <= ks_limit(count)


@pytest.mark.parametrize("length", [0, 4, 8, 15, 17, 32])
def test_other_lengths_are_refused(length: int) -> None:
    """A seed or tag of another length is refused, never stretched to fit."""
    seeds = np.zeros((2, length), dtype=np.uint8)
    for use in (expand, quantised_sums):
        with pytest.raises(ReportError, match="16"):
            use(seeds, TAG, 3)
        with pytest.raises(ConfigurationError, match=f"got {length}"):
            use(random_seeds(2), bytes(length), 3)


def test_other_types_are_refused() -> None:
    """Words in place of bytes, or a single seed without its axis, are refused."""
    with pytest.raises(ReportError, match="uint32"):
        expand(random_seeds(2).view(np.uint32), TAG, 3)
    with pytest.raises(ReportError, match="shape"):
        expand(random_seeds(1)[0], TAG, 3)
