"""The device: any value makes a valid report, wrong names do not, nothing shows from outside."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pytest

import tacit
from tacit import (
    Binary,
    Bounded,
    Categorical,
    Count,
    Device,
    Feature,
    Study,
    Tally,
    preview,
    randomize,
)
from tacit.device.randomize import (
    corner_vectors,
    draw_seeds,
    randomize_rows,
    reading,
    reading_rows,
)
from tacit.errors import ConfigurationError, MissingLabelError
from tacit.labels import Label
from tacit.privacy import SeededEntropy, Sphere
from tacit.privacy.draws import coin_threshold
from tacit.privacy.expand import expand
from tacit.simulation import simulate_rows, simulate_tally

STANDARD_ERRORS = 7.0
RNG = np.random.default_rng(0)
ROWS = {
    "age": RNG.normal(45.0, 15.0, 400),
    "smoker": RNG.random(400) < 0.3,
    "region": RNG.choice(["north", "south"], 400),
}
RECORD = {"age": 41, "smoker": True, "region": "south"}
LABELS: list[tuple[Label, object]] = [
    (Binary("y", "yes", "no"), "yes"),
    (Categorical("y", ("a", "b", "c")), "b"),
    (Count("y", 9), 3),
    (Bounded("y", 0.0, 10.0), 2.5),
]


def study_of(label: Label, epsilon: float = 2.0, **more: Any) -> Study:
    """A small study with one feature of each kind."""
    return Study.from_public(ROWS, label=label, epsilon=epsilon, source="simulated", **more)


@pytest.mark.parametrize(("label", "value"), LABELS)
def test_a_report_is_sixteen_bytes_of_the_study(label: Label, value: Any) -> None:
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


def test_a_row_of_pandas_is_a_record() -> None:
    """It has names and answers; where a name is wrong, no answer is told."""
    study = study_of(LABELS[0][0])
    row = pd.Series(RECORD)
    assert len(bytes(randomize(study, row, label="yes"))) == 16
    assert preview(study, row, label="yes").replaced == ()
    with pytest.raises(ConfigurationError) as refused:
        randomize(study, row.rename({"age": "agee"}), label="yes")
    assert "'agee' for 'age'" in str(refused.value)
    assert "41" not in str(refused.value)


def test_preview_shows_what_was_replaced() -> None:
    """Locally, and only there."""
    study = study_of(LABELS[0][0])
    seen = preview(study, RECORD | {"age": "forty"}, label="yes")
    assert seen.replaced == ("age",)
    assert seen.label_weights == (0.0, 1.0)
    assert "replaced" in str(seen)
    unread = preview(study, RECORD | {"region": b"south"}, label=b"yes")
    assert "region: unreadable (replaced" in str(unread)
    assert "label: unreadable (weights of its corners: 0.5, 0.5)" in str(unread)
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


class Counting(SeededEntropy):
    """Remembers how much was asked for."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.asked: list[int] = []

    def draw(self, count: int) -> bytes:
        """The bytes of the seed."""
        self.asked.append(count)
        return super().draw(count)


@pytest.mark.parametrize("label", [label for label, _ in LABELS])
def test_entropy_drawn_does_not_depend_on_the_values(label: Label) -> None:
    """A sure label and one that is not, ordinary and wild records: the same draws, but for luck."""
    study = study_of(label, epsilon=12.0)  # thousands of trials, far fewer at a time
    asked = []
    for record in (RECORD, dict.fromkeys(RECORD, math.nan), RECORD | {"age": 1e308}):
        for value in ("yes", "what?", 3, 2.5, -1e308, math.inf):
            entropy = Counting(1)
            draw_seeds(study, *reading(study, record, value), entropy)
            asked.append(entropy.asked[:3])
    assert asked[0][0] == 8  # the word that draws the corner
    assert all(first == asked[0] for first in asked)


def test_a_row_takes_one_word_for_its_corner_whatever_its_label() -> None:
    """Sure labels first, then others: what the mechanism gets does not shift."""
    study = study_of(Categorical("y", ("a", "b", "c")))
    entropy = Counting(1)
    draw_seeds(study, *reading_rows(study, [RECORD] * 3, ["a", "?", "c"]), entropy)
    assert entropy.asked[0] == 3 * 8


@pytest.mark.parametrize(("label", "value"), LABELS)
def test_reports_point_along_the_coded_record(label: Label, value: Any) -> None:
    """Seeds, expanded with the study's own tag, have the mean that the record and label say."""
    study = study_of(label)
    n = 20_000
    z, weights = reading(study, RECORD, value)
    seeds = draw_seeds(study, z.repeat(n, axis=0), weights.repeat(n, axis=0), SeededEntropy(3))
    mean = np.kron(z[0] / np.linalg.norm(z[0]), weights[0] @ study.label.corners)
    length = float(np.linalg.norm(mean))
    told = expand(seeds, study.tag, study.dimension).T @ mean / length
    tolerance = STANDARD_ERRORS / math.sqrt(n)  # no report is longer than 1
    assert abs(told.mean() - study.mechanism.mean_length * length) < tolerance
    assert study.mechanism.mean_length * length > 2 * tolerance
    foreign = expand(seeds, bytes(16), study.dimension).T @ mean / length
    assert abs(foreign.mean()) < tolerance


def test_a_device_reports_under_the_tag_of_its_study() -> None:
    """The same with the system's entropy, through the call that apps make."""
    study = study_of(Binary("y", "yes", "no"), epsilon=8.0)
    n = 2_000
    told = Tally.of(study).add([randomize(study, RECORD, label="yes") for _ in range(n)])
    z, weights = reading(study, RECORD, "yes")
    direction = np.kron(z[0] / np.linalg.norm(z[0]), weights[0] @ study.label.corners)
    error = math.sqrt((1.0 / study.mechanism.mean_length**2 - 1.0) / n)
    assert abs(told.mean(study) @ direction - 1.0) < STANDARD_ERRORS * error


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
    drawn = corner_vectors(study, np.zeros((n, 2)), np.tile([0.0, 1.0], (n, 1)), RNG.random(n))
    assert np.allclose(np.linalg.norm(drawn, axis=1), 1.0)
    assert np.abs(drawn.mean(axis=0)).max() < STANDARD_ERRORS / math.sqrt(n)


def test_vectors_are_corner_vectors_with_the_right_mean() -> None:
    """E v = u (x) sum of weights times codes, for labels drawn by their weights."""
    study = study_of(Categorical("y", ("a", "b", "c")))
    chances = np.array([0.2, 0.5, 0.3])
    n = 50_000
    z = np.repeat(study.encode([RECORD]), n, axis=0)
    vectors = corner_vectors(study, z, np.tile(chances, (n, 1)), np.random.default_rng(1).random(n))
    length = np.linalg.norm(z[0])
    assert np.allclose(np.linalg.norm(vectors, axis=1), length)
    expected = np.kron(z[0], chances @ study.label.corners)
    assert np.abs(vectors.mean(axis=0) - expected).max() < STANDARD_ERRORS * length / math.sqrt(n)


@pytest.mark.parametrize("luck", [0.0, 0.5, 1.0 - 2.0**-53])
def test_a_sure_label_has_its_corner_whatever_the_luck(luck: float) -> None:
    """At both ends of what can be drawn; in between the weights decide, each up to its end."""
    study = study_of(Categorical("y", ("a", "b", "c")))
    z = study.encode([RECORD] * 3)
    vectors = corner_vectors(study, z, np.eye(3), np.full(3, luck))
    assert np.array_equal(vectors, [np.kron(z[0], corner) for corner in study.label.corners])
    even = np.array([[0.25, 0.25, 0.5]])
    drawn = corner_vectors(study, z[:1], even, np.array([luck]))[0]
    assert np.array_equal(drawn, np.kron(z[0], study.label.corners[0 if luck == 0.0 else 2]))


def test_device_reports_and_simulation_have_the_same_mean() -> None:
    """Seeds made one way and sums drawn the other estimate the same thing, within 7 errors."""
    study = study_of(Bounded("y", 0.0, 10.0))
    n = 40_000
    rows = {name: np.resize(column, n) for name, column in ROWS.items()}
    labels = np.linspace(6.0, 11.0, n)  # to one side, so that the mean is not zero
    z, weights = reading_rows(study, rows, labels)
    seeds = draw_seeds(study, z, weights, SeededEntropy(1))
    on_devices = Tally.of(study).add(seeds).mean(study)
    simulated = simulate_tally(study, z, weights, np.random.default_rng(2)).mean(study)
    error = math.sqrt(2 * (study.mechanism.noise + 1.0) / n)
    assert np.abs(simulated).max() > 2 * STANDARD_ERRORS * error
    assert np.abs(on_devices - simulated).max() < STANDARD_ERRORS * error


def test_rows_need_not_be_encoded_before_they_are_simulated() -> None:
    """A few thousand at a time or all at once: the same random numbers make the same tally."""
    study = study_of(Bounded("y", 0.0, 10.0))
    rows = {name: np.resize(column, 10_000) for name, column in ROWS.items()}
    z, weights = reading_rows(study, rows, np.linspace(0.0, 10.0, 10_000))
    at_once = simulate_tally(study, z, weights, np.random.default_rng(2))
    by_part = simulate_rows(study, rows, weights, np.random.default_rng(2))
    assert np.array_equal(at_once.mean(study), by_part.mean(study))


def altered(study: Study, **fields: Any) -> Study:
    """A study that says something else than its file did."""
    return msgspec.structs.replace(study, **fields)


def alterations() -> dict[str, Study]:
    """What no file may say: the reader of files never sees these."""
    study = study_of(Binary("y", "yes", "no"))
    parameters, transform = study.parameters, study.transform
    rows = transform.matrix[1:]
    first = transform.matrix[0][1:]
    replace = msgspec.structs.replace
    return {
        "coin": altered(study, parameters=replace(parameters, coin="f" * 16)),
        "coin by one": altered(
            study, parameters=replace(parameters, coin=f"{int(parameters.coin, 16) - 1:016x}")
        ),
        "cap": altered(study, parameters=replace(parameters, cap=parameters.cap + 1e-6)),
        "dimension": altered(study, parameters=replace(parameters, dimension=3)),
        "epsilon": altered(study, epsilon=2.5),
        "epsilon of simulations": altered(
            study, epsilon=13.0, parameters=type(parameters).best(study.dimension, 13.0)
        ),
        "tiny matrix": altered(
            study, transform=replace(transform, matrix=((1e-305, *first), *rows))
        ),
        "huge matrix": altered(
            study, transform=replace(transform, matrix=((1e101, *first), *rows))
        ),
        "tiny center": altered(
            study, transform=replace(transform, center=(5e-324, *transform.center[1:]))
        ),
        "huge fill": altered(
            study, features=(replace(study.features[0], fill=1e101), *study.features[1:])
        ),
    }


def changed_in_place() -> Study:
    """A study that was used, and then changed where it stands."""
    study = Study.from_bytes(study_of(Binary("y", "yes", "no")).to_bytes())
    randomize(study, RECORD, label="yes")
    msgspec.structs.force_setattr(study, "epsilon", 1.0)
    replaced = msgspec.structs.replace(
        study_of(Binary("y", "yes", "no")).parameters, coin=f"{coin_threshold(1.0):016x}"
    )
    msgspec.structs.force_setattr(study, "parameters", replaced)
    return study


@pytest.mark.parametrize("what", [*alterations(), "in place"])
def test_a_study_altered_in_memory_is_refused_before_anything_is_spent(
    what: str, tmp_path: Path
) -> None:
    """The device compares what it is about to use with what follows from dimension and epsilon."""
    study = changed_in_place() if what == "in place" else alterations()[what]
    whole = study_of(Binary("y", "yes", "no"))
    device = Device(whole, ledger=tmp_path / "ledger", lifetime=8.0)
    device.study = study
    with pytest.raises(ConfigurationError):
        device.report(RECORD, label="yes")
    with pytest.raises(ConfigurationError):
        randomize(study, RECORD, label="yes")
    with pytest.raises(ConfigurationError):
        randomize_rows(study, [RECORD], ["yes"])
    assert device.ledger.spent == 0.0
    with pytest.raises(ConfigurationError):
        draw_seeds(study, *reading(whole, RECORD, "yes"), SeededEntropy(1))


def test_a_mechanism_exchanged_in_memory_is_refused() -> None:
    """Also where everything that is stated is right."""
    study = Study.from_bytes(study_of(Binary("y", "yes", "no")).to_bytes())
    study.__dict__["mechanism"] = replace(Sphere.best(study.dimension, 2.0, study.tag), coin=2**64)
    with pytest.raises(ConfigurationError, match="altered after it was read"):
        randomize(study, RECORD, label="yes")
    read = reading(study_of(Binary("y", "yes", "no")), RECORD, "yes")
    with pytest.raises(ConfigurationError, match="altered after it was read"):
        draw_seeds(study, *read, SeededEntropy(1))


def test_the_arrays_a_device_computes_with_cannot_be_written() -> None:
    """What was checked is what is used."""
    transform = study_of(Binary("y", "yes", "no")).transform
    for array in (transform.centers, transform.loadings):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 1e-305


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
