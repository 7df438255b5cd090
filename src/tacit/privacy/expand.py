"""From 16-byte seeds to points on the sphere: the part that device and server share.

Key = seed followed by the study's tag; ChaCha20 words; Box–Muller normals; normalise.
Logarithm, sine and cosine are spelled out in additions, multiplications, divisions and square
roots, which IEEE 754 rounds exactly and in an order that is fixed here: every platform and
language that follows the same steps gets the same bits, so tallies agree to the last unit.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats, Seeds
from tacit.errors import ConfigurationError, ReportError
from tacit.privacy import chacha

SEED_BYTES: Final = 16
TAG_BYTES: Final = 16
SCALE: Final = 2.0**32  # coordinates are summed as integers in units of 2^-32

_CHUNK_WORDS = 2**16  # expanded at once: the working set stays in the cache
_LARGEST_CHUNK = 4096

_TURN = 2.0 * math.pi / 2.0**32
_LN2 = 0.6931471805599453  # spelled out: a logarithm of the platform may differ
_SQRT_HALF = math.sqrt(0.5)
_NONCE = np.zeros(3, dtype=np.uint32)
_LOG = tuple(2.0 / (2 * k + 1) for k in range(11))
_SIN = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(8))
_COS = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(9))


def expand(seeds: Seeds, tag: bytes, dimension: int) -> Floats:
    """Unit vectors (dimension, n) of n seeds (n, 16)."""
    _check(seeds, tag)
    vectors = np.empty((dimension, len(seeds)))
    step = chunk_size(dimension)
    for start in range(0, len(seeds), step):
        part = slice(start, start + step)
        vectors[:, part] = _expand_chunk(seeds[part], tag, dimension)
    return vectors


def quantised_sums(seeds: Seeds, tag: bytes, dimension: int) -> NDArray[np.int64]:
    """Exact integer sum over seeds of their unit vectors in units of 2^-32."""
    _check(seeds, tag)
    sums = np.zeros(dimension, dtype=np.int64)
    step = chunk_size(dimension)
    for start in range(0, len(seeds), step):
        sums += quantise(_expand_chunk(seeds[start : start + step], tag, dimension)).sum(axis=1)
    return sums


def chunk_size(dimension: int) -> int:
    """How many seeds of this dimension are worked on at once."""
    return min(_LARGEST_CHUNK, -(-_CHUNK_WORDS // dimension))


def quantise(vectors: Floats) -> NDArray[np.int64]:
    """Coordinates as integers in units of 2^-32."""
    return np.rint(vectors * SCALE).astype(np.int64)


def _check(seeds: Seeds, tag: bytes) -> None:
    """Refuse other lengths, which numpy would stretch by repetition."""
    if len(tag) != TAG_BYTES:
        raise ConfigurationError(f"tag must have {TAG_BYTES} bytes, got {len(tag)}")
    if seeds.dtype != np.uint8 or seeds.ndim != 2 or seeds.shape[1] != SEED_BYTES:
        raise ReportError(
            f"seeds must be bytes of shape (n, {SEED_BYTES}), got {seeds.dtype} {seeds.shape}"
        )


def _expand_chunk(seeds: Seeds, tag: bytes, dimension: int) -> Floats:
    vectors = normals(_keystream(seeds, tag, dimension + dimension % 2))[:dimension]
    squares = np.zeros(vectors.shape[1])
    for row in vectors:  # one by one: the order of a sum is part of the specification
        squares += row * row
    vectors /= np.sqrt(squares)
    return vectors


def _keystream(seeds: Seeds, tag: bytes, count: int) -> chacha.Words:
    """The first `count` keystream words of each seed, as (count, n)."""
    key = np.empty((8, len(seeds)), dtype=np.uint32)
    key[:4] = np.ascontiguousarray(seeds).view("<u4").T
    key[4:] = chacha.words_of(tag)[:, None]
    blocks = [chacha.block(key, counter, _NONCE) for counter in range(-(-count // 16))]
    return (blocks[0] if len(blocks) == 1 else np.concatenate(blocks))[:count]


def normals(words: chacha.Words) -> Floats:
    """Box–Muller: words (2k, n) to independent standard normals (2k, n), never exactly zero."""
    radius = np.sqrt(-2.0 * log_uniform(words[0::2]))
    cos, sin = cos_sin_turn(words[1::2])
    both = np.empty(words.shape)
    np.multiply(radius, cos, out=both[0::2])
    np.multiply(radius, sin, out=both[1::2])
    return both


def log_uniform(words: chacha.Words) -> Floats:
    """log((w + 1/2) / 2^32) by the series of atanh around a mantissa near 1."""
    mantissa, exponent = np.frexp(words + 0.5)
    low = mantissa < _SQRT_HALF
    mantissa += mantissa * low
    s = (mantissa - 1.0) / (mantissa + 1.0)
    series = _polynomial(_LOG, s * s)
    series *= s
    series += (exponent - low - 32) * _LN2
    return series


def cos_sin_turn(words: chacha.Words) -> tuple[Floats, Floats]:
    """Cosine and sine of (w + 1/2) / 2^32 of a turn; the quadrant is split off in integers."""
    quadrant = (words + np.uint32(1 << 29)) >> np.uint32(30)
    offset = (words - (quadrant << np.uint32(30))).view(np.int32)
    angle = (offset + 0.5) * _TURN
    square = angle * angle
    sin = _polynomial(_SIN, square) * angle
    cos = _polynomial(_COS, square)
    swap = (quadrant & np.uint32(1)).astype(bool)
    flip_cos = 1.0 - 2.0 * (((quadrant + np.uint32(1)) >> np.uint32(1)) & np.uint32(1))
    flip_sin = 1.0 - 2.0 * ((quadrant >> np.uint32(1)) & np.uint32(1))
    return np.where(swap, sin, cos) * flip_cos, np.where(swap, cos, sin) * flip_sin


def _polynomial(coefficients: tuple[float, ...], x: Floats) -> Floats:
    """Horner's rule, highest power first."""
    result = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        result *= x
        result += coefficient
    return result
