"""The witness: a small file beside the ledger that knows when the ledger is an older copy.

It repeats the debits of each study and the number of the ledger's last change. It is written after
every change and before anything leaves the device. It carries its own hash.
"""

import os
import secrets
from pathlib import Path

import msgspec

from tacit.errors import LedgerError, StudyFileError
from tacit.study import document

_VERSION = 1
_OWNER_ONLY = 0o600


class StudyCost(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one study has cost: `count` reports of `epsilon` each."""

    title: str
    epsilon: float
    count: int


class Witness(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The facts that an older copy of the ledger would lack."""

    lifetime: float
    generation: int
    costs: dict[str, StudyCost]
    version: int = _VERSION


def read_witness(path: Path) -> Witness | None:
    """The witness, or None where there is none."""
    try:
        data = path.read_bytes()
        return document.decode("witness", document.unwrap("witness", data), Witness, _VERSION)
    except FileNotFoundError:
        return None
    except StudyFileError as error:
        raise LedgerError(
            f"{path}: {error}. It shows whether the ledger is an older copy; nothing is randomized "
            f"without it. If you know that the ledger is not, delete this file"
        ) from error
    except OSError as error:
        raise LedgerError(f"cannot read {path}: {error.strerror}") from error


def write_witness(path: Path, witness: Witness) -> None:
    """Replace the witness, whole or not at all; it names studies, so only its owner reads it."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
        with open(handle, "wb") as file:  # noqa: PTH123 - a handle, not a path
            file.write(document.wrap("witness", msgspec.json.encode(witness)))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise LedgerError(
            f"cannot write {path}: {error.strerror}. Nothing leaves the device until it can be"
        ) from error
    finally:
        draft.unlink(missing_ok=True)
