import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.errors import TacitError
from tacit.privacy import Sphere
from tacit.privacy.expand import expand, quantise
from tests.privacy import reference

AGREEMENT = 1e-12  # what devices in every language are held to
EXPANSION = json.loads((reference.VECTORS / "expansion.json").read_text(encoding="utf-8"))
ACCEPT = json.loads((reference.VECTORS / "accept.json").read_text(encoding="utf-8"))


def expanded(case: dict[str, Any]) -> Any:
    """The package's point for a vector of the file."""
    seed = np.frombuffer(bytes.fromhex(case["seed"]), dtype=np.uint8)[None, :]
    return expand(seed, bytes.fromhex(case["tag"]), case["dimension"])[:, 0]


def expansion_agrees(case: dict[str, Any]) -> bool:
    """Whether coordinates are within the agreement and integers equal."""
    point = expanded(case)
    near = np.abs(point - case["coordinates"]).max() <= AGREEMENT
    return bool(near) and quantise(point).tolist() == case["quantised"]


def accept_agrees(case: dict[str, Any]) -> bool:
    """Whether the package takes the decision of the file."""
    sphere = Sphere.best(case["dimension"], case["epsilon"], bytes.fromhex(case["tag"]))
    seed = np.frombuffer(bytes.fromhex(case["seed"]), dtype=np.uint8)[None, :]
    word = np.array([int(case["word"], 16)], dtype=np.uint64)
    vector = np.array([case["vector"]])
    [accepted] = sphere.accepts(seed, word, vector)
    return bool(accepted == case["accepted"])


@pytest.mark.parametrize("path", reference.files(), ids=lambda path: path.name)
def test_files_are_what_the_reference_generates(path: Path) -> None:
    """The committed vectors are those of `python -m tests.privacy.reference`, to the byte."""
    assert path.read_text(encoding="utf-8") == reference.files()[path]


def test_package_expands_as_the_reference() -> None:
    """Every good expansion vector agrees."""
    assert [case for case in EXPANSION["good"] if not expansion_agrees(case)] == []


@pytest.mark.parametrize("case", EXPANSION["refused"])
def test_wrong_lengths_are_refused(case: dict[str, Any]) -> None:
    """A seed or tag of a wrong length expands to nothing, here and in the reference."""
    with pytest.raises(TacitError):
        expanded(case)
    with pytest.raises(ValueError, match="16 bytes"):
        reference.expand(bytes.fromhex(case["seed"]), bytes.fromhex(case["tag"]), 3)


def test_altered_expansions_disagree() -> None:
    """A changed coordinate, integer or tag is noticed."""
    assert not any(expansion_agrees(case) for case in EXPANSION["disagree"])


def test_package_accepts_as_the_reference() -> None:
    """Every good accept decision agrees."""
    assert [case for case in ACCEPT["good"] if not accept_agrees(case)] == []


def test_accept_vectors_cover_both_rules() -> None:
    """The file holds, for the coin and for the cap alone, acceptances and refusals."""
    coins = {case["word"] == "0" * 16 for case in ACCEPT["good"] if case["accepted"]}
    highest = [case["accepted"] for case in ACCEPT["good"] if case["word"] == "f" * 16]
    assert coins == {True, False}
    assert set(highest) == {True, False}


def test_altered_decisions_disagree() -> None:
    """A decision turned round is noticed."""
    assert ACCEPT["disagree"]
    assert not any(accept_agrees(case) for case in ACCEPT["disagree"])
