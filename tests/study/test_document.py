"""Study files: what they hold, and every way in which they are refused."""

import hashlib
import json
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import numpy as np
import pytest

from tacit.errors import StudyFileError
from tacit.labels import Label
from tacit.study import Bounded, Categorical, Count, Study, document
from tacit.study.files import write_atomically
from tests.study.conftest import CHURNED, Rows


@pytest.fixture(scope="module")
def small() -> Study:
    """A study whose file is short enough to try every byte of it."""
    rows = {"x": np.arange(50.0)}
    return Study.from_public(rows, label=CHURNED, epsilon=1.0, source="s")


def _forged(study: Study, **changes: Any) -> bytes:
    """A file with a right hash and wrong content."""
    content = json.loads(study.body)
    for path, value in changes.items():
        *parents, last = path.split("__")
        inner: Any = content
        for key in parents:
            inner = inner[int(key) if key.isdigit() else key]
        inner[last] = value
    return document.wrap("study", msgspec.json.encode(content))


def test_a_study_survives_its_file(study: Study, tmp_path: Path) -> None:
    """Same value, same id, same bytes."""
    study.save(tmp_path / "study.json")
    again = Study.load(tmp_path / "study.json")
    assert again == study
    assert again.id == study.id
    assert again.to_bytes() == (tmp_path / "study.json").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["study.json"]


@pytest.mark.parametrize(
    "label", [Categorical("k", ("é", "b", 3)), Count("k", 3), Bounded("k", -1, 2.5)]
)
def test_every_label_survives_the_file(public: Rows, label: Label) -> None:
    """Text outside ASCII included."""
    study = Study.from_public(public, label=label, epsilon=0.5, source="опрос", minimum_batch=7)
    assert Study.from_bytes(study.to_bytes()) == study


def test_the_file_can_be_checked_by_slicing(study: Study) -> None:
    """In any language: JSON, with the hash of the bytes between opening and last brace."""
    data = study.to_bytes()
    assert json.loads(data)["id"] == study.id
    body = data[len('{"id":"') + 64 + len('","study":') : -len("}\n")]
    assert hashlib.sha256(body).hexdigest() == study.id


def test_any_altered_byte_is_noticed(small: Study) -> None:
    """Every position, one flipped bit."""
    data = small.to_bytes()
    for position in range(len(data)):
        altered = bytearray(data)
        altered[position] ^= 1
        with pytest.raises(StudyFileError):
            Study.from_bytes(bytes(altered))


def test_any_truncation_is_noticed(small: Study) -> None:
    """Wherever the file ends."""
    data = small.to_bytes()
    for end in range(len(data)):
        with pytest.raises(StudyFileError):
            Study.from_bytes(data[:end])


def test_an_edited_value_is_named_as_an_alteration(small: Study) -> None:
    """With what to do about it."""
    data = small.to_bytes().replace(b'"epsilon":1.0', b'"epsilon":9.0')
    with pytest.raises(StudyFileError, match=r"altered.*get the original"):
        Study.from_bytes(data)


def test_a_reformatted_file_is_refused(small: Study) -> None:
    """Its hash could not be checked."""
    pretty = json.dumps(json.loads(small.to_bytes()), indent=1).encode()
    with pytest.raises(StudyFileError, match="reformatted"):
        Study.from_bytes(pretty)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "truncated"),
        (b"not json", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "pass the file that tacit wrote"),
        (b'{"x": 1}', "pass the file that tacit wrote"),
    ],
)
def test_other_files_are_refused(data: Any, said: str) -> None:
    """Saying what they are."""
    with pytest.raises(StudyFileError, match=said):
        Study.from_bytes(data)


def test_a_newer_study_asks_for_an_upgrade(small: Study) -> None:
    """Even if it has fields this version does not know."""
    with pytest.raises(StudyFileError, match=r"newer tacit, version 4.*upgrade"):
        Study.from_bytes(_forged(small, version=4, shuffler=True))


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"version":3}', b'{"version":"1"}', b"[" * 9999])
def test_a_malformed_body_with_a_right_hash_is_refused(body: bytes) -> None:
    """Whatever is in it."""
    with pytest.raises(StudyFileError, match="malformed"):
        Study.from_bytes(document.wrap("study", body))


def test_a_body_that_is_not_canonical_is_refused(small: Study) -> None:
    """One study has one file."""
    for body in (small.body + b" ", small.body.replace(b":1.0,", b":1e0,", 1)):
        with pytest.raises(StudyFileError, match=r"canonical|malformed"):
            Study.from_bytes(document.wrap("study", body))


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 0},
        {"version": 2},
        {"epsilon": 2.0},
        {"epsilon": 13.0},
        {"epsilon": -1.0},
        {"epsilon": None},
        {"source": ""},
        {"minimum_batch": 0},
        {"reports_per_person": -1},
        {"public_rows": 1},
        {"fingerprint": "abc"},
        {"unknown": 1},
        {"features": []},
        {"features__0__kind": "auto"},
        {"features__0__kind": "binary"},
        {"features__0__kind": "categorical"},
        {"features__0__name": "z"},
        {"features__0__name": "churned"},
        {"features__0__levels": ["u"]},
        {"features__0__spread": -1.0},
        {"features__0__spread": 1e306},
        {"features__0__spread": 1e-101},
        {"features__0__spread": 1e101},
        {"features__0__fill": 5e-324},
        {"features__0__fill": -1e101},
        {"features__0__indicator": 1},
        {"label__positive": ""},
        {"label__positive": 1},
        {"label__kind": "ordinal"},
        {"label__column": "x"},
        {"mechanism__dimension": 3},
        {"mechanism__kind": "circle"},
        {"mechanism__cap": 0.2},
        {"mechanism__coin": "ffffffffffffffff"},
        {"mechanism__coin": "5E2D58D8B3BCDF1B"},
        {"transform__columns": ["y"]},
        {"transform__center": []},
        {"transform__center": [None]},
        {"transform__matrix": [[1.0, 2.0]]},
        {"transform__matrix": [[1e300]]},
        {"transform__matrix": [[1e97]]},
        {"transform__matrix": [[1e-305]]},
        {"transform__matrix": [[-1e-101]]},
        {"transform__center": [5e-324]},
        {"transform__center": [1e101]},
        {"transform__spectrum": [1e101]},
        {"transform__spectrum": [1e-101]},
        {"transform__shares": [0.5]},
        {"transform__spectrum": [0.0]},
        {"transform__intercept": False},
    ],
    ids=str,
)
def test_contradictions_under_a_right_hash_are_refused(
    small: Study, changes: dict[str, Any]
) -> None:
    """A hand-made file gets no further than an honest one."""
    assert Study.from_bytes(_forged(small)) == small
    with pytest.raises(StudyFileError):
        Study.from_bytes(_forged(small, **changes))


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("features__0__spread", 1e-100),
        ("features__0__fill", -1e-100),
        ("features__0__fill", 0.0),
        ("transform__matrix", [[1e-100]]),
        ("transform__matrix", [[-0.0]]),
        ("transform__center", [-1e-100]),
        ("transform__spectrum", [1e100]),
    ],
)
def test_numbers_up_to_the_limits_are_read(small: Study, where: str, value: Any) -> None:
    """Zero, and sizes from 1e-100 to 1e100."""
    Study.from_bytes(_forged(small, **{where: value}))


@pytest.mark.parametrize(("low", "high"), [(0.0, 1e-101), (5e-324, 1.0), (-1e101, 1.0)])
def test_a_label_range_near_the_edge_of_floats_is_refused(
    public: Rows, low: float, high: float
) -> None:
    """In a file too."""
    study = Study.from_public(public, label=Bounded("k", -1, 1), epsilon=1.0, source="s")
    with pytest.raises(StudyFileError):
        Study.from_bytes(_forged(study, label__low=low, label__high=high))


def test_a_cap_within_rounding_is_accepted(small: Study) -> None:
    """Another platform may derive another last digit."""
    nudged = np.nextafter(small.parameters.cap, 1.0)
    assert Study.from_bytes(_forged(small, mechanism__cap=float(nudged))).parameters.cap == nudged


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no draft beside it."""
    target = tmp_path / "file"
    write_atomically(target, b"old")

    def fail(_: int) -> NoReturn:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]
