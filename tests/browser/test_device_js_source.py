"""What the browser's device must not contain, read as text: this needs no browser."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from tacit.collector.pages import device_js

SOURCE = device_js().decode()
PACKAGE = Path(str(files("tacit")))
MODULES = sorted(PACKAGE.rglob("*.js"))
LONGEST = {".js": 200, ".html": 400, ".css": 400}
EXPORTS = {
    "TacitError", "StudyError", "ConfigurationError", "MissingLabelError", "BudgetError",
    "LedgerError", "DEFAULT_LIFETIME", "readStudy", "readLabelStudy", "randomizeLabel", "encode",
    "labelWeights", "expand", "accepts",
    "preview", "randomize", "Ledger", "Device",
}  # fmt: skip


def test_the_exports_are_those_that_are_documented() -> None:
    """No more and no less."""
    listed = re.findall(r"^export \{ ([\w, ]+) \};$", SOURCE, re.MULTILINE)
    found = [name for names in listed for name in names.split(", ")]
    assert sorted(found) == sorted(EXPORTS)
    assert len(re.findall(r"^export\b", SOURCE, re.MULTILINE)) == len(listed)


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


def test_files_are_small() -> None:
    """Whoever checks what runs in a browser reads one thing at a time."""
    written = [path for path in PACKAGE.rglob("*") if path.suffix in LONGEST]
    assert len(written) > len(MODULES) > 30
    sizes = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in written}
    assert {name: size for name, size in sizes.items() if size > LONGEST[Path(name).suffix]} == {}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_a_module_says_first_what_it_is_for(module: Path) -> None:
    """In a comment, as it will stand in the joined file."""
    assert module.read_text(encoding="utf-8").startswith(("// ", "/**"))
