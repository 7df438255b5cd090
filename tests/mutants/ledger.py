"""Mutants of what a device remembers of its debits, and of what it sends."""

from tests.mutants.mutant import Mutant

_LEDGER = tuple(f"tests/device/test_ledger{part}.py" for part in ("", "_lock", "_model"))
_DEVICE = ("tests/device/test_device.py",)
_UPLOAD = ("tests/device/test_upload.py",)

LEDGER = (
    Mutant(
        "device/book.py",
        "if not begun and len(own) >= study.reports_per_person:",
        "if not begun and len(own) > study.reports_per_person:",
        _LEDGER,
        vital=True,
    ),
    Mutant(
        "device/book.py",
        "if self.left < (0 if begun else exact(study.epsilon)):",
        "if self.left < 0:",
        _LEDGER,
        vital=True,
    ),
    Mutant(
        "device/book.py",
        "if self.left < (0 if begun else exact(study.epsilon)):",
        "if not begun and self.left < exact(study.epsilon):",
        _LEDGER,
    ),
    Mutant("device/book.py", "Fraction(repr(float(epsilon)))", "Fraction(float(epsilon))", _LEDGER),
    Mutant(
        "device/book.py",
        "return self._with(number, {State.DEBITED}, **made)",
        "return self._with(number, {State.DEBITED, State.READY}, **made)",
        _LEDGER,
        vital=True,
    ),
    Mutant(
        "device/book.py",
        'state=state, reason="", code="")',
        'state=state, reason="")',
        _LEDGER,
    ),
    Mutant(
        "device/book.py",
        "return self._with(number, {State.READY}, state=state, reason=printable(reason))",
        "return self._with(number, set(State), state=state, reason=printable(reason))",
        _LEDGER,
    ),
    Mutant(
        "device/book.py",
        "replace(debit, state=State.LOST) if debit.state is State.DEBITED else debit",
        "debit",
        _LEDGER,
        vital=True,
    ),
    Mutant(
        "device/book.py",
        "for _ in range(cost.count - len(self.of(study_id)))",
        "for _ in range(cost.count - len(self.of(study_id)) - 1)",
        _LEDGER,
        vital=True,
    ),
    Mutant(
        "device/book.py",
        "if self.generation >= witness.generation and not missing:",
        "if self.generation >= witness.generation:",
        _LEDGER,
    ),
    Mutant(
        "device/book.py",
        "if self.generation >= witness.generation and not missing:",
        "if not missing:",
        _LEDGER,
    ),
    Mutant(
        "device/book.py",
        "Book(min(self.lifetime, witness.lifetime), generation",
        "Book(self.lifetime, generation",
        _LEDGER,
    ),
    Mutant(
        "device/ledger.py",
        "                if changed:\n                    book = _save(connection, book)\n"
        "                else:\n                    self._write_witness(book, witness)\n",
        "                if changed:\n                    book = _save(connection, book)\n"
        "                self._write_witness(book, witness)\n",
        _DEVICE,
        vital=True,
    ),
    Mutant(
        "device/ledger.py",
        "                else:\n                    self._write_witness(book, witness)\n",
        "",
        _LEDGER,
    ),
    Mutant(
        "device/ledger.py",
        "if known is None or known.generation < book.generation:",
        "if known is None:",
        _LEDGER,
    ),
    Mutant(
        "device/ledger.py",
        "            if changed:\n                with _transaction(connection):",
        "            if False:\n                with _transaction(connection):",
        _LEDGER,
    ),
    Mutant(
        "device/ledger.py", "if seal != _seal(lifetime, generation, rows):", "if False:", _LEDGER
    ),
    Mutant("device/ledger.py", '"BEGIN IMMEDIATE"', '"BEGIN"', (*_LEDGER, *_DEVICE)),
    Mutant("device/ledger.py", "if version != _VERSION:", "if version < _VERSION:", _LEDGER),
    Mutant(
        "device/ledger.py",
        "PRAGMA secure_delete = ON",
        "PRAGMA secure_delete = OFF",
        _LEDGER,
        harmless="changes nothing where SQLite is built with it on, as on Debian",
    ),
    Mutant("device/ledger.py", "draft.replace(path)", "pass", _LEDGER),
    Mutant("device/ledger.py", "if seal != _hash_of(body):", "if False:", _LEDGER),
    Mutant(
        "device/device.py",
        "if self.ledger.fill(number, seed, collector=self._collector, code=self._code):",
        "if self.ledger.fill(number, seed, collector=self._collector, code=self._code) or True:",
        _DEVICE,
        vital=True,
    ),
    Mutant("device/upload.py", 'and answer.get("reports") == 1:', ":", _UPLOAD),
    Mutant(
        "device/upload.py",
        'and isinstance(answer.get("error"), str):',
        ":",
        _UPLOAD,
    ),
    Mutant(
        "device/upload.py",
        'debit.collector not in ("", *pausing)',
        'debit.collector != ""',
        _UPLOAD,
    ),
    Mutant(
        "device/upload.py",
        "if not pauses or pause > LONGEST_PAUSE:",
        "if not pauses:",
        _UPLOAD,
    ),
    Mutant("device/upload.py", "if study.id != study_id:", "if False:", _UPLOAD),
    Mutant(
        "device/upload.py",
        "frozenset({400, 403, 404, 409, 410, 413})",
        "frozenset({400, 403, 404, 409, 413})",
        (*_UPLOAD, "tests/collector/test_api.py"),
    ),
)
