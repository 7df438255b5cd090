import ast
import secrets
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tacit
from tacit.privacy import Entropy, SeededEntropy, Sphere, SystemEntropy
from tests.privacy.helpers import TAG

DEVICE = Path(tacit.__file__).parent / "device"

FORK = """
import os
import numpy as np
from tacit.privacy import Sphere, SystemEntropy
entropy, sphere = SystemEntropy(), Sphere.best(3, 1.0, bytes(16))
def report():
    return bytes(sphere.randomize(np.eye(3)[:1], entropy)[0]).hex()
before = report()
read, write = os.pipe()
child = os.fork()
if child == 0:
    os.write(write, report().encode())
    os._exit(0)
os.waitpid(child, 0)
print(before, os.read(read, 100).decode(), report())
"""


def seeded_names(source: str) -> set[str]:
    """Names of repeatable generators that some source imports or reaches by attribute."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            names = [f"{ast.unparse(node.value)}.{node.attr}"]
        elif isinstance(node, ast.Name):
            names = [node.id]
        for name in names:
            if {"random", "SeededEntropy"} & set(name.split(".")):
                found.add(name)
    return found


@pytest.mark.parametrize(
    "source",
    [
        "import random",
        "from random import randbytes",
        "import numpy.random",
        "from numpy import random",
        "from numpy.random import default_rng",
        "import numpy as np\nnp.random.default_rng(0)",
        "from tacit.privacy import SeededEntropy",
        "from tacit.privacy import entropy\nentropy.SeededEntropy(1)",
    ],
)
def test_the_search_for_seeded_generators_finds_them(source: str) -> None:
    """The control of the next test: every way to a seeded generator is seen."""
    assert seeded_names(source)


def test_no_seeded_generator_on_any_device_path() -> None:
    """No file of the device imports or reaches a generator that repeats itself."""
    found = {path: seeded_names(path.read_text("utf-8")) for path in DEVICE.rglob("*.py")}
    assert {path: names for path, names in found.items() if names} == {}


def test_forked_processes_send_different_reports() -> None:
    """Parent and child share no state from which the same bytes would come."""
    done = subprocess.run(
        [sys.executable, "-c", FORK], capture_output=True, text=True, check=True, timeout=120
    )
    reports = done.stdout.split()
    assert [len(report) for report in reports] == [32, 32, 32]
    assert len(set(reports)) == 3


def test_failing_system_entropy_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no randomness the error passes on and no report exists."""

    def broken(count: int) -> bytes:
        raise OSError("no entropy")

    monkeypatch.setattr(secrets, "token_bytes", broken)
    with pytest.raises(OSError, match="no entropy"):
        Sphere.best(3, 1.0, TAG).randomize(np.eye(3), SystemEntropy())


def test_entropy_that_fails_half_way_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeds without coins are no reports either."""
    calls: list[int] = []

    def tiring(count: int) -> bytes:
        calls.append(count)
        if len(calls) > 1:
            raise OSError("no entropy")
        return bytes(count)

    monkeypatch.setattr(secrets, "token_bytes", tiring)
    with pytest.raises(OSError, match="no entropy"):
        Sphere.best(3, 1.0, TAG).randomize(np.eye(3), SystemEntropy())
    assert len(calls) == 2


def test_too_few_bytes_send_nothing() -> None:
    """A source that gives fewer bytes than asked is never stretched."""

    class Short:
        def draw(self, count: int) -> bytes:
            return bytes(count - 8)

    with pytest.raises(ValueError, match="reshape"):
        Sphere.best(3, 1.0, TAG).randomize(np.eye(3), Short())


@pytest.mark.parametrize("source", [SystemEntropy(), SeededEntropy(0)])
def test_as_many_bytes_as_asked(source: Entropy) -> None:
    """Both sources give the number of bytes asked for, fresh each time."""
    assert [len(source.draw(count)) for count in (0, 1, 16, 1000)] == [0, 1, 16, 1000]
    assert source.draw(16) != source.draw(16)


def test_seeded_entropy_repeats_itself() -> None:
    """The same seed gives the same reports, another seed others."""
    sphere = Sphere.best(3, 1.0, bytes(16))

    def reports(seed: int) -> bytes:
        return sphere.randomize(np.eye(3), SeededEntropy(seed)).tobytes()

    assert reports(1) == reports(1) != reports(2)


def test_system_entropy_has_no_seed() -> None:
    """Devices cannot be given a seed by mistake."""
    with pytest.raises(TypeError):
        SystemEntropy(1)  # type: ignore[call-arg]
