"""The files that commands are given, loaded with errors that name them."""

import json
import tomllib
from pathlib import Path
from typing import Any

from tacit.cli.console import progress
from tacit.errors import ConfigurationError, StudyFileError
from tacit.inference import Fit
from tacit.study import Study
from tacit.tables import read_table, require_file

PLOT_SUFFIXES = (".png", ".svg")


def load_study(path: Path) -> Study:
    """The study, or an error that names the file."""
    require_file(path)
    try:
        return Study.load(path)
    except StudyFileError as error:
        raise StudyFileError(f"{path}: {error}") from error


def load_model(path: Path) -> Fit:
    """The model, or an error that names the file."""
    require_file(path)
    try:
        return Fit.load(path)
    except (StudyFileError, ConfigurationError) as error:
        raise type(error)(f"{path}: {error}") from error


def load_rows(path: Path, study: Study | None = None) -> Any:
    """The rows of a table on disk, with a moving bar while they are read."""
    with progress(f"reading {path.name}"):
        return read_table(path, study)


def load_margins(path: Path) -> Any:
    """What a JSON or TOML file of margins holds."""
    require_file(path)
    readers = {".json": json.loads, ".toml": tomllib.loads}
    if path.suffix.lower() not in readers:
        raise ConfigurationError(f"cannot read {path}: its name must end in .json or .toml")
    try:
        return readers[path.suffix.lower()](path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigurationError(f"cannot read {path}: {error}") from error


def plot_file(asked: Path | None, beside: Path, name: str) -> Path:
    """Where a plot goes: the file asked for, or one that is named after another file."""
    path = asked or beside.with_name(f"{beside.stem}-{name}.png")
    if path.suffix.lower() not in PLOT_SUFFIXES:
        raise ConfigurationError(
            f"a plot's name must end in {' or '.join(PLOT_SUFFIXES)}, got {path}"
        )
    return path
