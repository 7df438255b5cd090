import struct

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from hypothesis import given
from hypothesis import strategies as st

from tacit.privacy.expand import block, words_of
from tests.privacy import reference

KEYS = st.binary(min_size=32, max_size=32)
NONCES = st.binary(min_size=12, max_size=12)
COUNTERS = st.integers(0, 2**32 - 1)

# RFC 8439, appendix A.1: key, counter, nonce, keystream
ZERO, ONE_LAST = bytes(32), bytes(31) + b"\x01"
APPENDIX = [
    (
        ZERO,
        0,
        bytes(12),
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    ),
    (
        ZERO,
        1,
        bytes(12),
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
    ),
    (
        ONE_LAST,
        1,
        bytes(12),
        "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
        "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0",
    ),
    (
        b"\x00\xff" + bytes(30),
        2,
        bytes(12),
        "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
        "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096",
    ),
    (
        ZERO,
        0,
        bytes(11) + b"\x02",
        "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
        "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d",
    ),
]


def keystream(key: bytes, counter: int, nonce: bytes) -> bytes:
    """One block by the package, as bytes."""
    words = block(words_of(key)[:, None], counter, words_of(nonce))
    return words[:, 0].astype("<u4").tobytes()


def test_block_of_section_2_3_2() -> None:
    """The worked example of the RFC comes out."""
    nonce = bytes.fromhex("000000090000004a00000000")
    expected = (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )
    assert keystream(bytes(range(32)), 1, nonce).hex() == expected


@pytest.mark.parametrize(("key", "counter", "nonce", "expected"), APPENDIX)
def test_keystreams_of_appendix_a1(key: bytes, counter: int, nonce: bytes, expected: str) -> None:
    """Each keystream printed in the appendix comes out."""
    assert keystream(key, counter, nonce).hex() == expected


@given(KEYS, COUNTERS, NONCES)
def test_agrees_with_openssl(key: bytes, counter: int, nonce: bytes) -> None:
    """Any key, counter and nonce give the keystream of the cryptography package."""
    cipher = Cipher(algorithms.ChaCha20(key, struct.pack("<I", counter) + nonce), mode=None)
    assert keystream(key, counter, nonce) == cipher.encryptor().update(bytes(64))


@given(KEYS, COUNTERS, NONCES)
def test_agrees_with_the_reference(key: bytes, counter: int, nonce: bytes) -> None:
    """The word-by-word reference gives the same block."""
    words = reference.chacha_block(key, counter, nonce)
    assert keystream(key, counter, nonce) == struct.pack("<16I", *words)


@given(st.lists(KEYS, max_size=9), COUNTERS, NONCES)
def test_many_keys_at_once_equal_one_by_one(keys: list[bytes], counter: int, nonce: bytes) -> None:
    """A column of a batch is the block of its key alone, and the keys are left as they were."""
    columns = [words_of(key) for key in keys]
    together = np.array(columns, dtype=np.uint32).reshape(len(keys), 8).T
    before = together.copy()
    blocks = block(together, counter, words_of(nonce))
    assert blocks.shape == (16, len(keys))
    assert [blocks[:, i].astype("<u4").tobytes() for i in range(len(keys))] == [
        keystream(key, counter, nonce) for key in keys
    ]
    np.testing.assert_array_equal(together, before)
