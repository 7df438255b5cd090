"""Every role in turn: studies and protocols of several rounds, from records to the answer."""

import runpy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from tacit import Binary, Bounded, Study, Tally, fit, simulate
from tacit.arrays import Floats, Integers
from tacit.device.randomize import draw_seeds
from tacit.errors import ConfigurationError
from tacit.privacy import SeededEntropy, Sphere
from tacit.privacy.gaussian import GaussianMechanism
from tacit.protocol import Records, Round, reports, run, simulated
from tacit.protocol import simulate as simulate_protocol
from tacit.protocol.run import as_sent, part_of
from tacit.protocol.study import StudyRound, records_of

STANDARD_ERRORS = 7.0
GENERATOR = np.random.default_rng(0)
PUBLIC = {"a": GENERATOR.normal(size=200), "b": GENERATOR.normal(size=200)}
ROWS = {"a": GENERATOR.normal(size=600), "b": GENERATOR.normal(size=600)}
LABELS = np.where(ROWS["a"] > GENERATOR.normal(size=600), "yes", "no").astype(object)


def study_of(**changes: Any) -> Study:
    """A small study."""
    stated = {"label": Binary("y", positive="yes", negative="no"), "epsilon": 4.0, **changes}
    return Study.from_public(PUBLIC, source="made up", **stated)


@dataclass(frozen=True, eq=False)
class Centre(Round):
    """Two rounds of a mean: half of the people first, the others about what those said."""

    centre: float = 0.0
    last: bool = False

    summed = True
    draws = 1

    @property
    def mechanism(self) -> Sphere:
        """One coordinate, tied to the round."""
        return Sphere.best(1, 4.0, bytes([self.last]) * 16)

    def asked(self, people: int) -> slice:
        """Each half once."""
        return slice(people // 2, people) if self.last else slice(people // 2)

    def encode(self, records: Records, luck: Floats) -> Floats:
        """A sign whose mean is the clipped distance from the centre."""
        share = np.clip(records[0].astype(np.float64) - self.centre, -1.0, 1.0)
        return np.where(luck[:, 0] < (1.0 + share) / 2.0, 1.0, -1.0)[:, None]

    def after(self, reported: Integers, people: int) -> Any:
        """The next centre, or the answer."""
        found = self.centre + float(self.mechanism.mean(reported, people)[0])
        return found if self.last else replace(self, centre=found, last=True)


@pytest.mark.parametrize("each", [1, 3])
def test_a_study_run_by_every_role_is_the_fit_of_its_reports(each: int) -> None:
    """The same bytes of luck in the same order, one device after the other, give the same tally."""
    study = study_of(reports_per_person=each)
    records = records_of(study, ROWS, LABELS)
    found = run(StudyRound(study, PUBLIC), records, entropy=SeededEntropy(1))
    entropy = SeededEntropy(1)
    tally = Tally.of(study)
    for person in range(len(LABELS)):
        one = {name: column[person : person + 1] for name, column in ROWS.items()}
        weights = study.label.weights(LABELS[person : person + 1])
        for _ in range(each):
            tally = tally.add(draw_seeds(study, study.encode(one), weights, entropy))
    assert tally.count == 600 * each
    assert np.array_equal(found.coef, fit(study, tally, public=PUBLIC).coef)


def test_any_number_of_collectors_gives_the_same_answer() -> None:
    """Integer sums: to the last bit."""
    study = study_of(label=Bounded("y", -1.0, 1.0))
    first, records = StudyRound(study, PUBLIC), records_of(study, ROWS, ROWS["a"])
    answers = [
        run(first, records, collectors=count, entropy=SeededEntropy(2)).coef for count in (1, 2, 7)
    ]
    assert np.array_equal(answers[0], answers[1])
    assert np.array_equal(answers[0], answers[2])


def test_everyone_sends_as_many_simulated_reports_as_the_study_says() -> None:
    """`tacit.simulate` and the protocol draw the same ones; their mean is that of the answers."""
    study = study_of(reports_per_person=3, epsilon=8.0)
    records = records_of(study, ROWS, LABELS)
    tally = simulate(study, ROWS, LABELS, random_state=4)
    total = simulated(StudyRound(study), records, np.random.default_rng(4))
    assert tally == Tally.from_sums(study, 1800, total)
    vectors = StudyRound(study).encode(records, np.zeros((600, 1)))
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    error = np.sqrt(study.mechanism.noise / 1800)
    assert np.abs(tally.mean(study) - units.mean(axis=0)).max() <= STANDARD_ERRORS * error
    assert np.abs(units.mean(axis=0)).max() > 3 * STANDARD_ERRORS * error


def test_a_protocol_of_two_rounds_asks_nobody_twice() -> None:
    """Devices and simulation end near the truth, which the first round alone could not reach."""
    people = np.full(4000, 0.7)
    error = Sphere.best(1, 4.0).noise
    allowed = STANDARD_ERRORS * np.sqrt((error + 1.0) / 2000)
    for found in (
        run(Centre(), (people,), entropy=SeededEntropy(5)),
        simulate_protocol(Centre(), (people,), np.random.default_rng(6)),
    ):
        assert abs(found - 0.7) <= allowed
    halves = [Centre(last=last).asked(4001) for last in (False, True)]
    assert halves == [slice(2000), slice(2000, 4001)]


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ((np.zeros(0),), "Centre asks none of 0 people"),
        ((np.zeros(1),), "Centre asks none of 1 people"),
        ((np.zeros(4), np.zeros(3)), r"got \[4, 3\] entries"),
        ((), "one entry for each person"),
    ],
)
def test_a_round_that_could_ask_nobody_is_refused(records: Records, told: str) -> None:
    """By devices and in simulation, in words that show how many people there are."""
    with pytest.raises(ConfigurationError, match=told):
        run(Centre(), records)
    with pytest.raises(ConfigurationError, match=told):
        simulate_protocol(Centre(), records, np.random.default_rng(0))


@pytest.mark.parametrize("collectors", [0, -1, 1.5])
def test_reports_need_a_collector_to_arrive_at(collectors: Any) -> None:
    """Without one there would be an answer from no reports."""
    with pytest.raises(ConfigurationError, match=f"got collectors={collectors}"):
        run(Centre(), (np.zeros(4),), collectors=collectors)


def test_devices_refuse_a_round_that_is_for_simulation_only() -> None:
    """Beyond epsilon 12, whatever the mechanism; the error says what was asked."""

    @dataclass(frozen=True)
    class Loud(Centre):
        @property
        def mechanism(self) -> Any:
            return GaussianMechanism.exact(1, 2.0, 13.0, 1e-6)

    with pytest.raises(ConfigurationError, match="up to 12, got epsilon=1"):
        reports(Loud(), (np.zeros(3),))


def test_reports_come_from_the_system_unless_entropy_is_given() -> None:
    """Two reports of one record differ, seeded ones do not."""
    records = (np.zeros(1),)
    assert not np.array_equal(reports(Centre(), records), reports(Centre(), records))
    first, second = (reports(Centre(), records, SeededEntropy(7)) for _ in range(2))
    assert np.array_equal(first, second)


def test_bytes_on_the_wire_are_read_as_they_were_sent() -> None:
    """Seeds and integers of any shape, also when a collector got none."""
    for form in (np.zeros((1, 16), np.uint8), np.zeros((1, 2, 3), np.int64)):
        sent = [(form + place).astype(form.dtype) for place in range(4)]
        read = as_sent([one.tobytes() for one in sent], form)
        assert np.array_equal(read, np.concatenate(sent))
        assert as_sent([], form).shape == (0, *form.shape[1:])


def test_records_are_columns_with_one_entry_each() -> None:
    """Rows of any shape become them; a label too few is refused."""
    study = study_of()
    assert [len(column) for column in part_of(records_of(study, ROWS, LABELS), slice(5))] == [5] * 3
    with pytest.raises(ConfigurationError, match="600 rows and 599 labels"):
        records_of(study, ROWS, LABELS[:-1])


def test_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m tacit.protocol` shows a study from its guarantee to its table."""
    runpy.run_module("tacit.protocol", run_name="__main__")
    shown = capsys.readouterr().out
    for words in ("What is protected", "A device sends 16 bytes", "sleep"):
        assert words in shown
