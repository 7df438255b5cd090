"""Files that carry their own hash: {"id":"<SHA-256>","study":<canonical JSON>} and a newline.

Any language can check one by slicing: the body is the bytes between the fixed opening and the
last brace. The body is canonical: encoding what it decodes to gives the same bytes.
"""

import hashlib
import re
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from tacit.errors import StudyFileError

Value = TypeVar("Value", bound=msgspec.Struct)

_HELP = "get the original file again; it cannot be edited by hand"
_CLOSING = b"}\n"


class _Versioned(msgspec.Struct):
    version: int


def wrap(kind: str, body: bytes) -> bytes:
    """The file of a canonical body; `kind` is the key it stands under."""
    return _opening(kind, hashlib.sha256(body).hexdigest()) + body + _CLOSING


def unwrap(kind: str, data: bytes) -> bytes:
    """The body of a file, once its hash is right."""
    blank = _opening(kind, "0" * 64)
    claimed = data[7:71]
    body = data[len(blank) : -len(_CLOSING)]
    if not re.fullmatch(rb"[0-9a-f]{64}", claimed) or data != b"".join(
        (_opening(kind, claimed.decode()), body, _CLOSING)
    ):
        raise StudyFileError(f"not a {kind} file as tacit writes it: {_what_is(data, kind)}")
    actual = hashlib.sha256(body).hexdigest()
    if actual != claimed.decode():
        raise StudyFileError(
            f"the {kind} file was altered: its id is {claimed.decode()[:12]}… but its content "
            f"hashes to {actual[:12]}…; {_HELP}"
        )
    return body


def kind_of(data: bytes) -> str:
    """What a file says it is, "" where it is none of tacit's."""
    found = re.match(rb'\{"id":"[0-9a-f]{64}","(\w+)":', data)
    return found[1].decode() if found else ""


def decode(
    kind: str,
    body: bytes,
    value: type[Value],
    version: int,
    *,
    dec_hook: Callable[[Any, Any], Any] | None = None,
    enc_hook: Callable[[Any], Any] | None = None,
) -> Value:
    """The value of a body: of a known version, well formed and canonical."""
    try:
        found = msgspec.json.decode(body, type=_Versioned).version
        if found != version:
            newer = found > version
            raise StudyFileError(
                f"the {kind} file was written by {'a newer' if newer else 'an older'} tacit, "
                f"version {found} (this one reads version {version}); "
                f"{'upgrade tacit' if newer else 'make it again'}"
            )
        decoded = msgspec.json.decode(body, type=value, dec_hook=dec_hook)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise StudyFileError(f"the {kind} file is malformed: {error}; {_HELP}") from error
    if msgspec.json.encode(decoded, enc_hook=enc_hook) != body:
        raise StudyFileError(f"the {kind} file is not in canonical form; {_HELP}")
    return decoded


def _opening(kind: str, identity: str) -> bytes:
    return f'{{"id":"{identity}","{kind}":'.encode()


def _what_is(data: bytes, kind: str) -> str:
    try:
        content: Any = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return f"it is not JSON, or is truncated ({len(data)} bytes); {_HELP}"
    if isinstance(content, dict) and {"id", kind} <= content.keys():
        return f"it was reformatted; {_HELP}"
    return f'it has no "id" and "{kind}"; pass the file that tacit wrote'
