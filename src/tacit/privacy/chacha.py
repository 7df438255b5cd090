"""The ChaCha20 block function (RFC 8439, section 2.3), vectorised over many keys at once.

A report's seed is expanded by it, so it must be a pseudorandom function: a weaker generator
would let the accept rule of the sphere mechanism depend on structure in the seeds.
"""

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]

_CONSTANTS = np.frombuffer(b"expand 32-byte k", dtype="<u4").astype(np.uint32)
_DOUBLE_ROUNDS = 10
_TURNS = tuple((np.uint32(left), np.uint32(32 - left)) for left in (16, 12, 8, 7))


def words_of(data: bytes) -> Words:
    """Little-endian 32-bit words of some bytes."""
    return np.frombuffer(data, dtype="<u4").astype(np.uint32)


def block(key: Words, counter: int, nonce: Words) -> Words:
    """Keystream words (16, n) of one block for n keys given as words (8, n)."""
    count = key.shape[1]
    state = np.empty((16, count), dtype=np.uint32)
    state[0:4] = _CONSTANTS[:, None]
    state[4:12] = key
    state[12] = counter
    state[13:16] = nonce[:, None]
    rows = [state[4 * i : 4 * i + 4].copy() for i in range(4)]
    scratch = np.empty((4, count), dtype=np.uint32)
    for _ in range(_DOUBLE_ROUNDS):
        _quarter_rounds(rows, scratch)
        _turn_diagonals(rows, 1)
        _quarter_rounds(rows, scratch)
        _turn_diagonals(rows, -1)
    state += np.concatenate(rows)
    return state


def _quarter_rounds(rows: list[Words], scratch: Words) -> None:
    """Four quarter rounds side by side, one per column of the 4 x 4 state."""
    a, b, c, d = rows
    for (up, down), (total, part, target) in zip(
        _TURNS, ((a, b, d), (c, d, b), (a, b, d), (c, d, b)), strict=True
    ):
        np.add(total, part, out=total)
        np.bitwise_xor(target, total, out=target)
        np.left_shift(target, up, out=scratch)
        np.right_shift(target, down, out=target)
        np.bitwise_or(target, scratch, out=target)


def _turn_diagonals(rows: list[Words], direction: int) -> None:
    """Bring the diagonals of the state into columns (1), or back again (-1)."""
    for i in (1, 2, 3):
        shift = (direction * i) % 4
        rows[i] = np.concatenate((rows[i][shift:], rows[i][:shift]))
