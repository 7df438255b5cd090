"""The device: any value makes a valid report, wrong names do not, nothing shows from outside."""

import math
from typing import Any

import numpy as np
import pytest

import tacit
from tacit import Binary, Bounded, Categorical, Count, Feature, Study, Tally, preview, randomize
from tacit.device.encode import coded_vectors
from tacit.device.randomize import draw_seeds, randomize_rows
from tacit.errors import ConfigurationError, MissingLabelError
from tacit.privacy import SeededEntropy
from tacit.simulation import simulate_tally
from tacit.study.labels import codes, weights

RNG = np.random.default_rng(0)
ROWS = {
    "age": RNG.normal(45.0, 15.0, 400),
    "smoker": RNG.random(400) < 0.3,
    "region": RNG.choice(["north", "south"], 400),
}
RECORD = {"age": 41, "smoker": True, "region": "south"}
LABELS = [
    (Binary("y", "yes", "no"), "yes"),
    (Categorical("y", ("a", "b", "c")), "b"),
    (Count("y", 9), 3),
    (Bounded("y", 0.0, 10.0), 2.5),
]
WILD: list[Any] = [
    None,
    math.nan,
    math.inf,
    -math.inf,
    1e308,
    "",
    "what?",
    "1e400",
    [],
    {},
    b"\x00",
]


def study_of(label: Any, **more: Any) -> Study:
    """A small study with one feature of each kind."""
    return Study.from_public(ROWS, label=label, epsilon=2.0, source="simulated", **more)


@pytest.mark.parametrize(("label", "value"), LABELS)
def test_a_report_is_sixteen_bytes_of_the_study(label: Any, value: Any) -> None:
    """For every label type, and two reports of one record differ."""
    study = study_of(label)
    one, two = (randomize(study, RECORD, label=value) for _ in range(2))
    assert len(bytes(one)) == 16
    assert one.study_id == study.id
    assert bytes(one) != bytes(two)


def test_a_study_without_features_takes_an_empty_record() -> None:
    """Where only the label is asked, there is nothing else to state."""
    study = Study.from_public(
        {"constant": [1.0] * 20}, label=Binary("y", "yes"), epsilon=2.0, source="simulated"
    )
    assert len(bytes(randomize(study, {}, label="yes"))) == 16


@pytest.mark.parametrize("name", sorted(RECORD))
@pytest.mark.parametrize("value", WILD, ids=repr)
def test_any_value_of_a_feature_still_reports(name: str, value: Any) -> None:
    """Missing, infinite, huge, unseen or absurd: replaced, and a valid report is made."""
    report = randomize(study_of(LABELS[0][0]), RECORD | {name: value}, label="yes")
    assert len(bytes(report)) == 16


@pytest.mark.parametrize("label", [label for label, _ in LABELS])
@pytest.mark.parametrize("value", ["what?", math.inf, -math.inf, 1e308, -3, [1], {}])
def test_any_label_but_a_missing_one_reports(label: Any, value: Any) -> None:
    """A label outside its stated values is clipped or replaced."""
    assert len(bytes(randomize(study_of(label), RECORD, label=value))) == 16


@pytest.mark.parametrize("value", [None, math.nan, "", " "])
def test_a_missing_label_makes_no_report(value: Any) -> None:
    """There is nothing to report, and the error says that taking part is visible."""
    with pytest.raises(MissingLabelError, match="taking part is visible"):
        randomize(study_of(LABELS[0][0]), RECORD, label=value)


def test_wrong_names_are_configuration_errors() -> None:
    """An absent feature and an unknown one are named, with what was probably meant."""
    study = study_of(LABELS[0][0])
    with pytest.raises(ConfigurationError, match="'agee' for 'age'"):
        randomize(study, {"agee": 41, "smoker": True, "region": "south"}, label="yes")
    with pytest.raises(ConfigurationError, match="Smokes"):
        randomize(study, RECORD | {"Smokes": 1}, label="yes")


def test_preview_shows_what_was_replaced() -> None:
    """Locally, and only there."""
    study = study_of(LABELS[0][0])
    seen = preview(study, RECORD | {"age": "forty"}, label="yes")
    assert seen.replaced == ("age",)
    assert seen.label_weights == (0.0, 1.0)
    assert "replaced" in str(seen)
    assert preview(study, RECORD, label="no").replaced == ()


def test_a_simulation_study_is_refused_on_a_device() -> None:
    """Its epsilon may be beyond what devices accept."""
    study = Study.from_public(
        ROWS, label=LABELS[0][0], epsilon=20.0, source="simulated", simulation=True
    )
    with pytest.raises(ConfigurationError, match="simulation"):
        randomize(study, RECORD, label="yes")


def test_failing_entropy_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error passes on; no report comes out of a predictable source."""

    def fail(_: int) -> bytes:
        raise OSError("no entropy")

    monkeypatch.setattr("secrets.token_bytes", fail)
    with pytest.raises(OSError, match="no entropy"):
        randomize(study_of(LABELS[0][0]), RECORD, label="yes")


def test_entropy_drawn_does_not_depend_on_the_values() -> None:
    """For the same random bytes, ordinary and wild records draw equally often at first."""

    class Counting(SeededEntropy):
        calls: list[int]

        def draw(self, count: int) -> bytes:
            """Record how much was asked for."""
            self.calls = [*getattr(self, "calls", []), count]
            return super().draw(count)

    study = study_of(LABELS[0][0])
    asked = []
    for record in (RECORD, dict.fromkeys(RECORD, math.nan), RECORD | {"age": 1e308}):
        entropy = Counting(1)
        z = study.encode([record])
        draw_seeds(study, z, weights(study.label, np.array(["yes"])), entropy)
        asked.append(entropy.calls[:3])
    assert asked[0] == asked[1] == asked[2]


def test_a_record_of_zeros_reports_without_an_intercept() -> None:
    """A row of length zero has no direction; its report is made all the same, with mean zero."""
    study = Study.from_public(
        {"a": RNG.normal(size=100), "b": RNG.normal(size=100)},
        label=Binary("y", 1, 0),
        epsilon=2.0,
        source="simulated",
        intercept=False,
    )
    assert len(bytes(randomize(study, {"a": 0.0, "b": 0.0}, label=1))) == 16
    n = 20_000
    drawn = coded_vectors(study, np.zeros((n, 2)), np.tile([0.0, 1.0], (n, 1)), RNG.random(n))
    assert np.allclose(np.linalg.norm(drawn, axis=1), 1.0)
    assert np.abs(drawn.mean(axis=0)).max() < 7 / math.sqrt(n)


def test_vectors_are_coded_vectors_with_the_right_mean() -> None:
    """E v = u (x) sum of weights times codes, for labels drawn by their weights."""
    study = study_of(Categorical("y", ("a", "b", "c")))
    chances = np.array([0.2, 0.5, 0.3])
    n = 50_000
    z = np.repeat(study.encode([RECORD]), n, axis=0)
    vectors = coded_vectors(study, z, np.tile(chances, (n, 1)), np.random.default_rng(1).random(n))
    length = np.linalg.norm(z[0])
    assert np.allclose(np.linalg.norm(vectors, axis=1), length)
    expected = np.kron(z[0], chances @ codes(study.label))
    assert np.abs(vectors.mean(axis=0) - expected).max() < 7 * length / math.sqrt(n)


def test_device_reports_and_simulation_have_the_same_mean() -> None:
    """Seeds made one way and sums drawn the other estimate the same thing, within 7 errors."""
    study = study_of(Bounded("y", 0.0, 10.0))
    n = 40_000
    z, label_weights = study.encode([RECORD] * n), weights(study.label, np.full(n, 9.0))
    seeds = draw_seeds(study, z, label_weights, SeededEntropy(1))
    on_devices = Tally.of(study).add(seeds).mean(study)
    simulated = simulate_tally(study, z, label_weights, np.random.default_rng(2)).mean(study)
    error = math.sqrt(2 * (study.mechanism.noise + 1.0) / n)
    assert np.abs(simulated).max() > 15 * error  # or reports that say nothing would pass
    assert np.abs(on_devices - simulated).max() < 7 * error


def test_many_at_once_is_as_one_by_one() -> None:
    """`randomize_rows` takes tables and gives one seed per row."""
    study = study_of(LABELS[0][0])
    seeds = randomize_rows(study, ROWS, np.resize(["yes", "no"], 400))
    assert seeds.shape == (400, 16)
    assert len({bytes(seed) for seed in seeds}) == 400


def test_rows_and_labels_must_be_as_many() -> None:
    """One label for many rows would quietly stand for all of them."""
    study = study_of(LABELS[0][0])
    with pytest.raises(ConfigurationError, match="400 rows and 1 labels"):
        randomize_rows(study, ROWS, ["yes"])
    with pytest.raises(ConfigurationError, match="400 rows and 1 labels"):
        tacit.simulate(study, ROWS, ["yes"])


def test_features_named_in_the_study_are_those_asked_for() -> None:
    """A study with stated features asks for these alone."""
    study = study_of(LABELS[0][0], features=[Feature("age", unit="years")])
    assert len(bytes(tacit.randomize(study, {"age": 3}, label="no"))) == 16
