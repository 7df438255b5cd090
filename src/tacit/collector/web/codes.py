"""Participation codes: each opens a study for one report. Only their hashes are kept."""

import base64
import hashlib
import secrets

CODE_BITS = 120
MOST_AT_ONCE = 100_000

_SEPARATORS = b"- "


def make(count: int) -> list[str]:
    """Fresh codes of 24 letters and digits, in four groups that can be read aloud."""
    plain = (base64.b32encode(secrets.token_bytes(CODE_BITS // 8)).decode() for _ in range(count))
    return ["-".join(code[place : place + 6] for place in range(0, 24, 6)) for code in plain]


def digest(study_id: str, code: bytes) -> bytes:
    """What is stored of a code: case, hyphens and spaces do not count, the study does."""
    return hashlib.sha256(
        bytes.fromhex(study_id) + code.upper().translate(None, _SEPARATORS)
    ).digest()
