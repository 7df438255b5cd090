"""A version of uvicorn that does not fit is refused in a sentence, before anything is served."""

import importlib
import tomllib
from pathlib import Path

import pytest
from uvicorn.protocols.http import httptools_impl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from tacit.collector.web import internals
from tacit.collector.web.connections import BoundedProtocol
from tacit.errors import ConfigurationError

PROJECT = Path(__file__).parents[2]


def test_a_class_that_is_gone_is_told_at_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which versions work, which one is there, what moved and what to run."""
    with monkeypatch.context() as patch:
        patch.setattr(internals, "version", lambda _: "9.9.9")
        patch.delattr(httptools_impl, "RequestResponseCycle")
        patch.setattr("importlib.metadata.version", lambda _: "9.9.9")
        with pytest.raises(ConfigurationError) as told:
            importlib.reload(internals)
    importlib.reload(internals)
    for part in (internals.WORKS_WITH, "9.9.9 is installed", "RequestResponseCycle", "pip install"):
        assert part in str(told.value)


@pytest.mark.parametrize(
    ("part", "name"),
    [
        (HttpToolsProtocol, "on_headers_complete"),
        (HttpToolsProtocol, "data_received"),
        (internals.FlowControl, "resume_reading"),
    ],
)
def test_a_method_that_is_gone_is_told_at_import(
    monkeypatch: pytest.MonkeyPatch, part: type, name: str
) -> None:
    """By its name."""
    with monkeypatch.context() as patch:
        patch.delattr(part, name)
        with pytest.raises(ConfigurationError, match=rf"{part.__name__}\.{name}"):
            importlib.reload(internals)
    importlib.reload(internals)


def test_an_attribute_that_is_gone_is_told_at_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that only instances have."""

    def other_names(self: object) -> None:
        self.is_complete = False  # type: ignore[attr-defined]

    with monkeypatch.context() as patch:
        patch.setattr(RequestResponseCycle, "__init__", other_names)
        with pytest.raises(ConfigurationError, match=r"RequestResponseCycle\.disconnected"):
            importlib.reload(internals)
    importlib.reload(internals)


def test_whatever_the_protocol_overrides_is_looked_at() -> None:
    """Nothing that is overridden could go away unnoticed."""
    overridden = {name for name in vars(BoundedProtocol) if not name.startswith("__")}
    for name in overridden & set(vars(HttpToolsProtocol)):
        with pytest.MonkeyPatch.context() as patch:
            patch.delattr(HttpToolsProtocol, name)
            with pytest.raises(ConfigurationError, match=name):
                internals.refuse_moved([HttpToolsProtocol])


def test_the_versions_stated_are_those_installed_and_tested() -> None:
    """pyproject.toml, the sentence and the list of lowest versions say the same."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert f"uvicorn{internals.WORKS_WITH}" in project["dependencies"]
    least = internals.WORKS_WITH.removeprefix(">=").partition(",")[0]
    assert f"uvicorn=={least}.*" in (PROJECT / "requirements-lowest.txt").read_text()
