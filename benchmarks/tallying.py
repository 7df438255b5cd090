"""The collector's work: expanding seeds and summing them."""

import tracemalloc

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

from benchmarks.measure import Measured, seconds
from benchmarks.studies import made_up_study
from tacit import Tally

_REPORTS = 200_000
_KEYSTREAM_BYTES = 64 << 20
_MEMORY_REPORTS = (100_000, 1_000_000, 4_000_000)
_MEMORY_SLACK = 1.1  # of the smallest tally's peak


def measure() -> list[Measured]:
    """Rate at two dimensions, against OpenSSL's keystream, and memory at three sizes."""
    keystream = _KEYSTREAM_BYTES / seconds(_openssl_keystream)
    results = [Measured("ChaCha20 keystream of OpenSSL (peer)", keystream / 1e6, "MB/s")]
    for dimension, target in ((11, 400_000.0), (65, None)):
        rate = _rate(dimension)
        used = rate * 4 * (dimension + dimension % 2)
        results += [
            Measured(f"tally, d={dimension}", rate, "reports/s per core", at_least=target),
            Measured(f"keystream used by the tally / peer, d={dimension}", used / keystream, ""),
        ]
    return [*results, *_memory()]


def _rate(dimension: int) -> float:
    empty, seeds = Tally.of(made_up_study(dimension - 1)), _seeds(_REPORTS)
    return _REPORTS / seconds(lambda: empty.add(seeds))


def _memory() -> list[Measured]:
    """Peaks beyond the seeds themselves, which a collector streams from its store."""
    empty = Tally.of(made_up_study(10))
    peaks = [_peak(empty, count) for count in _MEMORY_REPORTS]
    told = [
        Measured(f"memory of tallying {count:,} reports", peak / 1e6, "MB")
        for count, peak in zip(_MEMORY_REPORTS, peaks, strict=True)
    ]
    growth = max(peaks) / peaks[0]
    return [*told, Measured("growth of that memory", growth, "times", at_most=_MEMORY_SLACK)]


def _peak(empty: Tally, count: int) -> float:
    seeds = _seeds(count)
    tracemalloc.start()
    empty.add(seeds)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return float(peak)


def _seeds(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    return np.random.default_rng(0).integers(0, 256, (count, 16), dtype=np.uint8)


def _openssl_keystream() -> bytes:
    cipher = Cipher(ChaCha20(bytes(32), bytes(16)), mode=None).encryptor()
    return cipher.update(bytes(_KEYSTREAM_BYTES))
