"""What any store must do: each report once, whatever comes and in whatever pieces."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from tacit.collector.storage.interface import (
    Outcome,
    Post,
    Segment,
    Store,
    StoredStudy,
)
from tacit.errors import ConfigurationError, StorageError
from tests.collector.stores import (
    DAY,
    NEXT_DAY,
    Opener,
    as_bytes,
    draw,
    example_study,
    put,
    stored_seeds,
    tally_of,
)

STUDY = example_study()
OTHER = example_study("Diet")


@pytest.fixture
def store(opener: Opener) -> Iterator[Store]:
    """A store with two studies."""
    store = opener()
    for study in (STUDY, OTHER):
        store.create(study, planned=None, needs_code=False)
    yield store
    store.close()


def reopened(store: Store, opener: Opener) -> Store:
    """The store as another process would find it."""
    store.close()
    return opener()


def test_repetitions_are_stored_once(store: Store, opener: Opener) -> None:
    """Within a post, across posts, across appends and across a restart; each is acknowledged."""
    seeds = draw(50)
    twice = np.concatenate([seeds[:30], seeds[10:20]])
    posts = [Post(STUDY.id, twice), Post(STUDY.id, seeds[25:40])]
    assert store.append(posts, DAY) == [Outcome.STORED, Outcome.STORED]
    assert put(store, seeds) == [Outcome.STORED]
    again = reopened(store, opener)
    assert put(again, seeds, NEXT_DAY) == [Outcome.STORED]
    assert stored_seeds(again) == as_bytes(seeds)
    assert again.tally(STUDY.id) == tally_of(seeds)
    assert again.segments(STUDY.id) == [Segment(DAY, 50)]
    again.close()


def test_seeds_alike_in_their_first_half_are_different(store: Store) -> None:
    """Sorting by the first eight bytes alone would confuse them."""
    seeds = draw(40)
    seeds[:, :8] = 7
    put(store, np.concatenate([seeds, seeds[::-1]]))
    assert stored_seeds(store) == as_bytes(seeds)
    assert store.tally(STUDY.id) == tally_of(seeds)


def test_the_same_seed_in_two_studies_is_two_reports(store: Store) -> None:
    """Identity is within a study."""
    seeds = draw(10)
    store.append([Post(STUDY.id, seeds), Post(OTHER.id, seeds[:4])], DAY)
    assert stored_seeds(store, STUDY) == as_bytes(seeds)
    assert stored_seeds(store, OTHER) == as_bytes(seeds[:4])
    assert store.tally(OTHER.id) == tally_of(seeds[:4], OTHER)


def test_outcomes_are_those_of_their_posts(store: Store) -> None:
    """Posts to open, closed and unknown studies, mixed; only the open one gets reports."""
    store.close_study(OTHER.id)
    seeds = draw(4)
    ids = [OTHER.id, STUDY.id, "0" * 64, STUDY.id]
    posts = [Post(study_id, seeds[i : i + 1]) for i, study_id in enumerate(ids)]
    expected = [Outcome.CLOSED, Outcome.STORED, Outcome.UNKNOWN_STUDY, Outcome.STORED]
    assert store.append(posts, DAY) == expected
    assert stored_seeds(store) == as_bytes(seeds[[1, 3]])
    assert stored_seeds(store, OTHER) == []


def test_a_closed_study_answers_every_post_alike(store: Store, opener: Opener) -> None:
    """Stored, new, some of each or none: nobody learns which reports came before."""
    seeds = draw(5)
    put(store, seeds[:3])
    store.close_study(STUDY.id)
    again = reopened(store, opener)
    posts = [Post(STUDY.id, part) for part in (seeds[:3], seeds, seeds[3:], seeds[1:2], seeds[:0])]
    assert again.append(posts, DAY) == [Outcome.CLOSED] * 5
    assert [again.append([post], DAY) for post in posts] == [[Outcome.CLOSED]] * 5
    assert stored_seeds(again) == as_bytes(seeds[:3])
    assert not next(stored.open for stored in again.studies() if stored.study.id == STUDY.id)
    again.close()


def test_empty_appends(store: Store) -> None:
    """No posts, and a post without reports."""
    assert store.append([], DAY) == []
    assert put(store, draw(0)) == [Outcome.STORED]
    assert store.segments(STUDY.id) == []


def test_days_have_their_own_tallies(store: Store, opener: Opener) -> None:
    """By day and in all, before and after a restart."""
    seeds = draw(30)
    put(store, seeds[:10], NEXT_DAY)
    put(store, seeds[:25], DAY)
    put(store, seeds, NEXT_DAY)
    for kept in (store, reopened(store, opener)):
        assert kept.segments(STUDY.id) == [Segment(DAY, 15), Segment(NEXT_DAY, 15)]
        assert kept.tally(STUDY.id, DAY) == tally_of(seeds[10:25])
        assert kept.tally(STUDY.id) == tally_of(seeds)
        assert kept.tally(STUDY.id, "2031-01-01").count == 0
        if kept is store:
            assert stored_seeds(kept, day=DAY) == as_bytes(seeds[10:25])
    kept.close()


class TestCodes:
    """A code admits one report."""

    @pytest.fixture
    def coded(self, opener: Opener) -> Iterator[Store]:
        """A store whose study needs codes and has three."""
        store = opener()
        store.create(STUDY, planned=None, needs_code=True)
        store.add_codes(STUDY.id, [code(n) for n in range(3)])
        yield store
        store.close()

    def test_one_report_each(self, coded: Store) -> None:
        """Used, unknown and missing codes store nothing, and say which they are."""
        seeds = draw(5)
        codes = [code(0), code(0), code(9), None, code(1)]
        posts = [Post(STUDY.id, seeds[i : i + 1], c) for i, c in enumerate(codes)]
        assert coded.append(posts, DAY) == [
            Outcome.STORED,
            Outcome.BAD_CODE,
            Outcome.BAD_CODE,
            Outcome.NO_CODE,
            Outcome.STORED,
        ]
        assert coded.append(posts[1:2], DAY) == [Outcome.BAD_CODE]
        assert stored_seeds(coded) == as_bytes(seeds[[0, 4]])
        assert coded.tally(STUDY.id) == tally_of(seeds[[0, 4]])

    def test_a_retry_burns_nothing(self, coded: Store) -> None:
        """The same report again succeeds with its code, with another, or without."""
        seeds = draw(2)
        posts = [Post(STUDY.id, seeds[:1], c) for c in (code(0), code(0), code(1), None)]
        assert coded.append(posts, DAY) == [Outcome.STORED] * 4
        assert coded.append(posts, DAY) == [Outcome.STORED] * 4
        assert coded.append([Post(STUDY.id, seeds[1:], code(1))], DAY) == [Outcome.STORED]

    def test_a_report_first_refused_may_come_again(self, coded: Store) -> None:
        """A wrong code does not make the report known."""
        posts = [Post(STUDY.id, draw(1), c) for c in (code(7), code(2))]
        assert coded.append(posts, DAY) == [Outcome.BAD_CODE, Outcome.STORED]

    def test_no_code_admits_two_reports(self, coded: Store) -> None:
        """Nor is it burnt by the attempt."""
        post = Post(STUDY.id, draw(2), code(0))
        assert coded.append([post], DAY) == [Outcome.BAD_CODE]
        assert coded.append([Post(STUDY.id, draw(1), code(0))], DAY) == [Outcome.STORED]

    def test_a_closed_study_takes_no_code(self, coded: Store) -> None:
        """It says that it is closed, whatever the code."""
        coded.close_study(STUDY.id)
        posts = [Post(STUDY.id, draw(1), each) for each in (code(0), code(9), None)]
        assert coded.append(posts, DAY) == [Outcome.CLOSED] * 3

    def test_codes_of_another_study_do_not_serve(self, coded: Store) -> None:
        """Codes belong to a study."""
        coded.create(OTHER, planned=None, needs_code=True)
        assert coded.append([Post(OTHER.id, draw(1), code(0))], DAY) == [Outcome.BAD_CODE]

    def test_a_study_without_codes_ignores_them(self, coded: Store) -> None:
        """A code too many does no harm."""
        coded.create(OTHER, planned=None, needs_code=False)
        assert coded.append([Post(OTHER.id, draw(3), code(0))], DAY) == [Outcome.STORED]
        assert coded.append([Post(STUDY.id, draw(1), code(0))], DAY) == [Outcome.STORED]


def code(number: int) -> bytes:
    """A code's hash."""
    return bytes([number + 1]) * 32


def test_studies_come_back_as_they_were(store: Store, opener: Opener) -> None:
    """Entries, public rows, refusals and secrets survive; creating twice changes nothing."""
    third = example_study("Work")
    assert store.create(third, planned=500, needs_code=True)
    assert not store.create(third, planned=7, needs_code=False)
    assert store.public(third.id) is None
    assert store.secret("token") is None
    for value in (b"older", b"newer"):
        store.set_public(third.id, value)
        store.set_secret("token", value)
    store.add_refusals({(third.id, "closed"): 2, ("", "unknown study"): 1})
    store.add_refusals({(third.id, "closed"): 3})
    again = reopened(store, opener)
    expected = [
        StoredStudy(STUDY, True, None, False),
        StoredStudy(OTHER, True, None, False),
        StoredStudy(third, True, 500, True),
    ]
    assert again.studies() == sorted(expected, key=lambda stored: stored.study.id)
    assert again.public(third.id) == again.secret("token") == b"newer"
    assert again.refusals(third.id) == {"closed": 5}
    assert again.refusals("") == {"unknown study": 1}
    again.close()


def test_unknown_studies_and_days_are_refused(store: Store) -> None:
    """The message names the parameter and shows the value."""
    with pytest.raises(ConfigurationError, match="study_id='abc'"):
        store.tally("abc")
    for day in ("yesterday", "20260301", "2026-W09-7", "2026-02-30"):
        with pytest.raises(ConfigurationError, match=f"day={day!r}"):
            store.append([], day)


def test_readers_see_whole_appends(store: Store) -> None:
    """Threads that read while the writer works see some of the appends, each whole."""
    seeds = draw(3_000)
    done = threading.Event()
    seen: list[tuple[int, int]] = []
    problems: list[BaseException] = []

    def read() -> None:
        try:
            while not done.is_set():
                tally = store.tally(STUDY.id)
                found = np.concatenate([draw(0), *store.seeds(STUDY.id)])
                seen.append((tally.count, len(found)))
        except BaseException as problem:
            problems.append(problem)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for start in range(0, 3_000, 30):
        put(store, seeds[start : start + 30])
    done.set()
    for reader in readers:
        reader.join()
    assert not problems
    assert all(before % 30 == 0 and after % 30 == 0 and after >= before for before, after in seen)


def test_a_snapshot_outlives_later_appends(store: Store) -> None:
    """Who began to read gets what was there, from any thread."""
    seeds = draw(200)
    put(store, seeds[:100])
    pieces = store.seeds(STUDY.id)
    first = next(pieces)
    put(store, seeds[100:])
    rest: list[np.ndarray] = []
    thread = threading.Thread(target=lambda: rest.extend(pieces))
    thread.start()
    thread.join()
    assert as_bytes(np.concatenate([first, *rest])) == as_bytes(seeds[:100])


def test_progress_is_told_of_every_report(store: Store, opener: Opener) -> None:
    """The steps add up to what is stored."""
    put(store, draw(70_000))
    store.close()
    steps: list[int] = []
    opener(steps.append).close()
    assert sum(steps) == 70_000


def test_a_closed_store_says_so(store: Store) -> None:
    """Calls after the end raise what callers expect, and change nothing."""
    store.close()
    with pytest.raises(StorageError):
        put(store, draw(1))
