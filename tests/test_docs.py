"""Documentation that fails the build when it rots: code, output, links, commands and names."""

import ast
import contextlib
import io
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import tacit
from tacit import errors
from tacit.cli import app
from tacit.cli.docs import flat

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")], key=lambda page: page.as_posix()
)
COMMANDS: dict[str, Any] = dict(flat(typer.main.get_command(app)))
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text()
GROUPS = {name.split()[0] for name in COMMANDS if " " in name}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:^    .*\n)+", re.MULTILINE)
_SPAN = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_COMMAND = re.compile(r"(?:^|\s)tacit +(--version|[a-z]+)(.*)")
_OPTION = re.compile(r"(?<!\S)(--?[a-z][a-z-]*)")
_FIGURE = re.compile(r"\d+\.\d+")
_NUMBER = re.compile(r"\b[0-9a-f]{12,}\b|-?\d[\d.,]*(?:e[-+]?\d+)?%?|\binf\b")


def name_of(page: Path) -> str:
    """A page as it is called from the root of the repository."""
    return page.relative_to(ROOT).as_posix()


def readme_names() -> dict[str, Any]:
    """What the README's examples take as given: data at hand, public and known rows, a tally."""
    generator = np.random.default_rng(1)
    X, X_public = generator.normal(size=(40_000, 3)), generator.normal(size=(2_000, 3))
    y = (generator.random(40_000) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    rows = {"age": generator.normal(45, 15, 2_000), "smoker": generator.random(2_000) < 0.3}
    age, smoker = generator.normal(45, 15, 20_000), generator.random(20_000) < 0.3
    people = {"age": age, "smoker": smoker}
    chance = 1 / (1 + np.exp(0.02 * age - smoker))
    answers = np.where(generator.random(20_000) < chance, "yes", "no")
    study = tacit.Study.from_public(
        rows,
        label=tacit.Binary("churned", positive="yes"),
        epsilon=1.0,
        source="2025 opt-in panel",
        focus="smoker",
        people=20_000,
    )
    other_tally = tacit.simulate(study, people, answers, random_state=1)
    given = {"X": X, "y": y, "X_public": X_public, "X_new": X[:5], "rows": rows}
    return given | {"other_tally": other_tally, "customers": people, "answers": answers}


def prose_of(text: str) -> str:
    """A page without its code blocks."""
    return _INDENTED.sub("", _FENCE.sub("", text))


def code_of(text: str) -> str:
    """Everything a page sets as code: fenced and indented blocks, and spans."""
    blocks = [body for language, body in _FENCE.findall(text) if language != "text"]
    indented = _INDENTED.findall(_FENCE.sub("", text))
    return "\n".join([*blocks, *indented, *_SPAN.findall(prose_of(text))])


def without_numbers(output: str) -> str:
    """The words of some output: figures and their widths may differ, their names may not."""
    return re.sub(r"-{3,}|\s+", "", _NUMBER.sub("#", output))


def anchors_of(page: Path) -> set[str]:
    """The anchors that the headings of a page get."""
    headings = _HEADING.findall(_FENCE.sub("", page.read_text()))
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


def commands_in(text: str) -> Iterator[tuple[str, list[str]]]:
    """Commands of the command line that a page shows, with their options."""
    shell = [body for language, body in _FENCE.findall(text) if language in {"sh", ""}]
    indented = _INDENTED.findall(_FENCE.sub("", text))
    code = "\n".join([*shell, *indented, *_SPAN.findall(prose_of(text))])
    for line in code.replace("\\\n", " ").splitlines():
        found = _COMMAND.search(line.split("#")[0])
        if found:
            name, rest = found.groups()
            if name in GROUPS:
                name = f"{name} {rest.split()[0]}"
            yield name, _OPTION.findall(rest)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page run one after the other, and print what the page says they print."""
    monkeypatch.chdir(tmp_path)
    names = readme_names() if name_of(page) == "README.md" else {}
    text, printed = page.read_text(), ""
    for block in _FENCE.finditer(text):
        language, body = block.groups()
        if language == "python":
            line = text[: block.start()].count("\n") + 1
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile("\n" * line + body, name_of(page), "exec"), names)
            printed = output.getvalue()
        elif language == "text" and printed:
            assert without_numbers(body) == without_numbers(printed)
            printed = ""


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    """Every relative link and image exists, with the heading it points to."""
    for link in _LINK.findall(_FENCE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{name_of(page)} links to {link}"
        assert not anchor or anchor in anchors_of(target), f"{name_of(page)} links to {link}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_of_a_page_exist(page: Path) -> None:
    """Every command shown is one, and takes the options shown."""
    for name, options in commands_in(page.read_text()):
        if name == "--version":
            continue
        assert name in COMMANDS, f"{name_of(page)} shows `tacit {name}`"
        known = {option for param in COMMANDS[name].params for option in param.opts}
        unknown = set(options) - known - {"--help"}
        assert not unknown, f"{name_of(page)} shows `tacit {name}` with {unknown}"


def test_every_command_is_shown() -> None:
    """The README shows every command once."""
    shown = {name for name, _ in commands_in((ROOT / "README.md").read_text())}
    assert set(COMMANDS) <= shown


def test_every_page_can_be_reached() -> None:
    """Every page of the documentation is linked from the map of the docs."""
    start = ROOT / "docs" / "index.md"
    linked = {
        (start.parent / link.partition("#")[0]).resolve()
        for link in _LINK.findall(start.read_text())
    }
    assert {page for page in PAGES if page.is_relative_to(start.parent)} - {start} <= linked


def test_every_public_name_is_explained() -> None:
    """What can be imported from tacit is used or named in the documentation."""
    code = "\n".join(code_of(page.read_text()) for page in PAGES)
    absent = [name for name in tacit.__all__ if not re.search(rf"\b{name}\b", code)]
    assert not absent


def test_every_error_is_explained() -> None:
    """Whoever meets an error finds its name in the documentation."""
    code = "\n".join(code_of(page.read_text()) for page in PAGES)
    raised = [name for name, value in vars(errors).items() if isinstance(value, type)]
    assert raised
    assert not [name for name in raised if not re.search(rf"\b{name}\b", code)]


def test_every_library_has_a_reason() -> None:
    """The README names each library the project stands on."""
    readme = (ROOT / "README.md").read_text()
    extras = PROJECT["optional-dependencies"].values()
    needed = [*PROJECT["dependencies"], *(need for extra in extras for need in extra)]
    names = [re.split(r"[<>=!~; \[]", need)[0] for need in needed]
    assert not [name for name in names if f"| {name} |" not in readme]


def test_figures_of_the_readme_are_those_of_the_evidence() -> None:
    """Measured again, the README's comparison has to follow."""
    readme, evidence = (ROOT / name for name in ("README.md", "docs/evidence.md"))
    section = readme.read_text().partition("## How it compares")[2].partition("\n## ")[0]
    stated = set(_FIGURE.findall(section))
    assert stated
    assert not stated - set(_FIGURE.findall(evidence.read_text()))


def test_the_glossary_says_where_each_word_lives() -> None:
    """Entries stand in alphabetical order, each with a file that exists and has the word."""
    entries = re.findall(r"^- \*\*(.+?)\*\*(?:.*\n)(?:  .+\n)*", GLOSSARY, re.MULTILINE)
    assert entries == sorted(set(entries), key=str.lower)
    places = re.findall(r"`([\w/]+\.\w+)`$", GLOSSARY, re.MULTILINE)
    for word, place in zip(entries, places, strict=True):
        home = ROOT if place.startswith("tests/") else ROOT / "src" / "tacit"
        text = re.sub(r"\W|_", "", (home / place).read_text().lower())
        assert re.sub(r"\W", "", word.lower()) in text, f"{word} is not in {place}"


def test_the_glossary_has_every_public_class() -> None:
    """Whoever imports a class from tacit finds the word it stands for."""
    classes = {name for name in tacit.__all__ if isinstance(getattr(tacit, name), type)}
    assert not classes - set(re.findall(r"`(\w+)`", GLOSSARY))


def test_no_two_classes_share_a_name() -> None:
    """A class of the package has one meaning, wherever its name is met."""
    found = [
        node.name
        for file in (ROOT / "src").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ClassDef)
    ]
    assert len(found) == len(set(found))
