"""What device.js must not contain, read as text: this needs no browser."""

import re

import pytest

from tests.browser.helpers import SOURCE

EXPORTS = {
    "TacitError", "StudyError", "ConfigurationError", "MissingLabelError", "BudgetError",
    "LedgerError", "DEFAULT_LIFETIME", "readStudy", "encode", "labelWeights", "expand", "accepts",
    "preview", "randomize", "Ledger", "Device",
}  # fmt: skip


def test_the_exports_are_those_that_are_documented() -> None:
    """No more and no less."""
    found = re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", SOURCE, re.MULTILINE)
    assert set(found) == EXPORTS


@pytest.mark.parametrize(
    "word",
    ["Math.random", "Math.log", "Math.sin", "Math.cos", "eval(", "Function(", "innerHTML",
     "document.", "XMLHttpRequest", "sendBeacon", "WebSocket", "import(", "Date", "console."],
)  # fmt: skip
def test_forbidden_words_do_not_occur(word: str) -> None:
    """Other randomness, functions that platforms round differently, other ways out of the page."""
    assert word not in SOURCE


def test_one_place_uses_the_network_and_one_draws_randomness() -> None:
    """Which an auditor can then read."""
    assert SOURCE.count("fetch(") == 1
    assert SOURCE.count("crypto.getRandomValues(") == 1


def test_it_can_stand_inside_a_page() -> None:
    """No import, nothing that ends a script element, and lines that can be read."""
    assert not re.search(r"^import ", SOURCE, re.MULTILINE)
    assert not re.search(r"</script|<!--", SOURCE, re.IGNORECASE)
    assert [line for line in SOURCE.splitlines() if len(line) > 100] == []
