import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from tacit import Binary, Categorical, Fit, Study, Tally, fit, plan
from tacit.collector import estimates
from tacit.collector.estimates import PAUSE, Estimates
from tacit.collector.progress import Analyst
from tacit.collector.storage.interface import Post, StoredStudy
from tacit.collector.storage.sqlite.store import SQLiteStore
from tacit.errors import PublicRowsError, TooFewReportsError
from tacit.inference.wording import drawn_coefficients
from tacit.study.purpose import in_words
from tacit.tables import write_parquet
from tests.inference.helpers import make_rows

LABEL = Binary("y", positive=1, negative=0)
PUBLIC = make_rows(500, 0)
PLANNED = 2000
DAY = "2026-03-01"


class Clock:
    """Time that passes when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Seconds."""
        return self.now


class Counted:
    """The real fit, which counts how often it ran and can be held up."""

    def __init__(self) -> None:
        self.runs = 0
        self.began = threading.Event()
        self.may_end = threading.Event()
        self.may_end.set()

    def __call__(self, study: Study, tally: Tally, *, public: Any) -> Fit:
        """Fit, once nothing holds it up."""
        self.runs += 1
        self.began.set()
        assert self.may_end.wait(timeout=60)
        return fit(study, tally, public=public)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    """An empty store."""
    opened = SQLiteStore.open(tmp_path / "study.db")
    yield opened
    opened.close()


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """Stands where the collector fits."""
    made = Counted()
    monkeypatch.setattr(estimates, "fit", made)
    return made


def add_study(
    store: SQLiteStore, *, public: Any = PUBLIC, planned: int | None = PLANNED, **more: Any
) -> str:
    """A study in the store, with public rows unless they are None; returns its id."""
    options: dict[str, Any] = {"label": LABEL, "epsilon": 4.0, "source": "simulated"} | more
    study = Study.from_public(PUBLIC, **options)
    store.create(study, planned=planned, needs_code=False)
    if public is not None:
        store.set_public(study.id, write_parquet(public))
    return study.id


def add_reports(store: SQLiteStore, study_id: str, count: int, *, seed: int = 0) -> None:
    """Reports that mean nothing: sixteen random bytes are a valid one."""
    seeds = np.random.default_rng(seed).integers(0, 256, (count, 16), dtype=np.uint8)
    store.append([Post(study_id, seeds)], DAY)


def shown(analyst: Analyst, stored: StoredStudy) -> dict[str, Any]:
    """What the dashboard gets."""
    found: dict[str, Any] = msgspec.to_builtins(analyst.progress(stored))
    return found


def stored_study(store: SQLiteStore, study_id: str) -> StoredStudy:
    """The study as it is now."""
    return next(stored for stored in store.studies() if stored.study.id == study_id)


def test_it_is_json_before_anything_arrived(store: SQLiteStore) -> None:
    """Standard errors of nobody are infinite, which JSON cannot say: they are null."""
    found = shown(Analyst(store), stored_study(store, add_study(store, title="Leaving")))
    json.dumps(found, allow_nan=False)
    assert (found["title"], found["label"], found["count"], found["days"]) == (
        "Leaving",
        "y",
        0,
        [],
    )
    expected = found["outlook"]["coefficients"]
    assert {each["now"] for each in expected} == {None}
    assert None not in {each["at_plan"] for each in expected}
    assert found["estimated_at"] is None


@pytest.mark.parametrize(("count", "told"), [(1, "99 more reports"), (99, "1 more report ")])
def test_below_the_minimum_batch_it_says_how_many_more(
    store: SQLiteStore, counted: Counted, count: int, told: str
) -> None:
    """No estimate is made, and the reason counts what is missing."""
    study_id = add_study(store)
    add_reports(store, study_id, count)
    found = shown(Analyst(store), stored_study(store, study_id))
    assert found["coefficients"] is None
    assert found["reason"].startswith(told)
    assert counted.runs == 0


def test_coefficients_are_those_of_a_fit(store: SQLiteStore) -> None:
    """Names, estimates, intervals and what raw rows give agree with `tacit.fit`."""
    study_id = add_study(store)
    add_reports(store, study_id, 400)
    stored = stored_study(store, study_id)
    found = shown(Analyst(store), stored)
    expected = fit(stored.study, store.tally(study_id), public=PUBLIC).summary(0.95).rows()
    told = [
        {
            "name": row["name"],
            "coef": row["estimate"],
            "se": row["standard_error"],
            "raw_se": row["raw_error"],
            **{key: row[key] for key in ("low", "high", "z", "p")},
        }
        for row in found["coefficients"]
    ]
    assert told == expected
    assert (found["estimated_at"], found["reason"]) == (400, None)
    assert found["reach"] == pytest.approx(1.959964)
    assert found["notes"][0].startswith(f"Of {len(told)} coefficients that are all zero")
    assert found["days"] == [{"day": DAY, "count": 400}]


def test_expected_errors_are_those_of_the_plan(store: SQLiteStore) -> None:
    """Now: for the people so far. At plan: for the people planned."""
    study_id = add_study(store)
    add_reports(store, study_id, 150)
    stored = stored_study(store, study_id)
    outlook = shown(Analyst(store), stored)["outlook"]
    planned = plan(stored.study, public=PUBLIC, people=PLANNED)
    told = outlook["coefficients"]
    np.testing.assert_array_equal(
        [each["now"] for each in told], planned.standard_errors(150), strict=True
    )
    np.testing.assert_array_equal(
        [each["at_plan"] for each in told], planned.standard_errors(), strict=True
    )
    assert [each["name"] for each in told] == list(planned.names)
    assert (outlook["supposed"], outlook["width"]) == (planned.supposed, planned.width)


def test_people_it_takes_make_every_interval_as_narrow_on_the_plot(store: SQLiteStore) -> None:
    """With them it is just as wide as the plan says; with one fewer it is wider."""
    stored = stored_study(store, add_study(store))
    outlook = shown(Analyst(store), stored)["outlook"]
    made = plan(stored.study, public=PUBLIC, people=PLANNED)
    for place, (each, told) in enumerate(
        zip(drawn_coefficients(stored.study), outlook["coefficients"], strict=True)
    ):
        enough, fewer = (
            2 * 1.959964 * made.standard_errors(people)[place] * each.scale
            for people in (told["people"], told["people"] - 1)
        )
        assert enough < outlook["width"] * (1 + 1e-6) < fewer * (1 + 2e-6)


def test_forecast_follows_the_coefficient_that_is_hardest_to_tell(store: SQLiteStore) -> None:
    """On the axis of the forest plot, where numbers count per standard deviation."""
    stored = stored_study(store, add_study(store))
    found = shown(Analyst(store), stored)["outlook"]["forecast"]
    planned = plan(stored.study, public=PUBLIC, people=PLANNED)
    drawn = drawn_coefficients(stored.study)
    width = {
        each.name: error * each.scale
        for each, error in zip(drawn, planned.standard_errors(), strict=True)
        if not each.intercept
    }
    assert found["name"] == max(width, key=lambda name: width[name])
    assert (found["people"][0], found["people"][-1]) == (stored.study.minimum_batch, 2 * PLANNED)
    place = planned.names.index(found["name"])
    ranges = planned.quantiles(found["people"])[:, :, place]
    np.testing.assert_array_equal([found["low"], found["median"], found["high"]], ranges)
    assert found["median"] == sorted(found["median"], reverse=True)


def rare_rows() -> dict[str, Any]:
    """A question with a level that 12 of 2,000 public rows have, and one that 100 have."""
    levels = np.repeat(["common", "other", "rare", "scarce"], [1088, 800, 100, 12])
    return {"kind": np.random.default_rng(3).permutation(levels)}


def add_rare_study(store: SQLiteStore, *, planned: int | None = PLANNED, **more: Any) -> str:
    """Its study in the store."""
    study = Study.from_public(rare_rows(), label=LABEL, epsilon=1.0, source="simulated", **more)
    store.create(study, planned=planned, needs_code=False)
    store.set_public(study.id, write_parquet(rare_rows()))
    return study.id


def test_levels_too_rare_are_told_before_anything_arrives(store: SQLiteStore) -> None:
    """With what merging brings; the forecast is of a coefficient that the plan reaches."""
    stored = stored_study(store, add_rare_study(store))
    outlook = shown(Analyst(store), stored)["outlook"]
    planned = plan(stored.study, public=rare_rows(), people=PLANNED)
    told = outlook["too_wide"]
    assert [each["name"] for each in told] == [each.name for each in planned.wide()]
    assert told[0]["name"] == "kind: scarce"
    assert told[0]["merged_with"] == "kind: rare"
    assert told[0]["merged_width"] < planned.wide()[0].width
    assert outlook["forecast"]["name"] not in {each["name"] for each in told}


def test_without_people_planned_no_level_is_called_rare(store: SQLiteStore) -> None:
    """Nobody said how many are hoped for."""
    stored = stored_study(store, add_rare_study(store, planned=None))
    assert shown(Analyst(store), stored)["outlook"]["too_wide"] == []


def test_a_coefficient_is_known_once_its_interval_has_ends_that_are_near(
    store: SQLiteStore,
) -> None:
    """No farther apart on the plot than the outlook says; few people leave others unknown."""
    study_id = add_rare_study(store)
    add_reports(store, study_id, 2000)
    found = shown(Analyst(store), stored_study(store, study_id))
    width = found["outlook"]["width"]
    known = {row["name"]: row["known"] for row in found["coefficients"]}
    assert known == {
        row["name"]: None not in (row["low"], row["high"])
        and (row["high"] - row["low"]) * row["scale"] <= width
        for row in found["coefficients"]
    }
    assert set(known.values()) == {True, False}
    assert not known["kind: scarce"]


def test_a_number_is_known_by_its_interval_per_standard_deviation(store: SQLiteStore) -> None:
    """Per unit it looks narrow long before: one that varies by 15 counts fifteenfold."""
    study_id = add_study(store, epsilon=1.5)
    add_reports(store, study_id, 150)
    stored = stored_study(store, study_id)
    found = shown(Analyst(store), stored)
    age = next(row for row in found["coefficients"] if row["name"] == "age")
    assert age["high"] - age["low"] <= found["outlook"]["width"]
    assert (age["high"] - age["low"]) * age["scale"] > found["outlook"]["width"]
    assert not age["known"]


def test_what_a_study_was_made_for_is_told(store: SQLiteStore) -> None:
    """In one sentence, on each coefficient in focus, and by the forecast of one of them."""
    stored = stored_study(store, add_study(store, focus=("age",), people=4000))
    add_reports(store, stored.study.id, 400)
    found = shown(Analyst(store), stored)
    assert found["purpose"] == in_words(stored.study)
    assert [row["name"] for row in found["coefficients"] if row["focused"]] == ["age"]
    forecast = found["outlook"]["forecast"]
    assert (forecast["name"], forecast["focused"]) == ("age", True)


def test_without_a_plan_the_forecast_reaches_twice_the_people_so_far(store: SQLiteStore) -> None:
    """A study may have been started without a number of people."""
    study_id = add_study(store, planned=None)
    add_reports(store, study_id, 300)
    found = shown(Analyst(store), stored_study(store, study_id))
    assert found["outlook"]["forecast"]["people"][-1] == 600
    assert {each["at_plan"] for each in found["outlook"]["coefficients"]} == {None}


def test_without_public_rows_it_asks_for_them(store: SQLiteStore) -> None:
    """They may come later, and are then found without being told."""
    study_id = add_study(store, public=None)
    add_reports(store, study_id, 200)
    analyst, stored = Analyst(store), stored_study(store, study_id)
    found = shown(analyst, stored)
    assert found["public_rows"] is found["outlook"] is None
    assert "--public" in found["reason"]
    with pytest.raises(PublicRowsError):
        analyst.model(stored)
    store.set_public(study_id, write_parquet(PUBLIC))
    assert shown(analyst, stored)["public_rows"] == 500


def test_one_percent_more_is_fitted_after_a_pause(store: SQLiteStore, counted: Counted) -> None:
    """Neither fewer new reports nor a request too soon starts another fit."""
    study_id = add_study(store)
    clock = Clock()
    analyst = Analyst(store, clock)
    estimated = []
    for step, (count, wait) in enumerate([(400, 0.0), (3, PAUSE), (1, 0.0), (0, PAUSE), (9, 0.0)]):
        add_reports(store, study_id, count, seed=step)
        estimated.append(shown(analyst, stored_study(store, study_id))["estimated_at"])
        clock.now += wait
    assert estimated == [400, 400, 404, 404, 413]
    assert counted.runs == 3


def test_closing_brings_the_last_reports_in(store: SQLiteStore, counted: Counted) -> None:
    """A closed study's estimate is of all its reports, and stays."""
    study_id = add_study(store)
    clock = Clock()
    analyst = Analyst(store, clock)
    add_reports(store, study_id, 400)
    shown(analyst, stored_study(store, study_id))
    add_reports(store, study_id, 1, seed=1)
    store.close_study(study_id)
    clock.now += PAUSE
    found = [shown(analyst, stored_study(store, study_id)) for _ in range(3)]
    assert [each["estimated_at"] for each in found] == [401] * 3
    assert not found[0]["open"]
    assert counted.runs == 2


def test_reports_set_aside_leave_the_estimate(store: SQLiteStore, counted: Counted) -> None:
    """Even one report fewer is fitted anew."""
    study_id = add_study(store)
    clock = Clock()
    made = Estimates(store, clock)
    add_reports(store, study_id, 400)
    stored, tally = stored_study(store, study_id), store.tally(study_id)
    fewer = Tally(study_id, tally.count - 1, tally.sums)
    assert made.latest(stored, tally).reports == 400
    clock.now += PAUSE
    assert made.latest(stored, fewer).reports == 399
    assert counted.runs == 2


def test_two_who_ask_at_once_share_one_fit(store: SQLiteStore, counted: Counted) -> None:
    """The second waits for the first fit there is, and does not make it again."""
    study_id = add_study(store)
    add_reports(store, study_id, 400)
    analyst, stored = Analyst(store), stored_study(store, study_id)
    counted.may_end.clear()
    found: list[dict[str, Any]] = []
    asking = [
        threading.Thread(target=lambda: found.append(shown(analyst, stored))) for _ in range(2)
    ]
    for thread in asking:
        thread.start()
    assert counted.began.wait(timeout=60)
    counted.may_end.set()
    for thread in asking:
        thread.join(timeout=60)
    assert [each["estimated_at"] for each in found] == [400, 400]
    assert counted.runs == 1


def test_nobody_waits_for_a_newer_fit(store: SQLiteStore, counted: Counted) -> None:
    """While one thread fits again, the others get the estimate before."""
    study_id = add_study(store)
    clock = Clock()
    analyst = Analyst(store, clock)
    add_reports(store, study_id, 400)
    stored = stored_study(store, study_id)
    shown(analyst, stored)
    add_reports(store, study_id, 100, seed=1)
    clock.now += PAUSE
    counted.began.clear()
    counted.may_end.clear()
    slow = threading.Thread(target=shown, args=(analyst, stored))
    slow.start()
    assert counted.began.wait(timeout=60)
    assert shown(analyst, stored)["estimated_at"] == 400
    counted.may_end.set()
    slow.join(timeout=60)
    assert shown(analyst, stored)["estimated_at"] == 500


def test_new_public_rows_replace_what_was_made_of_the_old(store: SQLiteStore) -> None:
    """Plan and estimate are made again, with a note that these are not the study's rows."""
    study_id = add_study(store)
    add_reports(store, study_id, 400)
    analyst, stored = Analyst(store), stored_study(store, study_id)
    before = shown(analyst, stored)
    store.set_public(study_id, write_parquet(make_rows(300, 9)))
    assert shown(analyst, stored) == before
    analyst.forget(study_id)
    after = shown(analyst, stored)
    assert (before["public_rows"], after["public_rows"]) == (500, 300)
    assert after["coefficients"] != before["coefficients"]
    assert after["notes"][-1].startswith("the public rows given are not the 500")


def test_a_model_is_of_all_reports(store: SQLiteStore) -> None:
    """Also of those that the estimate shown does not yet hold."""
    study_id = add_study(store)
    analyst, stored = Analyst(store, Clock()), stored_study(store, study_id)
    with pytest.raises(TooFewReportsError):
        analyst.model(stored)
    add_reports(store, study_id, 400)
    shown(analyst, stored)
    add_reports(store, study_id, 1, seed=1)
    assert Fit.from_bytes(analyst.model(stored)).reports == 401


def test_intervals_without_an_end_are_told(store: SQLiteStore) -> None:
    """Noise beyond every bound still has a table; ends that are open, or as good as, are null."""
    study_id = add_study(store, epsilon=0.05, minimum_batch=1)
    add_reports(store, study_id, 3)
    analyst, stored = Analyst(store), stored_study(store, study_id)
    found = shown(analyst, stored)
    assert found["reason"] is None
    ends = [end for row in found["coefficients"] for end in (row["low"], row["high"])]
    assert None in ends
    told = Fit.from_bytes(analyst.model(stored)).conf_int().ravel()
    scales = np.repeat([row["scale"] for row in found["coefficients"]], 2)
    near = np.abs(told) * scales <= 25 * found["outlook"]["width"]
    assert ends == [end if so else None for end, so in zip(told, near, strict=True)]


def test_several_reports_of_a_person_are_one_person(store: SQLiteStore) -> None:
    """People are compared with the plan; epsilon is what all their reports spend."""
    study_id = add_study(store, reports_per_person=2)
    add_reports(store, study_id, 300)
    found = shown(Analyst(store), stored_study(store, study_id))
    assert (found["count"], found["people"], found["epsilon"]) == (300, 150.0, 8.0)


def test_coefficients_of_several_classes_come_in_groups(store: SQLiteStore) -> None:
    """Each class but the first has its own, against the first."""
    study_id = add_study(store, label=Categorical("y", ("a", "b", "c")))
    add_reports(store, study_id, 4000)
    found = shown(Analyst(store), stored_study(store, study_id))["coefficients"]
    groups = [row["group"] for row in found]
    assert groups == ["b vs a"] * (len(found) // 2) + ["c vs a"] * (len(found) // 2)
    assert found[1]["name"] == f"b vs a: {found[1]['shown'].split(' (')[0]}"


def test_refusals_and_damage_are_told(store: SQLiteStore) -> None:
    """Refusals by reason, of this study alone."""
    study_id = add_study(store)
    store.add_refusals({(study_id, "closed"): 3, ("", "unknown study"): 5})
    found = shown(Analyst(store), stored_study(store, study_id))
    assert (found["refusals"], found["quarantined"]) == ({"closed": 3}, 0)
