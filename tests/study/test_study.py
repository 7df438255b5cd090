"""Studies: made from public rows, frozen, and the same for device, collector and fit."""

import pickle
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tacit.errors import ConfigurationError, PublicRowsError
from tacit.labels import Label
from tacit.privacy.sphere import Sphere
from tacit.study import Bounded, Categorical, Count, Feature, Study
from tests.study.conftest import CHURNED, Rows

RECORD = {"age": 41, "smoker": True, "region": "south", "income": 20.5}
WILD = [None, np.nan, np.inf, -1e308, 10**400, "", "??", [1, 2], {}, object(), b"\x00"]


def _plan(rows: Any, **changes: Any) -> Study:
    arguments: dict[str, Any] = {"label": CHURNED, "epsilon": 1.0, "source": "panel"} | changes
    return Study.from_public(rows, **arguments)


def test_a_study_settles_features_from_public_rows(study: Study) -> None:
    """Kinds, levels, merged levels, indicators."""
    kinds = {feature.name: feature.kind for feature in study.features}
    assert kinds == {
        "age": "numeric", "smoker": "binary", "region": "categorical", "income": "numeric",
    }  # fmt: skip
    assert study.features[2].levels == ("north", "east", "isle", "south")
    assert study.features[2].merged == ("moor",)
    assert study.transform.names == (
        "intercept", "age", "smoker", "region: east", "region: isle", "region: south",
        "income", "income missing",
    )  # fmt: skip
    assert "region: other" in study.dropped
    assert study.public_rows == 400


def test_the_mechanism_follows_from_dimension_and_epsilon(study: Study) -> None:
    """Both sides read it from the study."""
    assert study.dimension == study.transform.dimension == 8
    assert study.mechanism == Sphere.best(8, 1.0, study.tag)
    assert study.tag == bytes.fromhex(study.id)[:16]
    assert study.guarantee.epsilon == 1.0
    assert not study.guarantee.simulated


def test_several_classes_multiply_the_dimension(public: Rows) -> None:
    """d = p (K - 1)."""
    assert _plan(public, label=Categorical("kind", tuple("abcd"))).dimension == 24
    assert _plan(public, label=Count("visits", 9)).dimension == 8
    assert _plan(public, label=Bounded("score", 0, 1)).dimension == 8


@pytest.mark.parametrize("make", [pd.DataFrame, pa.table], ids=("pandas", "arrow"))
def test_the_id_does_not_depend_on_the_kind_of_table(
    public: Rows, study: Study, make: Callable[..., Any]
) -> None:
    """Same rows, same study."""
    again = _plan(make(public), source="2025 opt-in panel", title="Churn")
    assert again.id == study.id


def test_the_label_column_of_public_rows_is_ignored(public: Rows, study: Study) -> None:
    """Public rows are unlabelled; a label among them changes nothing."""
    again = _plan(public | {"churned": ["yes"] * 400}, source=study.source, title=study.title)
    assert again == study


def test_features_select_order_and_word_the_columns(public: Rows) -> None:
    """What is left open is settled by the rows."""
    study = _plan(
        public,
        features=[Feature("income", unit="k"), Feature("age", question="How old?"), "smoker"],
    )
    assert study.feature_names == ("income", "age", "smoker")
    assert study.features[0].unit == "k"
    assert study.features[1].question == "How old?"
    assert study.features[1].kind == "numeric"


def test_a_feature_without_a_column_left_is_not_asked_for(public: Rows) -> None:
    """It is dropped and named, and a record may still have it."""
    study = _plan(public | {"months": public["age"] * 12, "planet": ["earth"] * 400})
    assert "months" not in study.feature_names
    assert "planet" not in study.feature_names
    assert study.dropped["months"] == "collinear with earlier columns"
    assert study.dropped["planet"] == "constant"
    study.check_record(RECORD | {"months": 1, "planet": "earth"})


def test_no_intercept_means_nothing_is_centred(public: Rows) -> None:
    """And no coefficient is called so."""
    study = _plan(public, features=["age", "smoker"], intercept=False)
    assert study.transform.names == ("age", "smoker")
    assert study.transform.center == (0.0, 0.0)
    assert study.encode({"age": [0.0], "smoker": [False]}).tolist() == [[0.0, 0.0]]


def test_a_study_may_have_an_intercept_only() -> None:
    """When there is no usable column."""
    study = _plan({"planet": ["earth"] * 20})
    assert study.dimension == 1
    assert len(study.encode({"planet": ["earth"] * 3})) == 3


def test_one_record_encodes_as_its_row_in_the_table(public: Rows, study: Study) -> None:
    """Alone, in a list, or among others."""
    z = study.encode(public)
    for row in (0, 30, 399):
        record = {name: values[row] for name, values in public.items()}
        rounding = 16 * np.finfo(float).eps * np.abs(z[row]).max()
        for rows in (record, [record]):
            np.testing.assert_array_equal(study.design(rows)[0], study.design(public)[row])
            np.testing.assert_allclose(study.encode(rows)[0], z[row], rtol=0, atol=rounding)


@pytest.mark.parametrize("value", WILD, ids=lambda value: type(value).__name__)
def test_wild_values_encode_as_replaced_values(study: Study, value: object) -> None:
    """Nothing raises, and everything stays finite."""
    record = dict.fromkeys(study.feature_names, value)
    assert np.isfinite(study.encode([record])).all()
    assert all(flags.tolist() == [True] for flags in study.replaced([record]).values())


def test_replaced_names_the_features_concerned(study: Study) -> None:
    """For showing it to the owner of the record."""
    replaced = study.replaced([RECORD | {"age": "old", "region": "moor"}])
    assert [name for name, flags in replaced.items() if flags[0]] == ["age", "region"]


def test_the_fingerprint_recognises_the_public_rows(public: Rows, study: Study) -> None:
    """The same rows, and no others."""
    assert study.encode_public(pd.DataFrame(public))[-1] == study.fingerprint
    assert study.encode_public(public | {"age": public["age"] + 1})[-1] != study.fingerprint


def test_public_rows_at_the_fit_must_be_finite_and_exist(public: Rows, study: Study) -> None:
    """They are replaced on devices only."""
    np.testing.assert_array_equal(study.encode_public(public)[0], study.encode(public))
    infinite = public | {"age": np.append(public["age"][1:], np.inf)}
    with pytest.raises(PublicRowsError, match="'age'"):
        study.encode_public(infinite)
    with pytest.raises(PublicRowsError, match="no public rows"):
        study.encode_public({name: values[:0] for name, values in public.items()})


def test_absent_names_are_refused_with_close_matches(public: Rows, study: Study) -> None:
    """A wrong name is a mistake in the configuration."""
    rows = {"Age" if name == "age" else name: values for name, values in public.items()}
    with pytest.raises(ConfigurationError, match=r"no 'age' .*'Age' for 'age'"):
        study.encode(rows)


def test_a_record_with_a_wrong_name_is_refused(study: Study) -> None:
    """Absent and unknown names alike; the label's is known."""
    study.check_record(RECORD | {"churned": "yes"})
    with pytest.raises(ConfigurationError, match=r"'incom'.*'income' for 'incom'"):
        study.check_record(RECORD | {"incom": 1})
    with pytest.raises(ConfigurationError, match="no 'age'"):
        study.check_record({name: 1 for name in RECORD if name != "age"})


@pytest.mark.parametrize("epsilon", [0, -1.0, np.nan, np.inf, 12.01, "1", None, True])
def test_epsilon_out_of_range_is_refused(public: Rows, epsilon: Any) -> None:
    """Naming parameter and value."""
    with pytest.raises(ConfigurationError, match=r"epsilon must be .*got epsilon="):
        _plan(public, epsilon=epsilon)


def test_simulation_goes_to_a_larger_epsilon(public: Rows) -> None:
    """20 and no further; the guarantee says that it was a simulation."""
    assert _plan(public, epsilon=20, simulation=True).guarantee.simulated
    with pytest.raises(ConfigurationError, match="at most 20"):
        _plan(public, epsilon=20.5, simulation=True)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"source": " "}, "must be public"),
        ({"minimum_batch": 0}, "minimum_batch=0"),
        ({"minimum_batch": 2.5}, "minimum_batch=2.5"),
        ({"reports_per_person": True}, "reports_per_person=True"),
        ({"label": "churned"}, "label='churned'"),
        ({"features": ["age", "agee"]}, "no 'agee' .*'age' for 'agee'"),
        ({"features": ["age", "churned"]}, "cannot be a feature"),
    ],
)
def test_wrong_arguments_are_refused(public: Rows, changes: dict[str, Any], said: str) -> None:
    """Naming what was wrong."""
    with pytest.raises(ConfigurationError, match=said):
        _plan(public, **changes)


@pytest.mark.parametrize("unit", [1e-110, 1e110])
def test_a_unit_near_the_edge_of_floats_is_refused(unit: float) -> None:
    """Before a study is made that no device would read."""
    with pytest.raises(ConfigurationError, match=r"'a'.*change its unit"):
        _plan({"a": unit * np.random.default_rng(1).normal(size=400)})


def test_a_study_as_made_is_a_study_as_read() -> None:
    """Whatever the public rows are, the file of the study is accepted."""
    generator = np.random.default_rng(1)
    for unit in (1e-95, 1.0, 1e95):
        made = _plan({"a": unit * generator.normal(size=400), "b": generator.normal(size=400)})
        assert Study.from_bytes(made.to_bytes()) == made


@pytest.mark.parametrize("name", ["income missing", "intercept", "region: south"])
def test_ambiguous_column_names_are_refused(public: Rows, name: str) -> None:
    """Two coefficients of one name could not be told apart."""
    with pytest.raises(ConfigurationError, match=f"both be called '{name}'"):
        _plan(public | {name: np.random.default_rng(2).normal(size=400)})


def test_fewer_public_rows_than_columns_are_refused() -> None:
    """Naming both numbers."""
    rows = {f"x{j}": np.random.default_rng(j).normal(size=5) for j in range(6)}
    with pytest.raises(PublicRowsError, match="5 public rows and 6 columns"):
        _plan(rows)


def test_a_study_is_a_value(study: Study, other_study: Study) -> None:
    """Equal by content, hashable, picklable, frozen."""
    copy = pickle.loads(pickle.dumps(study))
    assert copy == study
    assert {copy, study, other_study} == {study, other_study}
    with pytest.raises(AttributeError):
        study.epsilon = 2.0  # type: ignore[misc]


def test_any_field_changes_the_id(study: Study) -> None:
    """Meaning never changes under an id."""
    changes: list[dict[str, Any]] = [
        {"title": "x"}, {"epsilon": 2.0}, {"minimum_batch": 5}, {"notes": ()}, {"simulation": True},
    ]  # fmt: skip
    ids = {msgspec.structs.replace(study, **change).id for change in changes}
    assert len(ids | {study.id}) == len(changes) + 1


def test_descriptions_name_what_a_reader_needs(study: Study) -> None:
    """Source, baseline, dropped columns, notes and the guarantee in words."""
    assert "Churn" in str(study)
    told = study.describe()
    for part in ("2025 opt-in panel", "baseline north", "moor", "income: missing in 25 of 400",
                 "region: other", study.guarantee.statement()):  # fmt: skip
        assert part in told


@pytest.mark.parametrize(
    "label",
    [Categorical("k", (1, 2)), Count("k", 3, unit="visits"), Bounded("k", 0, 1, "How much?")],
)
def test_every_label_is_described(public: Rows, label: Label) -> None:
    """With its values."""
    assert "Label: k, " in _plan(public, label=label).describe()
