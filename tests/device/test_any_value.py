"""No answer and no label decides whether a report is made, or whether a warning appears."""

import math
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Literal

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Binary, Bounded, Categorical, Count, Study, preview, randomize
from tacit.answers import plain
from tacit.device.randomize import randomize_rows, reading
from tacit.labels import KINDS, Label
from tests.hostile import EXTREMES, MINED, NAN_PAYLOADS, ODD, POWERS, WILD

GENERATOR = np.random.default_rng(4)
ROWS = {
    "age": GENERATOR.normal(45.0, 15.0, 400),
    "smoker": GENERATOR.random(400) < 0.3,
    "region": GENERATOR.choice(["north", "south", "true"], 400),
}
RECORD: dict[str, object] = {"age": 41, "smoker": True, "region": "south"}
LABELS: list[Label] = [
    Binary("y", "yes", "no"),
    Binary("y", "yes"),
    Categorical("y", ("a", "true", "3")),
    Count("y", 9),
    Bounded("y", -1e-100, 1e100),
    Bounded("y", 0.0, 1e-100),
]
STUDIES = [
    Study.from_public(ROWS, label=label, epsilon=8.0, source="simulated", intercept=intercept)
    for label in LABELS
    for intercept in (True, False)
]
# As tiny as a study may be: products with denormals underflow.
TINY = msgspec.structs.replace(
    STUDIES[1],
    transform=msgspec.structs.replace(
        STUDIES[1].transform,
        matrix=tuple(
            tuple(math.copysign(1e-100, entry) for entry in row)
            for row in STUDIES[1].transform.matrix
        ),
    ),
)
MODES: tuple[Literal["raise", "warn"], ...] = ("raise", "warn")


@contextmanager
def strictly(mode: Literal["raise", "warn"]) -> Iterator[None]:
    """As a caller may have set numpy and the warnings: whatever slips through is an error."""
    with np.errstate(all=mode), warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_every_kind_of_label_is_tried_here() -> None:
    """A kind that is added has to be added to these tests."""
    assert {type(label) for label in LABELS} == set(KINDS)


def said(study: Study, value: object) -> bool:
    """Whether a label says anything at all."""
    found = plain(value)
    return found is not None and found == found and str(found).strip() != ""  # noqa: PLR0124


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", WILD)
def test_any_answer_still_reports(name: str, mode: Literal["raise", "warn"]) -> None:
    """As a feature, each in turn and all at once, and in a preview; nothing of it is run."""
    value = WILD[name]
    for study in (STUDIES[0], STUDIES[1], TINY):
        for record in (*(RECORD | {one: value} for one in RECORD), dict.fromkeys(RECORD, value)):
            with strictly(mode):
                assert len(bytes(randomize(study, record, label="yes"))) == 16
                assert isinstance(str(preview(study, record, label="yes")), str)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", WILD)
def test_any_label_still_reports(name: str, mode: Literal["raise", "warn"]) -> None:
    """Of every kind of label, unless the answer says nothing."""
    value = WILD[name]
    for study in STUDIES if said(STUDIES[0], value) else ():
        with strictly(mode):
            assert len(bytes(randomize(study, RECORD, label=value))) == 16
            assert isinstance(str(preview(study, RECORD, label=value)), str)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("study", [*STUDIES, TINY], ids=lambda s: f"{s.label.in_words():.12}")
def test_every_power_of_two_reports(study: Study, mode: Literal["raise", "warn"]) -> None:
    """And its negative, as a feature and as a label, in a column and alone."""
    with strictly(mode):
        seeds = randomize_rows(
            study,
            {"age": POWERS, "smoker": POWERS, "region": POWERS},
            POWERS,
        )
        for value in POWERS[::97]:
            z, weights = reading(study, RECORD | {"age": value}, value)
            assert np.isfinite(z).all()
            assert np.isclose(weights.sum(), 1.0)
    assert seeds.shape == (len(POWERS), 16)


@pytest.mark.parametrize("mode", MODES)
def test_columns_of_wild_values_report(mode: Literal["raise", "warn"]) -> None:
    """Many people at once are read as each of them alone."""
    values = [*EXTREMES, *ODD, *MINED]
    labels = [value if said(STUDIES[0], value) else "yes" for value in values]
    for study in STUDIES:
        with strictly(mode):
            table = {"age": values, "smoker": values, "region": values}
            assert randomize_rows(study, table, labels).shape == (len(values), 16)


@pytest.mark.parametrize("bits", NAN_PAYLOADS, ids=lambda bits: struct.pack("<d", bits).hex())
def test_any_nan_is_missing(bits: float) -> None:
    """Signalling ones and those that carry something included; a feature is replaced."""
    for value in (bits, np.float64(bits), np.array([bits], np.float64)[0], Decimal("NaN123")):
        with strictly("raise"):
            assert preview(STUDIES[0], RECORD | {"age": value}, label="yes").replaced == ("age",)
            randomize(STUDIES[0], RECORD | {"age": value}, label="yes")


VALUES = st.one_of(
    st.floats(allow_subnormal=True),
    st.integers(),
    st.text(),
    st.booleans(),
    st.none(),
    st.decimals(),
    st.fractions(),
    st.binary(),
    st.dates(),
    st.datetimes(timezones=st.none() | st.timezones()),
    st.lists(st.integers()),
    st.floats(width=32).map(np.float32),
    st.floats(width=16).map(np.float16),
    st.integers(-(2**63), 2**63 - 1).map(np.int64),
    st.integers(0, 10**4).map(lambda power: 10**power),
)


@given(
    study=st.sampled_from([*STUDIES, TINY]),
    record=st.fixed_dictionaries(dict.fromkeys(RECORD, VALUES)),
    label=VALUES,
    mode=st.sampled_from(MODES),
)
def test_any_record_reports(
    study: Study, record: dict[str, Any], label: Any, mode: Literal["raise", "warn"]
) -> None:
    """Whatever is in it; only a label that says nothing makes no report."""
    with strictly(mode):
        z, _ = reading(study, record, "yes")
        assert np.isfinite(z).all()
        assert isinstance(str(preview(study, record, label="yes")), str)
        if said(study, label):
            assert len(bytes(randomize(study, record, label=label))) == 16
