"""One real server for all tests that only talk to it, with a fresh study for each."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tacit.study import Binary, Study
from tacit.study.rows import Columns
from tests.collector.running import Reply, Running, running
from tests.collector.stores import KINDS, Opener

PEOPLE = 5_000

_numbers = itertools.count()
_generator = np.random.default_rng(41)


def public_rows() -> Columns:
    """Two features of 400 people nobody asked for a label."""
    generator = np.random.default_rng(7)
    return {"age": generator.normal(40.0, 10.0, 400), "hours": generator.normal(8.0, 2.0, 400)}


def make_study(rows: Columns | None = None, **options: object) -> Study:
    """A study like no other so far."""
    given = {"source": f"panel {next(_numbers)}", "minimum_batch": 50, "title": "A study"} | options
    label = Binary("left", positive="yes", negative="no")
    rows = public_rows() if rows is None else rows
    return Study.from_public(rows, label=label, epsilon=2.0, **given)  # type: ignore[arg-type]


def reports(count: int) -> bytes:
    """The bytes of reports that nobody sent before."""
    return _generator.bytes(16 * count)


@dataclass(frozen=True)
class Site:
    """A study on a server."""

    server: Running
    study: Study

    def post(self, body: bytes, **headers: str) -> Reply:
        """Send reports."""
        return self.server.request("POST", self.path("reports"), body, headers=headers)

    def ask(self, method: str, name: str, body: bytes | None = None) -> Reply:
        """Ask as the holder of the admin token."""
        return self.server.request(method, self.path(name), body, admin=True)

    def path(self, name: str) -> str:
        """An address under the study's."""
        return f"/studies/{self.study.id}/{name}"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that has complained of nothing by the end."""
    folder = tmp_path_factory.mktemp("server")
    with running(folder, make_study(), public_rows()) as started:
        yield started
        assert started.stop() == 0
        assert started.log.read_text() == "stopped; every acknowledged report is stored\n"


@pytest.fixture
def site(server: Running) -> Site:
    """A fresh study that takes reports from anybody."""
    return add(server, make_study(), f"people={PEOPLE}")


@pytest.fixture
def coded_site(server: Running) -> Site:
    """A fresh study that needs participation codes."""
    return add(server, make_study(), "codes=required")


def add(server: Running, study: Study, query: str = "") -> Site:
    """Create the study on the server."""
    made = server.request("POST", f"/studies?{query}", study.to_bytes(), admin=True)
    assert made.status == 201, made.body
    return Site(server, study)


@pytest.fixture(params=KINDS)
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    """Each kind of store, empty at first."""
    return Opener(request.param, tmp_path)
