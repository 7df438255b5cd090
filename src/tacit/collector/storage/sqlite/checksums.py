"""CRC-32 of many seeds at once: one damaged bit on disk costs one report, not a file."""

import zlib
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tacit.study.report import REPORT_BYTES, Seeds

Checksums = NDArray[np.uint32]

_ZEROS = bytes(REPORT_BYTES)


def checksums(seeds: Seeds, tag: bytes) -> Checksums:
    """zlib.crc32(tag + seed) of each seed (n, 16): a seed under another study's tag fails.

    For inputs of one length CRC is linear but for a constant, so each byte of a seed has a table
    of its own and the results are combined by exclusive or.
    """
    result = np.full(len(seeds), zlib.crc32(tag + _ZEROS), dtype=np.uint32)
    for table, column in zip(_tables(), seeds.T, strict=True):
        result ^= table[column]
    return result


@cache
def _tables() -> NDArray[np.uint32]:
    """What each value (256) of the byte at each place (16) changes in the checksum of zeros."""
    nothing = zlib.crc32(_ZEROS)
    rows = [
        [zlib.crc32(_ZEROS[:place] + bytes([value]) + _ZEROS[place + 1 :]) for value in range(256)]
        for place in range(REPORT_BYTES)
    ]
    return np.array(rows, dtype=np.uint32) ^ np.uint32(nothing)
