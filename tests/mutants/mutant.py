"""A wrong version of the code, and whether the tests notice it."""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tacit"
PATIENCE = 600.0  # seconds: a mutant that never ends is noticed too

Tests = tuple[str, ...]

_OPTIONS = ("-x", "-q", "--no-header", "-p", "no:cacheprovider", "-m", "")


@dataclass(frozen=True)
class Mutant:
    """`old` stands once in `file` and becomes `new`; one of `tests` must then fail.

    `harmless` says why no test can fail, where none can. `vital` ones run in `make assure` too.
    """

    file: str
    old: str
    new: str
    tests: Tests
    harmless: str = ""
    vital: bool = False

    @property
    def name(self) -> str:
        """What is changed into what, in one line."""
        return f"{self.file}: {' '.join(self.old.split())} -> {' '.join(self.new.split())}"

    def original(self) -> str:
        """The text of the file as it is."""
        return (PACKAGE / self.file).read_text(encoding="utf-8")

    def mutated(self) -> str:
        """The text of the file with the mistake in it."""
        text = self.original()
        if text.count(self.old) != 1:
            raise ValueError(
                f"{self.name}: the old text must stand once in the file, and stands there "
                f"{text.count(self.old)} times; bring the list of mutants up to date"
            )
        return text.replace(self.old, self.new)


def survives(mutant: Mutant) -> bool:
    """Whether its tests pass all the same, on a copy of the package with the mistake in it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tacit"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / mutant.file).write_text(mutant.mutated(), encoding="utf-8")
        return passes(mutant.tests, Path(folder))


def passes(tests: Tests, package: Path = PACKAGE.parent) -> bool:
    """Whether tests pass, in time, with the package of this folder."""
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", *_OPTIONS, *tests]
    try:
        done = subprocess.run(
            command, check=False, cwd=ROOT, env=environment, capture_output=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return False
    if done.returncode not in (0, 1, 2):  # failed tests, or an import that fails; else pytest's own
        raise RuntimeError(f"{tests}: pytest ended with {done.returncode}:\n{done.stdout!r}")
    return done.returncode == 0
