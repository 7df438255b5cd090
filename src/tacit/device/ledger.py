"""The ledger of a device: one SQLite file with every debit, and a witness beside it.

A change is on disk before the call returns: first in the ledger, then in the witness. Connections
live for one call, so that threads, processes and forks share a ledger. The rules are in `book.py`.
"""

import hashlib
import json
import math
import os
import secrets
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tacit.device.book import Book, Debit, State, Witness, checked_lifetime
from tacit.errors import ConfigurationError, LedgerError, TacitWarning
from tacit.study import Study

_APPLICATION = 0x74616374  # SQLite's mark of whose file it is: "tact"
_VERSION = 1
PATIENCE = 30.0  # seconds; others hold the lock for some milliseconds
_OWNER_ONLY = 0o600
_TABLES = (
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_VERSION}",
    "CREATE TABLE ledger (lifetime REAL, generation INTEGER, seal TEXT)",
    "CREATE TABLE debit (number INTEGER PRIMARY KEY, study TEXT, title TEXT, epsilon REAL, "
    "state TEXT, seed BLOB, collector TEXT, code TEXT, reason TEXT)",
)
_INSERT = "INSERT INTO debit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_COUNTED = "Whatever its witness knows beyond it counts as spent"


class Ledger:
    """Every debit of a device, across studies, under its owner's lifetime budget.

    `lifetime` is needed to make a ledger; one that exists keeps its own. The witness is the file
    PATH.witness: with it, a ledger restored from an older copy or deleted is noticed, and whatever
    it lacks counts as spent. Nobody can notice that both files were restored or deleted.
    """

    def __init__(self, path: str | os.PathLike[str], *, lifetime: float | None = None) -> None:
        self.path = Path(path).resolve()
        self.witness_path = self.path.with_name(f"{self.path.name}.witness")
        if not self.path.is_file() or self.path.stat().st_size == 0:
            self._found(lifetime)
        self.read()

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"

    @property
    def lifetime(self) -> float:
        """What the owner allows in all; assign to change it."""
        return self.read().lifetime

    @lifetime.setter
    def lifetime(self, allowed: float) -> None:
        number = checked_lifetime(allowed)
        self._update(lambda book: replace(book, lifetime=number))

    @property
    def spent(self) -> float:
        """The sum of every debit, rounded to a float; the ledger itself adds exactly."""
        return float(self.read().spent)

    @property
    def debits(self) -> tuple[Debit, ...]:
        """Every debit and what became of it, oldest first."""
        return self.read().debits

    def read(self) -> Book:
        """All of the ledger at one moment."""
        return self._update(lambda book: book)

    def debit(self, study: Study) -> int:
        """Debit one report and return its number, or raise `BudgetError`."""
        debits = self._update(partial(Book.debited, study=study)).debits
        own = (debit for debit in debits if debit.study_id == study.id)
        return next(debit.number for debit in own if debit.state is State.DEBITED)

    def fill(self, number: int, seed: bytes, *, collector: str = "", code: str = "") -> bool:
        """Keep the bytes of a debit; False if others were first, and these must be forgotten."""
        book = self._update(
            partial(Book.filled, number=number, seed=seed, collector=collector, code=code)
        )
        return any(debit.number == number and debit.seed == seed for debit in book.debits)

    def settle(self, number: int, state: State, reason: str = "") -> Book:
        """Keep what the collector answered about a debit."""
        return self._update(partial(Book.settled, number=number, state=state, reason=reason))

    def address(self, study_id: str, *, collector: str = "", code: str = "") -> Book:
        """Send a study's waiting reports there; refused ones too, if this is new to them."""
        return self._update(
            partial(Book.addressed, study_id=study_id, collector=collector, code=code)
        )

    def _update(self, change: Callable[[Book], Book]) -> Book:
        """Apply a change to the newest state, and return once ledger and witness have it.

        What was read under the lock is durable, so a witness that only lags behind is written at
        once. One that is to know of a change waits until that change is.
        """
        with self._connection("rw") as connection:
            with _transaction(connection):
                found, witness = _load(connection, self.path), read_witness(self.witness_path)
                known = found.joined(witness)
                book = change(known)
                changed = book != found
                if changed:
                    book = _save(connection, book)
                else:
                    self._write_witness(book, witness)
            if changed:
                with _transaction(connection):  # so that no older witness overtakes a newer one
                    newest = _load(connection, self.path)
                    self._write_witness(newest, read_witness(self.witness_path))
        if known is not found:
            warnings.warn(f"the ledger {self.path} is an older copy. {_COUNTED}", TacitWarning, 3)
        return book

    def _write_witness(self, book: Book, known: Witness | None) -> None:
        if known is None or known.generation < book.generation:
            write_witness(self.witness_path, book.witness())

    def _found(self, lifetime: float | None) -> None:
        """Make a ledger, from the witness where one is left; two at once make one."""
        witness = read_witness(self.witness_path)
        if lifetime is None and witness is None:
            raise ConfigurationError(_no_ledger(self.path))
        if not self.path.parent.is_dir():
            raise ConfigurationError(f"there is no directory {self.path.parent} for a ledger")
        allowed = math.inf if lifetime is None else checked_lifetime(lifetime)
        with self._connection("rwc") as connection, _transaction(connection):
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
                return  # another thread or program was faster
            self.path.chmod(_OWNER_ONLY)
            for statement in _TABLES:
                connection.execute(statement)
            _save(connection, Book(allowed).joined(read_witness(self.witness_path)))
        if witness is not None:
            warnings.warn(f"the ledger {self.path} was deleted. {_COUNTED}", TacitWarning, 3)

    @contextmanager
    def _connection(self, mode: str) -> Iterator[sqlite3.Connection]:
        try:
            address = f"{self.path.as_uri()}?mode={mode}"
            with closing(
                sqlite3.connect(address, uri=True, isolation_level=None, timeout=PATIENCE)
            ) as connection:
                connection.execute("PRAGMA synchronous = EXTRA")  # also the journal's removal
                connection.execute("PRAGMA secure_delete = ON")  # a used code is overwritten
                yield connection
        except (sqlite3.Error, UnicodeError) as error:
            raise LedgerError(_explained(self.path, error)) from error


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One at a time; what is not committed when the connection closes never happened."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # SQLite has undone it already where the disk failed
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _load(connection: sqlite3.Connection, path: Path) -> Book:
    mark, version = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version")
    )
    if mark != _APPLICATION:
        raise LedgerError(f"{path} is not the ledger of a device")
    if version != _VERSION:
        raise LedgerError(f"{path} was written by a newer tacit (version {version}); upgrade tacit")
    head = connection.execute("SELECT lifetime, generation, seal FROM ledger").fetchone()
    rows = connection.execute("SELECT * FROM debit ORDER BY number").fetchall()
    lifetime, generation, seal = head or (0.0, 0, "")
    if seal != _seal(lifetime, generation, rows):
        raise LedgerError(_damaged(path, "its content does not match its checksum"))
    debits = tuple(replace(Debit(*row), state=State(row[4])) for row in rows)
    return Book(lifetime, generation, debits)


def _save(connection: sqlite3.Connection, changed: Book) -> Book:
    """Write the next generation."""
    book = replace(changed, generation=changed.generation + 1)
    rows = [astuple(debit) for debit in book.debits]
    connection.execute("DELETE FROM debit")
    connection.executemany(_INSERT, rows)
    connection.execute("DELETE FROM ledger")
    seal = _seal(book.lifetime, book.generation, rows)
    connection.execute(
        "INSERT INTO ledger VALUES (?, ?, ?)", (book.lifetime, book.generation, seal)
    )
    return book


def _seal(lifetime: Any, generation: Any, rows: list[Any]) -> str:
    """A checksum over everything, since SQLite itself would read a flipped bit as another value."""
    text = json.dumps([lifetime, generation, rows], default=list)  # bytes are not text
    return hashlib.sha256(text.encode()).hexdigest()


def _hash_of(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def read_witness(path: Path) -> Witness | None:
    """The witness, or None where there is none. Its first line is the hash of the second."""
    try:
        seal, _, body = path.read_bytes().partition(b"\n")
        if seal != _hash_of(body):
            raise LedgerError(_doubtful(path, "its content does not match its checksum"))
        return msgspec.json.decode(body, type=Witness)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as error:
        raise LedgerError(_doubtful(path, f"perhaps from a newer tacit: {error}")) from error
    except OSError as error:
        raise LedgerError(f"cannot read {path}: {error.strerror}") from error


def write_witness(path: Path, witness: Witness) -> None:
    """Replace the witness, whole or not at all; it names studies, so only its owner reads it."""
    body = msgspec.json.encode(witness)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
        with open(handle, "wb") as file:  # noqa: PTH123 - a handle, not a path
            file.write(_hash_of(body) + b"\n" + body)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise LedgerError(
            f"cannot write {path}: {error.strerror}. Nothing leaves the device until it can be"
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def _no_ledger(path: Path) -> str:
    return (
        f"there is no ledger {path}. To make one, say what the owner of the device allows in all "
        f"studies together: Device(study, ledger=..., lifetime=8.0)"
    )


def _damaged(path: Path, what: str) -> str:
    return (
        f"the ledger {path} is damaged ({what}); nothing is randomized. Restore a copy, or delete "
        f"it: what its witness remembers still counts as spent"
    )


def _doubtful(path: Path, what: str) -> str:
    return (
        f"the witness {path} cannot be read ({what}). It shows whether the ledger is an older "
        f"copy; nothing is randomized without it. If you know that it is not, delete this file"
    )


def _explained(path: Path, error: Exception) -> str:
    kind = getattr(error, "sqlite_errorname", "")
    if kind.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return f"the ledger {path} is in use by another program; try again"
    if kind.startswith("SQLITE_CANTOPEN"):
        return f"the ledger {path} is gone or may not be opened; nothing is randomized"
    if kind.startswith(("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_PERM")):
        return f"the ledger {path} cannot be written ({error}); nothing is randomized"
    return _damaged(path, str(error))
