import math

import pytest

from tacit.privacy import Guarantee

ITEMS = {
    "what": "whole record",
    "whose reports": "(one report)",
    "from whom": "everyone but the person's own device",
    "factor": "2.72 times likelier",
    "meaning": "50% now guesses right with at most 73.2%",
    "taking part": "Taking part is visible",
    "network": "address and time",
    "adding up": "Reports add up",
    "other browsers": "Another browser or a cleared ledger is another report",
    "groups": "Conclusions about groups",
    "public rows": "publishes their means, loadings and categories",
    "chosen ranges": "chosen by looking at private records leaks them",
    "lying page": "can send raw answers",
    "law": "Consent, minors and lawful basis",
    "device code": "device runs the published code",
    "entropy": "operating system's random numbers",
    "prf": "ChaCha20",
}


@pytest.mark.parametrize("item", ITEMS)
def test_statement_says(item: str) -> None:
    """Everything a statement must say, it says."""
    assert ITEMS[item] in Guarantee(1.0).statement()


@pytest.mark.parametrize(
    ("epsilon", "percent"),
    [(0.01, "50.3%"), (1.0, "73.2%"), (4.0, "98.3%"), (8.0, "99.97%"), (12.0, "99.9994%")],
)
def test_best_guess_in_percent(epsilon: float, percent: str) -> None:
    """The chance of a right guess is rounded up, with as many digits as stay below 100%."""
    assert f"at most {percent}." in str(Guarantee(epsilon))


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 4.0, 12.0, 20.0])
def test_factor_and_guess_agree(epsilon: float) -> None:
    """From even odds the factor e^eps leads to the best guess."""
    guarantee = Guarantee(epsilon)
    assert guarantee.factor == math.exp(epsilon)
    assert guarantee.best_guess == pytest.approx(guarantee.factor / (1 + guarantee.factor))


def test_several_reports_add_up() -> None:
    """Totals count every report a person sends, and the statement shows the sum."""
    guarantee = Guarantee(0.5, reports_per_person=4)
    assert guarantee.total_epsilon == 2.0
    assert guarantee.factor == math.exp(2.0)
    assert guarantee.best_guess == Guarantee(2.0).best_guess
    assert "epsilon = 2 (4 reports of 0.5 each)" in guarantee.statement()


def test_deltas_add_up_too() -> None:
    """Events beyond the factor may come with every report, and count in the best guess."""
    guarantee = Guarantee(0.5, reports_per_person=4, delta=1e-3)
    assert guarantee.total_delta == 4e-3
    assert guarantee.best_guess == Guarantee(2.0, delta=4e-3).best_guess
    assert "epsilon = 2, delta = 0.004 (4 reports of 0.5 each)" in guarantee.statement()


def test_epsilon_and_delta_are_rounded_up() -> None:
    """In the statement, of every report and of all together."""
    statement = Guarantee(1 / 3, reports_per_person=2, delta=1e-6 / 3).statement()
    assert "epsilon = 0.666667, delta = 6.66667e-07 (2 reports of 0.333334 each)" in statement
    assert "events of probability 6.66667e-07" in statement
    assert "epsilon = 4.00001 (one report)" in Guarantee(4.0000041).statement()


def test_simulation_says_so() -> None:
    """Only a simulated guarantee says that one process saw every row."""
    assert "this was a simulation" in Guarantee(1.0, simulated=True).statement()
    assert "simulation" not in Guarantee(1.0).statement()


def test_notes_are_kept_in_order() -> None:
    """Further notes follow the note on simulation."""
    lines = Guarantee(1.0, simulated=True, notes=("first", "second")).statement().splitlines()
    assert lines[-2:] == ["Note: first", "Note: second"]
    assert lines[-3].startswith("Note: this was a simulation")


@pytest.mark.parametrize(
    ("epsilon", "reports", "shown"),
    [
        (8.0, 1, "2,981 times"),
        (12.0, 1, "162,755 times"),
        (12.0, 10, "e^120 times"),
        (12.0, 100, "e^1200 times"),
    ],
)
def test_large_factors_are_readable(epsilon: float, reports: int, shown: str) -> None:
    """However many reports add up, the statement is printed and its factor can be read."""
    assert shown in Guarantee(epsilon, reports).statement()


def test_guarantees_are_values() -> None:
    """Equal contents are equal guarantees, and none can be changed."""
    assert Guarantee(1.0) == Guarantee(1.0) != Guarantee(2.0)
    with pytest.raises(AttributeError):
        Guarantee(1.0).epsilon = 2.0  # type: ignore[misc]
