"""What people are told is never less than what is true, and hardly more."""

import json
import math
from typing import Any

import mpmath as mp
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tacit.privacy import Guarantee
from tacit.privacy.words import number_up, percent_up, times_up
from tests.privacy import reference
from tests.vectors import bounds

PATH = reference.VECTORS / "bounds.json"
CASES: dict[str, list[dict[str, Any]]] = json.loads(PATH.read_text(encoding="utf-8"))
FINEST = 1e-12  # beside the last digit shown, for what floats err


def test_file_is_what_its_maker_writes() -> None:
    """The committed vectors are those of `python -m tests.vectors.bounds`, to the byte."""
    assert PATH.read_text(encoding="utf-8") == bounds.text()


@pytest.mark.parametrize("case", CASES["percent"])
def test_percents_are_those_of_the_vectors(case: dict[str, Any]) -> None:
    """From the probability of the file, and from the guarantee of its epsilon."""
    assert percent_up(case["probability"]) == case["shown"]
    assert f"at most {case['shown']}." in Guarantee(case["epsilon"]).statement()


@pytest.mark.parametrize("case", CASES["times"])
def test_factors_are_those_of_the_vectors(case: dict[str, Any]) -> None:
    """From the epsilon of the file, in the statement too."""
    assert times_up(case["epsilon"]) == case["shown"]
    assert f"at most {case['shown']} times likelier" in Guarantee(case["epsilon"]).statement()


@given(st.floats(1e-12, 26.0), st.sampled_from([0.0, 1e-12, 1e-6, 0.01]))
@example(math.log(3.0), 0.0)
@example(math.log(999.0), 0.0)
@example(1.1, 0.0)
def test_percents_are_never_below_the_truth(epsilon: float, delta: float) -> None:
    """At least the exact chance, by less than one of the last digit shown; never 100 below it."""
    shown = percent_up(Guarantee(epsilon, delta=delta).best_guess)
    with mp.workdps(50):
        factor = mp.exp(mp.mpf(epsilon))
        truth = 100 * (factor + mp.mpf(delta)) / (factor + 1)
        places = len(shown.split(".")[1]) - 1 if "." in shown else 0
        assert truth <= mp.mpf(shown[:-1]) <= truth + mp.mpf(10) ** -places + 100 * FINEST


@given(st.floats(1e-12, 27.63))
@example(math.log(10.0))
@example(math.log(1000.0))
@example(27.63)
def test_factors_are_never_below_the_truth(epsilon: float) -> None:
    """At least e^eps, by less than one of the third digit, or one, shown."""
    shown = mp.mpf(times_up(epsilon).replace(",", ""))
    with mp.workdps(50):
        truth = mp.exp(mp.mpf(epsilon))
        step = 1 if truth >= 1000 else mp.mpf(10) ** (int(mp.floor(mp.log10(truth))) - 2)
        assert truth <= shown <= truth * (1 + FINEST) + step


@given(st.floats(1e-9, 1e9))
def test_numbers_are_never_below_the_truth(number: float) -> None:
    """At least the number, dust of the twelfth digit apart, by less than one of the sixth."""
    shown = float(number_up(number))
    assert number * (1 - 1e-11) <= shown <= number * (1 + 1.1e-5)


@pytest.mark.parametrize(
    ("number", "shown"), [(0.1 * 3, "0.3"), (1e-6, "1e-06"), (1 / 3, "0.333334"), (4.0, "4")]
)
def test_decimals_stay_as_they_are(number: float, shown: str) -> None:
    """What somebody typed is not rounded up to something else."""
    assert number_up(number) == shown


def test_certainty_is_said() -> None:
    """A chance that no digit keeps below 100 is 100."""
    assert percent_up(1.0) == percent_up(1 - 2**-53) == "100%"
