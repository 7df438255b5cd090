"""The study file of label studies, and the tables of their reports."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from tacit import Binary, Categorical, Feature, LabelStudy
from tacit.errors import ConfigurationError, PublicRowsError, ReportError, StudyFileError
from tacit.labelprivate.known import read_known
from tacit.labelprivate.simulation import simulate_reports
from tacit.labelprivate.study import KIND
from tacit.labelprivate.table import read_answers, write_answers
from tacit.labels import Label
from tacit.study import document
from tests.labelprivate.helpers import LABELS, SICK, VISITS, answers, people, study_of

AGE, REGION = Feature("age", "numeric"), Feature("region", "categorical", levels=("n", "s"))


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 3.0, 6.0, 20.0])
@pytest.mark.parametrize("label", LABELS, ids=lambda label: label.in_words())
def test_a_study_survives_its_file(label: Label, epsilon: float, tmp_path: Path) -> None:
    """Byte by byte and with its id."""
    study = study_of(label, epsilon)
    study.save(tmp_path / "study.json")
    read = LabelStudy.load(tmp_path / "study.json")
    assert (read, read.id, read.to_bytes()) == (study, study.id, study.to_bytes())
    assert study.describe().startswith("A trial:")


def changed(study: LabelStudy, **fields: Any) -> bytes:
    """A file with other content under a right hash."""
    content = msgspec.json.decode(study.body)
    content["mechanism"] |= fields.pop("mechanism", {})
    return document.wrap(KIND, msgspec.json.encode(content | fields))


@pytest.mark.parametrize(
    "fields",
    [
        {"epsilon": 0.999},
        {"mechanism": {"threshold": "f" * 16}},
        {"mechanism": {"size": 2}},
        {"mechanism": {"classes": 3}},
        {"version": 2},
        {"extra": 1},
        {"features": [{"name": "age", "kind": "auto", "question": "", "unit": "", "levels": [],
                       "merged": [], "fill": 0.0, "spread": 0.0, "indicator": False}]},
    ],
)  # fmt: skip
def test_a_hand_made_study_is_refused(fields: dict[str, Any]) -> None:
    """A right hash does not make thresholds right."""
    with pytest.raises(StudyFileError):
        LabelStudy.from_bytes(changed(study_of(SICK), **fields))


def test_a_larger_threshold_of_a_number_is_refused() -> None:
    """Of windows and of staircases, whose coin may not be smaller either."""
    for epsilon, field in ((1.0, "threshold"), (6.0, "threshold"), (6.0, "coin")):
        study = study_of(VISITS, epsilon)
        stated = int(getattr(study.parameters, field), 16)
        for other in (stated + 1, stated - 1):
            with pytest.raises(StudyFileError, match="mechanism"):
                LabelStudy.from_bytes(changed(study, mechanism={field: f"{other:016x}"}))


def test_an_altered_file_is_refused() -> None:
    """One byte is enough; a study of the other kind is named as what it is not."""
    data = study_of(SICK).to_bytes()
    with pytest.raises(StudyFileError, match="altered"):
        LabelStudy.from_bytes(data.replace(b"A trial", b"a trial"))
    with pytest.raises(StudyFileError, match="not a label_study file"):
        LabelStudy.from_bytes(data.replace(b"label_study", b"study"))


@pytest.mark.parametrize(
    ("features", "named"),
    [
        (["age"], "from_rows"),
        ([Feature("age")], "needs a kind"),
        ([Feature("sick", "numeric")], "no feature may be called 'sick'"),
        ([Feature("report", "numeric")], "no feature may be called 'report'"),
        ([AGE, AGE], "both be called 'age'"),
        ([Feature("intercept", "numeric")], "both be called 'intercept'"),
    ],
)
def test_features_that_cannot_be_are_refused(features: Any, named: str) -> None:
    """The error says what to do."""
    with pytest.raises(ConfigurationError, match=named):
        LabelStudy(features, label=SICK, epsilon=1.0)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, 21.0, float("nan"), "1", True])
def test_an_epsilon_that_cannot_be_is_refused(epsilon: Any) -> None:
    """The message shows it."""
    with pytest.raises(ConfigurationError, match="epsilon must lie between"):
        LabelStudy([AGE], label=SICK, epsilon=epsilon)


def test_stated_features_are_read_as_stated() -> None:
    """Whatever the size of a number; a level the study does not know is noted."""
    study = LabelStudy([AGE, REGION], label=SICK, epsilon=1.0)
    known = read_known(study, {"age": [1.0, -1e9, 3.0], "region": ["n", "s", "elsewhere"]})
    assert known.names == ("age", "region: s")
    assert known.values.tolist() == [[1.0, 0.0], [-1e9, 1.0], [3.0, 0.0]]
    assert "region: missing or unreadable in 1 of 3 known rows" in known.notes[0]


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_known_rows_must_be_readable(value: float) -> None:
    """They are the organiser's, so what cannot be read is an error, as in public rows."""
    study = LabelStudy([AGE], label=SICK, epsilon=1.0)
    with pytest.raises(PublicRowsError, match="known rows must be finite"):
        read_known(study, {"age": [1.0, value]})
    with pytest.raises(ConfigurationError, match="states no fill"):
        read_known(study, {"age": [1.0, np.nan]})


def test_rows_settle_features() -> None:
    """Levels, fills and indicators are in the study; so is what was dropped, and why."""
    rows = people(400) | {"same": np.ones(400), "region": np.repeat(["n", "s"], [250, 150])}
    rows["age"][:30] = np.nan
    study = LabelStudy.from_rows(rows | {"sick": ["yes"] * 400}, label=SICK, epsilon=1.0)
    assert study.feature_names == ("age", "smoker", "region")
    assert study.features[0].indicator
    assert study.features[2].levels == ("n", "s")
    assert study.dropped == {"same": "constant"}
    assert "missing in 30 of 400 known rows" in study.notes[0]
    some = LabelStudy.from_rows(rows, label=SICK, epsilon=1.0, features=["age"])
    assert some.feature_names == ("age",)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_table_of_reports_comes_back(suffix: str, tmp_path: Path) -> None:
    """With those who did not report; one of another study, or of none, is refused."""
    study, rows = study_of(SICK), people(60)
    reports: list[int | None] = [*simulate_reports(study, answers(SICK, rows), random_state=1)]
    reports[3] = None
    path = tmp_path / f"answers.{suffix}"
    write_answers(path, study, rows, reports)
    table, found = read_answers(path, study)
    assert found == reports
    np.testing.assert_array_equal(read_known(study, table).values, read_known(study, rows).values)
    with pytest.raises(ReportError, match="belong to study"):
        read_answers(path, study_of(SICK, 2.0))


@pytest.mark.parametrize(
    ("text", "named"),
    [("age,smoker\n1,1\n", "no column 'report'"), ("age,smoker,report\n1,1,0\n", "'study'")],
)
def test_a_table_without_study_or_reports_is_refused(text: str, named: str, tmp_path: Path) -> None:
    """Nobody could say what its numbers mean."""
    (tmp_path / "answers.csv").write_text(text)
    with pytest.raises(ReportError, match=named):
        read_answers(tmp_path / "answers.csv", study_of(SICK))


def test_levels_that_look_like_numbers_stay_texts(tmp_path: Path) -> None:
    """As in every table that is read for a study."""
    study = LabelStudy(
        [Feature("zip", "categorical", levels=("007", "NA"))],
        label=Categorical("plan", ("x", "y")),
        epsilon=1.0,
    )
    write_answers(tmp_path / "a.csv", study, {"zip": ["007", "NA", "007"]}, [0, 1, None])
    table, _ = read_answers(tmp_path / "a.csv", study)
    assert read_known(study, table).values.ravel().tolist() == [0.0, 1.0, 0.0]


def test_another_mechanism_may_be_stated() -> None:
    """As long as it is one for the label and epsilon."""
    ten = Categorical("plan", tuple("abcdefghij"))
    one = LabelStudy([AGE], label=ten, epsilon=1.0)
    stated = msgspec.structs.replace(
        study_of(Categorical("plan", ("a", "b")), 1.0).parameters, classes=2
    )
    assert (
        LabelStudy([AGE], label=Binary("x", "y"), epsilon=1.0, stated=stated).parameters == stated
    )
    with pytest.raises(ConfigurationError, match="mechanism is not one for 10 classes"):
        LabelStudy([AGE], label=ten, epsilon=1.0, stated=stated)
    assert one.parameters.in_words().startswith("subset selection: 3 classes")
