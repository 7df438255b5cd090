"""The files that commands are given, loaded with errors that name them."""

import json
import tomllib
from pathlib import Path
from typing import Any

from tacit.cli.console import progress
from tacit.errors import ConfigurationError, StudyFileError
from tacit.inference import Fit
from tacit.labelprivate import LabelStudy
from tacit.labelprivate.fitting import LabelFit
from tacit.labelprivate.fitting.file import LABEL_MODEL
from tacit.labelprivate.study import KIND
from tacit.study import Study, document
from tacit.tables import read_table, require_file

PLOT_SUFFIXES = (".png", ".svg")


def load_study(path: Path) -> Study:
    """A study of whole records, or an error that names the file."""
    found = load_any_study(path)
    if isinstance(found, Study):
        return found
    raise ConfigurationError(
        f"{path} is a label-private study. Collector and participants' page do not take one yet: "
        "gather its reports your own way, beside the rows you know, and pass that table to "
        "`tacit fit`"
    )


def load_any_study(path: Path) -> Study | LabelStudy:
    """The study of either sort, or an error that names the file."""
    require_file(path)
    data = path.read_bytes()
    made = LabelStudy if document.kind_of(data) == KIND else Study
    try:
        return made.from_bytes(data)
    except StudyFileError as error:
        raise StudyFileError(f"{path}: {error}") from error


def load_model(path: Path) -> Fit | LabelFit:
    """The model, or an error that names the file."""
    require_file(path)
    data = path.read_bytes()
    made = LabelFit if document.kind_of(data) == LABEL_MODEL else Fit
    try:
        return made.from_bytes(data)
    except (StudyFileError, ConfigurationError) as error:
        raise type(error)(f"{path}: {error}") from error


def required_public(path: Path | None) -> Path:
    """Public rows that a study of whole records cannot do without."""
    if path is None:
        raise ConfigurationError("give --public: the public, unlabelled rows of the study")
    return path


def load_rows(path: Path, study: Study | LabelStudy | None = None) -> Any:
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
