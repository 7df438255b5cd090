"""The store over one SQLite file; what is asked most often is in memory."""

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from tacit.collector.storage.interface import Outcome, Post, Segment, StoredStudy, Verification
from tacit.collector.storage.sqlite import bundles, readback
from tacit.collector.storage.sqlite.admission import admit
from tacit.collector.storage.sqlite.compaction import compact_day
from tacit.collector.storage.sqlite.database import Database, refuse_damaged_pages
from tacit.collector.storage.sqlite.state import NewReports, StudyState, rehearse
from tacit.errors import ConfigurationError, StorageError
from tacit.study import Study, Tally
from tacit.study.report import Seeds

_log = logging.getLogger("tacit.collector")


class SQLiteStore:
    """Implements `Store`; `opened` says what reading all reports back found.

    Any thread may read at any time. Methods that change something wait for each other.
    """

    def __init__(
        self, database: Database, states: dict[str, StudyState], opened: Verification
    ) -> None:
        self.database = database
        self._states = states
        self._changing = threading.RLock()
        self.opened = opened

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], progress: Callable[[int], None] | None = None
    ) -> "SQLiteStore":
        """Open or make the file; `progress` is told how many reports each step read."""
        database = Database(path)
        try:
            with database.write() as db:
                loaded = [
                    readback.load(db, number, stored, progress=progress)
                    for number, stored in readback.stored_studies(db)
                ]
        except BaseException:
            database.close()
            raise
        states = {state.study.id: state for state, _ in loaded}
        return cls(database, states, _sum_of(check for _, check in loaded))

    def close(self) -> None:
        """Leave everything on disk, in no order of arrival, and let another process open it."""
        with self._changing:
            if self.database.closed:
                return
            try:
                self._compact(before=date.max.toordinal() + 1)
                self.database.rebuild()
            except (StorageError, MemoryError) as error:  # all is stored; the next stop tries again
                _log.warning("the file still shows how reports arrived: %s", error)
            finally:
                self.database.close()

    def compact(self) -> None:
        """Cut the reports of past days anew, so that no commit is told from another."""
        with self._changing:
            if self._compact(before=datetime.now(UTC).date().toordinal()):
                self.database.rebuild()

    def checkpoint(self) -> None:
        """Empty the write-ahead log, unless somebody reads just now."""
        with self._changing:
            self.database.checkpoint()

    def create(self, study: Study, *, planned: int | None, needs_code: bool) -> bool:
        """Add a study; False, and no change, if it is there already."""
        with self._changing:
            if study.id in self._states:
                return False
            number = len(self._states) + 1
            stored = StoredStudy(study, True, planned, needs_code)
            states = self._states | {study.id: StudyState.empty(number, stored)}
            with self.database.write() as db:
                readback.write_study(db, number, stored)
            self._states = states
            return True

    def studies(self) -> list[StoredStudy]:
        """Every study, in the order of their ids."""
        return [state.stored for _, state in sorted(self._states.items())]

    def close_study(self, study_id: str) -> None:
        """Take no report any more; for ever."""
        with self._changing:
            state = self._state(study_id)
            closed = replace(state.stored, open=False)
            with self.database.write() as db:
                readback.write_study(db, state.number, closed)
            state.stored = closed

    def set_public(self, study_id: str, parquet: bytes) -> None:
        """Keep the study's public rows, replacing earlier ones."""
        number = self._state(study_id).number
        self._change(
            "INSERT OR REPLACE INTO public(study, parquet) VALUES (?, ?)", [(number, parquet)]
        )

    def public(self, study_id: str) -> bytes | None:
        """The study's public rows, if they were given."""
        number = self._state(study_id).number
        return self._value("SELECT parquet FROM public WHERE study = ?", (number,))

    def set_secret(self, name: str, value: bytes) -> None:
        """Keep a small value."""
        self._change("INSERT OR REPLACE INTO secret(name, value) VALUES (?, ?)", [(name, value)])

    def secret(self, name: str) -> bytes | None:
        """A small value the collector keeps."""
        return self._value("SELECT value FROM secret WHERE name = ?", (name,))

    def add_codes(self, study_id: str, hashes: Sequence[bytes]) -> None:
        """Participation codes, as hashes of 32 bytes."""
        number = self._state(study_id).number
        rows = [(number, code) for code in hashes]
        self._change("INSERT OR IGNORE INTO code(study, hash) VALUES (?, ?)", rows)

    def add_refusals(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Count refusals by study id ("" for none) and reason."""
        rows = [(study_id, reason, count) for (study_id, reason), count in counts.items()]
        self._change(
            "INSERT INTO refusal(study, reason, count) VALUES (?, ?, ?) "
            "ON CONFLICT(study, reason) DO UPDATE SET count = count + excluded.count",
            rows,
        )

    def refusals(self, study_id: str) -> dict[str, int]:
        """Refusals of a study by reason."""
        query = "SELECT reason, count FROM refusal WHERE study = ? ORDER BY reason"
        with self.database.read() as db:
            return dict(db.execute(query, (study_id,)).fetchall())

    def append(self, posts: Sequence[Post], day: str) -> list[Outcome]:
        """Store what is new of several posts, burn their codes and move the tallies, as one."""
        number = _day_number(day)
        with self._changing:
            self._refresh()
            grouped = self._by_study(posts)
            try:
                return self._append(posts, grouped, number)
            except StorageError:
                raise  # it was undone
            except BaseException:  # as for memory: nobody knows whether it was committed
                for state, _ in grouped:
                    state.stale = True
                raise

    def tally(self, study_id: str, day: str | None = None) -> Tally:
        """The stored tally of a study, or of one of its days."""
        return self._state(study_id).tally(None if day is None else _day_number(day))

    def segments(self, study_id: str) -> list[Segment]:
        """The days on which reports arrived."""
        return self._state(study_id).segments()

    def seeds(self, study_id: str, day: str | None = None) -> Iterator[Seeds]:
        """The stored reports, in pieces of bounded size and no order of arrival, once checked."""
        return self._pieces(self._state(study_id), None if day is None else _day_number(day))

    def verify(self) -> Verification:
        """Read everything back; set aside what was damaged and take it out of the tallies.

        Reports are taken meanwhile, unless there is something to mend.
        """
        with self.database.read() as db:
            refuse_damaged_pages(db)
        return _sum_of(self._check_study(study_id) for study_id in self._states)

    def quarantined(self, study_id: str) -> int:
        """How many reports of a study were set aside as damaged."""
        return self._state(study_id).quarantined

    def _state(self, study_id: str) -> StudyState:
        try:
            return self._states[study_id]
        except KeyError:
            raise ConfigurationError(
                f"the store has no such study, got study_id={study_id!r}; create it first"
            ) from None

    def _by_study(self, posts: Sequence[Post]) -> list[tuple[StudyState, list[int]]]:
        """Places of the posts of each study there is."""
        places: dict[str, list[int]] = {}
        for place, post in enumerate(posts):
            places.setdefault(post.study_id, []).append(place)
        return [(self._states[key], at) for key, at in places.items() if key in self._states]

    def _append(
        self, posts: Sequence[Post], grouped: list[tuple[StudyState, list[int]]], day: int
    ) -> list[Outcome]:
        outcomes = [Outcome.UNKNOWN_STUDY] * len(posts)
        batches = []
        with self.database.write() as db:
            for state, places in grouped:
                found, seeds = admit(db, state, [posts[place] for place in places])
                for place, outcome in zip(places, found, strict=True):
                    outcomes[place] = outcome
                if len(seeds):
                    batches.append(NewReports.of(state, day, seeds))
                    batches[-1].write(db)
                elif Outcome.STORED in found:
                    rehearse(db, state, [posts[place].seeds for place in places])
        for batch in batches:
            batch.note()
        return outcomes

    def _refresh(self) -> None:
        """Read again what may differ from the disk, before anything is built upon it."""
        for study_id in [key for key, state in self._states.items() if state.stale]:
            self._load(study_id, recount=False)

    def _compact(self, before: int) -> bool:
        """Whether any day had to be rewritten; each is one transaction."""
        self._refresh()
        rewritten = False
        for state in self._states.values():
            for day in [day for day in state.days if day < before and day not in state.compacted]:
                with self.database.write() as db:
                    rewritten |= compact_day(db, state.number, day, state.days[day].count)
                state.compacted.add(day)
        return rewritten

    def _pieces(self, state: StudyState, day: int | None) -> Iterator[Seeds]:
        with self.database.read() as db:
            for bundle in bundles.scan(db, state.number, state.study.tag, day):
                yield bundle.sound_seeds

    def _check_study(self, study_id: str) -> Verification:
        state = self._states[study_id]
        with self.database.read() as db:
            days = readback.examine(db, state.number, state.study, recount=True).values()
        found = readback.summary(days)
        return self._mend(study_id) if found.quarantined or not found.tallies_agree else found

    def _mend(self, study_id: str) -> Verification:
        """Read the study again, with the writer waiting; a report set aside may come again."""
        with self._changing:
            self.database.forget()
            return self._load(study_id, recount=True)

    def _load(self, study_id: str, *, recount: bool) -> Verification:
        state = self._states[study_id]
        with self.database.write() as db:
            loaded, found = readback.load(db, state.number, state.stored, recount=recount)
        self._states = self._states | {study_id: loaded}
        return found

    def _change(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        with self._changing, self.database.write() as db:
            db.executemany(statement, rows)

    def _value(self, query: str, key: tuple[object, ...]) -> bytes | None:
        with self.database.read() as db:
            row = db.execute(query, key).fetchone()
        return None if row is None else bytes(row[0])


def _sum_of(checks: Iterable[Verification]) -> Verification:
    listed = list(checks)
    return Verification(
        sum(check.reports for check in listed),
        sum(check.quarantined for check in listed),
        sum(check.missing for check in listed),
        all(check.tallies_agree for check in listed),
    )


def _day_number(day: str) -> int:
    """Days are stored as numbers; only YYYY-MM-DD is one."""
    try:
        parsed = date.fromisoformat(day)
    except ValueError:
        parsed = None
    if parsed is None or parsed.isoformat() != day:
        raise ConfigurationError(f"day must be a date as YYYY-MM-DD, got day={day!r}")
    return parsed.toordinal()
