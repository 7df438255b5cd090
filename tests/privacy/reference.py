"""A slow second implementation of expansion and accept rule, from the specification alone.

Plain integers for ChaCha20 (RFC 8439), mpmath at 50 digits for everything else; shares no line
with the package. `python -m tests.privacy.reference` writes the vectors that it and the package,
and devices in other languages, must agree on.
"""

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import mpmath as mp

VECTORS = Path(__file__).parent.parent / "vectors"
DIGITS = 50
MASK = 2**32 - 1
Case = dict[str, Any]


def chacha_block(key: bytes, counter: int, nonce: bytes) -> list[int]:
    """Section 2.3 of the RFC, word by word."""
    start = [
        *struct.unpack("<4I", b"expand 32-byte k"),
        *struct.unpack("<8I", key),
        counter,
        *struct.unpack("<3I", nonce),
    ]
    x = list(start)
    columns = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)]
    diagonals = [(0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]
    for _ in range(10):
        for a, b, c, d in columns + diagonals:
            x[a] = (x[a] + x[b]) & MASK
            x[d] = rotate(x[d] ^ x[a], 16)
            x[c] = (x[c] + x[d]) & MASK
            x[b] = rotate(x[b] ^ x[c], 12)
            x[a] = (x[a] + x[b]) & MASK
            x[d] = rotate(x[d] ^ x[a], 8)
            x[c] = (x[c] + x[d]) & MASK
            x[b] = rotate(x[b] ^ x[c], 7)
    return [(a + b) & MASK for a, b in zip(x, start, strict=True)]


def rotate(word: int, left: int) -> int:
    """Rotate a 32-bit word."""
    return ((word << left) | (word >> (32 - left))) & MASK


def log_uniform(word: int) -> mp.mpf:
    """The logarithm of the middle of a word's cell of the unit interval."""
    return mp.log((mp.mpf(word) + mp.mpf(1) / 2) / 2**32)


def turn(word: int) -> mp.mpf:
    """The angle in the middle of a word's cell of the circle."""
    return 2 * mp.pi * (mp.mpf(word) + mp.mpf(1) / 2) / 2**32


def expand(seed: bytes, tag: bytes, dimension: int) -> list[mp.mpf]:
    """The unit vector of one seed."""
    if len(seed) != 16 or len(tag) != 16:
        raise ValueError("seed and tag have 16 bytes each")
    words: list[int] = []
    while len(words) < dimension + 1:
        words += chacha_block(seed + tag, len(words) // 16, bytes(12))
    normals = []
    for radius_word, angle_word in zip(words[0::2], words[1::2], strict=True):
        radius, angle = mp.sqrt(-2 * log_uniform(radius_word)), turn(angle_word)
        normals += [radius * mp.cos(angle), radius * mp.sin(angle)]
    length = mp.sqrt(sum(x * x for x in normals[:dimension]))
    return [x / length for x in normals[:dimension]]


def quantise(vector: list[mp.mpf]) -> list[int]:
    """Coordinates in units of 2^-32, to the nearest."""
    return [int(mp.nint(x * 2**32)) for x in vector]


def cap_rate(dimension: int, cap: mp.mpf) -> mp.mpf:
    """The share of the sphere above a height."""
    half = mp.mpf(dimension - 1) / 2
    return mp.betainc(half, mp.mpf(1) / 2, 0, 1 - cap**2, regularized=True) / 2


def mean_length(dimension: int, epsilon: mp.mpf, cap: mp.mpf) -> mp.mpf:
    """The mean of the output along the input."""
    half = mp.mpf(dimension - 1) / 2
    a = (1 - cap**2) ** half / ((dimension - 1) * mp.beta(mp.mpf(1) / 2, half))
    q = cap_rate(dimension, cap)
    return a * mp.expm1(epsilon) / (mp.exp(epsilon) * q + 1 - q)


def best_cap(dimension: int, epsilon: mp.mpf) -> mp.mpf:
    """The height that equals its mean length, by bisection; any below 1 serves in dimension 1."""
    if dimension == 1:
        return mp.mpf(0)
    low, high = mp.mpf(0), mp.mpf(1)
    while high - low > mp.mpf(10) ** -20:
        middle = (low + high) / 2
        if mean_length(dimension, epsilon, middle) > middle:
            low = middle
        else:
            high = middle
    return low


def coin_threshold(epsilon: mp.mpf) -> int:
    """How many of the 2^64 words accept a seed outside the cap."""
    return int(mp.ceil(mp.exp(-epsilon) * 2**64))


def sample_bytes(name: str, count: int) -> bytes:
    """Bytes without structure that anyone can make again."""
    return hashlib.sha256(name.encode()).digest()[:count]


def expansion_vectors() -> Case:
    """Seeds with their unit vectors, and inputs that must be refused or must disagree."""
    tag = sample_bytes("tag", 16)
    pairs = [(bytes(16), bytes(16)), (b"\xff" * 16, b"\xff" * 16), (bytes(range(16)), tag)]
    pairs += [(sample_bytes(f"seed {i}", 16), tag) for i in range(3)]
    good = [expansion(s, t, d) for s, t in pairs for d in (1, 2, 3, 10, 15, 16, 17, 65)]
    seed = pairs[-1][0]
    lengths = (0, 4, 8, 15, 17, 32)
    bad = [
        *({"seed": (seed * 2)[:n].hex(), "tag": tag.hex(), "dimension": 3} for n in lengths),
        *({"seed": seed.hex(), "tag": (tag * 2)[:n].hex(), "dimension": 3} for n in lengths),
    ]
    altered = expansion(seed, tag, 3)
    altered["coordinates"][0] += 2.0**-30
    altered["quantised"][1] += 1
    wrong_tag = expansion(seed, tag, 3) | {"tag": sample_bytes("other tag", 16).hex()}
    return {"good": good, "refused": bad, "disagree": [altered, wrong_tag]}


def expansion(seed: bytes, tag: bytes, dimension: int) -> Case:
    """One good vector."""
    vector = expand(seed, tag, dimension)
    return {
        "seed": seed.hex(),
        "tag": tag.hex(),
        "dimension": dimension,
        "coordinates": [float(x) for x in vector],
        "quantised": quantise(vector),
    }


def accept_vectors() -> Case:
    """Decisions for inputs, seeds and words on both sides of cap and coin."""
    settings = [(1, 0.5), (2, 1.0), (3, 4.0), (10, 1.0), (10, 8.0), (65, 2.0), (65, 12.0)]
    good = [case for setting in settings for case in accept_cases(*setting)]
    altered = [case | {"accepted": not case["accepted"]} for case in good[::9]]
    return {"good": good, "disagree": altered}


def accept_cases(dimension: int, epsilon: float) -> list[Case]:
    """Two inputs, near and away from the point of a seed, with words around the threshold."""
    tag, seed = sample_bytes("tag", 16), sample_bytes(f"accept {dimension} {epsilon}", 16)
    point = expand(seed, tag, dimension)
    axis = [float(i == 0) for i in range(dimension)]
    lean = [float(0.6 * x) + 0.4 * a for x, a in zip(point, axis, strict=True)]
    inputs = [normalised(lean), normalised([-x for x in lean]), axis]
    coin = coin_threshold(mp.mpf(epsilon))
    words = [0, coin - 1, coin, 2**64 - 1]
    cap = best_cap(dimension, mp.mpf(epsilon))
    return [
        {
            "dimension": dimension,
            "epsilon": epsilon,
            "tag": tag.hex(),
            "seed": seed.hex(),
            "word": f"{word:016x}",
            "vector": vector,
            "accepted": bool(mp.fdot(point, vector) >= cap) or word < coin,
        }
        for vector in inputs
        for word in words
    ]


def normalised(vector: list[float]) -> list[float]:
    """The floats nearest to a vector scaled to length 1."""
    length = mp.sqrt(mp.fsum(mp.mpf(x) ** 2 for x in vector))
    return [float(x / length) for x in vector]


def files() -> dict[Path, str]:
    """Every file of vectors with its text."""
    with mp.workdps(DIGITS):
        made = {"expansion": expansion_vectors(), "accept": accept_vectors()}
    return {VECTORS / f"{name}.json": text_of(cases) for name, cases in made.items()}


def text_of(groups: Case) -> str:
    """JSON with one case a line, so that a difference can be read."""
    parts = [
        f'"{name}": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n]"
        for name, cases in groups.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
