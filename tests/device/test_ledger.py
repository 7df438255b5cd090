"""The ledger: it never forgets a debit, as far as its two files can tell."""

import os
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest

from tacit.device import Ledger
from tacit.device.book import State
from tacit.errors import BudgetError, ConfigurationError, LedgerError, TacitWarning
from tests.device.helpers import study_of

SEED = bytes(range(16))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the ledger of a test is."""
    return tmp_path / "tacit.ledger"


def test_a_new_ledger_needs_its_owners_word(path: Path) -> None:
    """No budget is assumed; the error says how to state one, and no file appears."""
    with pytest.raises(ConfigurationError, match=r"lifetime=8\.0"):
        Ledger(path)
    assert not list(path.parent.iterdir())


@pytest.mark.parametrize("lifetime", [-1.0, float("nan"), float("inf"), "8", True, [], 10**400])
def test_a_lifetime_is_a_finite_number(path: Path, lifetime: object) -> None:
    """Nothing else is taken, at the start or later."""
    with pytest.raises(ConfigurationError, match="lifetime must be"):
        Ledger(path, lifetime=lifetime)  # type: ignore[arg-type]
    ledger = Ledger(path, lifetime=1.0)
    with pytest.raises(ConfigurationError, match="lifetime must be"):
        ledger.lifetime = lifetime  # type: ignore[assignment]
    assert ledger.lifetime == 1.0


def test_a_directory_must_exist(path: Path) -> None:
    """A ledger is not put somewhere its owner never made."""
    with pytest.raises(ConfigurationError, match="no directory"):
        Ledger(path / "deep" / "tacit.ledger", lifetime=1.0)


def test_an_existing_ledger_keeps_its_lifetime(path: Path) -> None:
    """An app's default does not override its owner, who can assign another."""
    Ledger(path, lifetime=2.0)
    assert Ledger(path, lifetime=50.0).lifetime == 2.0
    Ledger(path).lifetime = 3.0
    assert Ledger(path).lifetime == 3.0


def test_a_ledger_is_one_file_and_its_witness(path: Path) -> None:
    """Nothing else stays behind, and only the owner may read either."""
    Ledger(path, lifetime=2.0).debit(study_of("a"))
    assert sorted(p.name for p in path.parent.iterdir()) == [path.name, f"{path.name}.witness"]
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_ten_tenths_make_one(path: Path) -> None:
    """Sums are exact in the decimals people write: the tenth report fits, the eleventh does not."""
    ledger, study = Ledger(path, lifetime=1.0), study_of("tenth", 0.1, 20)
    for _ in range(10):
        ledger.fill(ledger.debit(study), os.urandom(16))
    assert ledger.spent == 1.0
    with pytest.raises(BudgetError, match=r"costs epsilon 0\.1, but 0 is left"):
        ledger.debit(study)


def test_nothing_beyond_the_budget_fits(path: Path) -> None:
    """Not even the smallest excess."""
    ledger = Ledger(path, lifetime=0.3)
    ledger.debit(study_of("two tenths", 0.2))
    with pytest.raises(BudgetError):
        ledger.debit(study_of("a little more", 0.10000000000000002))
    assert ledger.debit(study_of("just that", 0.1)) == 2


def test_a_lifetime_spans_fifty_studies(path: Path) -> None:
    """Studies do not have budgets of their own."""
    ledger = Ledger(path, lifetime=8.0)
    outcomes = []
    for number in range(50):
        try:
            ledger.debit(study_of(f"study {number}", 0.3))
            outcomes.append(True)
        except BudgetError:
            outcomes.append(False)
    assert outcomes == [True] * 26 + [False] * 24
    assert ledger.spent == 7.8


def test_a_debit_without_bytes_is_used_again(path: Path) -> None:
    """Whatever was drawn has not left the device, so the next report costs nothing more."""
    ledger, study = Ledger(path, lifetime=1.0), study_of("a")
    number = ledger.debit(study)
    assert Ledger(path).debit(study) == number
    assert ledger.fill(number, SEED)
    with pytest.raises(BudgetError, match="takes 1 report of each person"):
        ledger.debit(study)


def test_a_begun_report_respects_a_lowered_budget(path: Path) -> None:
    """The owner who allows less stops reports that are not made yet."""
    ledger = Ledger(path, lifetime=1.0)
    ledger.debit(study_of("a"))
    ledger.lifetime = 0.5
    with pytest.raises(BudgetError, match="0 is left"):
        ledger.debit(study_of("a"))


def test_the_first_bytes_of_a_debit_stand(path: Path) -> None:
    """Two programs that use one debit make one report."""
    ledger = Ledger(path, lifetime=1.0)
    number = ledger.debit(study_of("a"))
    assert ledger.fill(number, SEED)
    assert not ledger.fill(number, bytes(16))
    assert not ledger.fill(number + 7, bytes(16))
    assert [debit.seed for debit in ledger.debits] == [SEED]


def test_what_is_sent_stays_sent(path: Path) -> None:
    """A late answer of another attempt does not undo it, and its code is forgotten."""
    ledger = Ledger(path, lifetime=1.0)
    number = ledger.debit(study_of("a"))
    ledger.fill(number, SEED, collector="http://c", code="SECRETCODE")
    assert "SECRETCODE" not in repr(ledger.debits)
    ledger.settle(number, State.REFUSED, "no\nsuch \x1b[31mstudy")
    assert ledger.debits[0].reason == "no such [31mstudy"
    ledger.settle(number, State.SENT)
    ledger.settle(number, State.REFUSED, "late")
    ledger.settle(number, State.READY, "later")
    assert (ledger.debits[0].state, ledger.debits[0].reason) == (State.SENT, "")
    assert b"SECRETCODE" not in path.read_bytes()


def test_refused_reports_wait_again_at_another_address(path: Path) -> None:
    """The same address or code changes nothing; a sent report is not touched."""
    ledger, study = Ledger(path, lifetime=9.0), study_of("three", 1.0, 3)
    for collector in ("http://a", "http://a", "http://b"):
        number = ledger.debit(study)
        ledger.fill(number, os.urandom(16), collector=collector, code=f"code{number}")
        ledger.settle(number, State.SENT if number == 1 else State.REFUSED, "no")

    def states() -> list[tuple[State, str, str]]:
        return [(debit.state, debit.collector, debit.code) for debit in ledger.debits]

    before = states()
    ledger.address(study.id, collector="", code="code2")
    assert states() == before
    ledger.address(study.id, code="code4")
    assert states() == [before[0], (State.READY, "http://a", "code4"), before[2]]
    ledger.address(study.id, collector="http://a")
    assert states()[2] == (State.READY, "http://a", "code3")
    assert states()[0] == before[0]


def test_an_older_copy_is_noticed_and_counted(path: Path) -> None:
    """Whatever the witness knows beyond the copy counts, and no debit is used twice."""
    ledger = Ledger(path, lifetime=9.0)
    ledger.debit(study_of("a"))
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    ledger.fill(1, SEED)
    ledger.fill(ledger.debit(study_of("b", 2.0)), SEED)
    shutil.copy(copy, path)
    with pytest.warns(TacitWarning, match="is an older copy"):
        restored = Ledger(path)
    assert restored.spent == 3.0
    assert [debit.state for debit in restored.debits] == [State.LOST, State.LOST]
    for study in (study_of("a"), study_of("b", 2.0)):
        with pytest.raises(BudgetError):
            restored.debit(study)
    assert Ledger(path).spent == 3.0


def test_a_copy_restored_under_a_running_device_is_noticed(path: Path) -> None:
    """Every call compares, not only the first."""
    ledger = Ledger(path, lifetime=9.0)
    shutil.copy(path, path.with_name("copy"))
    number = ledger.debit(study_of("a"))
    shutil.copy(path.with_name("copy"), path)
    with pytest.warns(TacitWarning, match="is an older copy"):
        assert not ledger.fill(number, SEED)
    assert ledger.spent == 1.0


def test_a_deleted_ledger_comes_back_from_its_witness(path: Path) -> None:
    """Deleting the ledger frees nothing, whatever lifetime is asked for now."""
    Ledger(path, lifetime=1.0).debit(study_of("a"))
    for lifetime in (None, 100.0):
        path.unlink()
        with pytest.warns(TacitWarning, match="was deleted"):
            ledger = Ledger(path, lifetime=lifetime)
        assert (ledger.lifetime, ledger.spent) == (1.0, 1.0)
        assert ledger.debits[0].title == "a"
    path.write_bytes(b"")
    with pytest.warns(TacitWarning, match="was deleted"):
        assert Ledger(path).spent == 1.0


def test_an_unused_ledger_comes_back_with_its_budget(path: Path) -> None:
    """A witness without a debit still knows what the owner allowed."""
    Ledger(path, lifetime=1.5)
    path.unlink()
    with pytest.warns(TacitWarning, match="was deleted"):
        assert Ledger(path).lifetime == 1.5


def test_a_ledger_deleted_under_a_running_device_stops_it(path: Path) -> None:
    """Nothing is debited into thin air."""
    ledger = Ledger(path, lifetime=1.0)
    path.unlink()
    with pytest.raises(LedgerError, match="is gone"):
        ledger.debit(study_of("a"))
    assert not path.exists()


def test_a_swapped_ledger_takes_on_what_its_witness_knows(path: Path) -> None:
    """Another ledger put in the place of one counts both, even if it has seen more changes."""
    other = Ledger(path.with_name("other"), lifetime=9.0)
    for title in ("c", "d", "e"):
        other.debit(study_of(title))
    Ledger(path, lifetime=9.0).debit(study_of("a"))
    shutil.copy(other.path, path)
    with pytest.warns(TacitWarning, match="is an older copy"):
        assert Ledger(path).spent == 4.0


def test_a_deleted_witness_is_written_again(path: Path) -> None:
    """The ledger itself is the record; without a witness it is believed."""
    ledger = Ledger(path, lifetime=1.0)
    ledger.debit(study_of("a"))
    before = ledger.witness_path.read_bytes()
    ledger.witness_path.unlink()
    assert Ledger(path).spent == 1.0
    assert ledger.witness_path.read_bytes() == before


def test_a_witness_that_lags_behind_is_no_alarm(path: Path) -> None:
    """A crash between the two writes leaves it so; it catches up at the next call."""
    ledger = Ledger(path, lifetime=2.0)
    before = ledger.witness_path.read_bytes()
    ledger.debit(study_of("a"))
    after = ledger.witness_path.read_bytes()
    ledger.witness_path.write_bytes(before)
    assert Ledger(path).debit(study_of("a")) == 1
    assert ledger.witness_path.read_bytes() == after


def test_any_flipped_bit_of_the_ledger_is_noticed(path: Path) -> None:
    """A damaged ledger is refused, unless the bit was one that means nothing."""
    ledger = Ledger(path, lifetime=3.0)
    ledger.fill(ledger.debit(study_of("a")), SEED, collector="http://c", code="code")
    book, whole = ledger.read(), path.read_bytes()
    refused = 0
    used = [place for place, byte in enumerate(whole) if byte]
    for position, bit in [(place, (place // 3) % 8) for place in used]:
        damaged = bytearray(whole)
        damaged[position] ^= 1 << bit
        path.write_bytes(damaged)
        try:
            assert ledger.read() == book
        except LedgerError:
            refused += 1
    assert refused
    path.write_bytes(whole)
    assert Ledger(path).read() == book


def test_values_changed_by_hand_are_noticed(path: Path) -> None:
    """SQLite finds nothing wrong with a lower epsilon; the checksum does."""
    Ledger(path, lifetime=3.0).debit(study_of("a"))
    connection = sqlite3.connect(path)
    connection.execute("UPDATE debit SET epsilon = 0.5")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError, match="does not match its checksum"):
        Ledger(path)


@pytest.mark.parametrize("content", [b"nonsense", b"\x00" * 8192, "half"])
def test_a_damaged_ledger_says_how_to_go_on(path: Path, content: bytes | str) -> None:
    """Nothing is debited in a torn or foreign file, and the file is left as it is."""
    Ledger(path, lifetime=3.0)
    found = path.read_bytes()[:5000] if content == "half" else bytes(content)  # type: ignore[arg-type]
    path.write_bytes(found)
    with pytest.raises(LedgerError, match=r"is damaged|is not the ledger"):
        Ledger(path, lifetime=3.0)
    assert path.read_bytes() == found


def test_another_database_is_not_a_ledger(path: Path) -> None:
    """An app's own database is left alone."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(LedgerError, match="not the ledger of a device"):
        Ledger(path, lifetime=1.0)


def test_a_newer_ledger_asks_for_a_newer_tacit(path: Path) -> None:
    """A format of the future is not guessed at."""
    Ledger(path, lifetime=1.0)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(LedgerError, match="newer tacit"):
        Ledger(path)


def test_a_damaged_witness_stops_the_device(path: Path) -> None:
    """It might have known of an older copy, so its owner decides."""
    ledger = Ledger(path, lifetime=1.0)
    whole = ledger.witness_path.read_bytes()
    for position in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[position] ^= 1
        ledger.witness_path.write_bytes(damaged)
        with pytest.raises(LedgerError, match="delete this file"):
            ledger.debit(study_of("a"))
    ledger.witness_path.unlink()
    assert ledger.debit(study_of("a")) == 1


def test_an_unwritable_witness_stops_the_device(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The debit stands; nothing may be randomized until the witness knows it."""
    ledger = Ledger(path, lifetime=1.0)

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(LedgerError, match="No space left"):
        ledger.debit(study_of("a"))
    monkeypatch.undo()
    assert ledger.debit(study_of("a")) == 1
    assert len(list(path.parent.iterdir())) == 2
