"""What devices do, for trying out: `tacit report`, and `tacit audit` of their claim."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from tacit.answers import is_missing
from tacit.cli import console
from tacit.cli import options as ask
from tacit.cli.files import load_any_study, load_rows
from tacit.cli.labels import report_labels
from tacit.device import randomize_rows
from tacit.errors import ConfigurationError, LabelError
from tacit.labelprivate import LabelStudy
from tacit.privacy.audit import Source
from tacit.privacy.words import number_up
from tacit.study import Study, write_reports
from tacit.study.report import REPORT_BYTES
from tacit.study.rows import Columns, columns

REFUTED = 1

_CHUNK = 2048


def report(
    study_file: ask.StudyFile,
    people: ask.PeopleFile,
    *,
    output: ask.NewReports,
    as_json: ask.AsJson = False,
) -> None:
    """Play the devices: one 16-byte report per row.

    For trying out: whoever runs this sees the raw rows. In a real study each row is randomized
    on its owner's device. A row without a label sends no report; every run is another report of
    every person and costs their epsilon again. Of a label-private study the features and the
    reports beside them are written as a table, .csv or .parquet.

    \b
    Example:
      tacit report study.json people.csv -o reports.tacit
      tacit report labels.json people.csv -o answers.parquet
    """
    console.check_outputs([output], [study_file, people])
    study = load_any_study(study_file)
    if isinstance(study, LabelStudy):
        report_labels(study, people, output, as_json)
        return
    table = _people(study, load_rows(people, study), people)
    unlabelled = is_missing(table[study.label.column])
    kept = {name: values[~unlabelled] for name, values in table.items()}
    _refuse_never(study, kept, people)
    seeds = _randomize(study, kept)
    write_reports(output, study, seeds)
    missing, replaced = int(unlabelled.sum()), replacements(study, kept)
    if as_json:
        found = {"reports": len(seeds), "without_label": missing, "replaced": replaced}
        console.out_json({"study": study.id, **found, "file": str(output)})
    else:
        console.out(f"{len(seeds):,} reports at epsilon {number_up(study.epsilon)}")
    console.wrote(output)
    _tell(study, kept, replaced, missing)


def audit(
    study_file: ask.StudyFile, *, draws: ask.Draws = 200_000, as_json: ask.AsJson = False
) -> None:
    """Try to refute the epsilon that a study claims.

    Runs the device's own code. A pass is no proof: it says that so many reports did not refute
    the claim. Exit code 1 when it is refuted. It takes seconds up to epsilon 4, minutes at 8.

    \b
    Example:
      tacit audit study.json --draws 1000000
    """
    study = load_any_study(study_file)
    if isinstance(study, Study) and study.simulation:
        raise ConfigurationError(
            f"{study_file} was made for simulation: no device runs it, so there is nothing to audit"
        )
    with console.progress("drawing reports", 3 * draws) as advance:
        found = study.mechanism.audit(Source(draws, progress=advance))
    if as_json:
        console.out_json({"study": study.id, "passed": found.passed, **asdict(found)})
    else:
        console.out(str(found))
    if not found.passed:
        raise typer.Exit(REFUTED)


def replacements(study: Study, rows: Any) -> dict[str, int]:
    """How many values of each feature the study replaces, where there are any."""
    counts = {name: int(flags.sum()) for name, flags in study.replaced(rows).items()}
    return {name: count for name, count in counts.items() if count}


def tell_replaced(replaced: dict[str, int]) -> None:
    """Say what was replaced: a misspelt level or a wrong unit shows up here."""
    if replaced:
        told = ", ".join(f"{name} {count:,}" for name, count in replaced.items())
        console.say(f"missing or wild values, replaced as the study says: {told}")


def _people(study: Study, table: Any, path: Path) -> Columns:
    """Features and label; the label's column is a name, so its absence is an error."""
    names = table.column_names
    if study.label.column not in names:
        raise ConfigurationError(
            f"{path} has no label column {study.label.column!r}; its columns are "
            f"{', '.join(map(repr, names))}"
        )
    study.encode(table.slice(0, 1))  # refuses an absent feature before anything is randomized
    return columns(table, {*study.feature_names, study.label.column})


def _randomize(study: Study, table: Columns) -> NDArray[np.uint8]:
    """A chunk at a time: the number of tries, hence the time, depends on no value."""
    people = len(table[study.label.column])
    seeds = np.empty((people, REPORT_BYTES), dtype=np.uint8)
    with console.progress("randomizing", people) as advance:
        for start in range(0, people, _CHUNK):
            rows = slice(start, start + _CHUNK)
            part = {name: values[rows] for name, values in table.items()}
            seeds[rows] = randomize_rows(study, part, part[study.label.column])
            advance(len(seeds[rows]))
    return seeds


def _refuse_never(study: Study, kept: Columns, path: Path) -> None:
    """One program sees all labels here; a device, which sees one, never asks."""
    try:
        study.label.check_occurs(kept[study.label.column])
    except LabelError as error:
        raise LabelError(f"{path}: {error}") from None


def _tell(study: Study, kept: Columns, replaced: dict[str, int], missing: int) -> None:
    """For whoever tries the study out; nothing of it goes into the file of reports."""
    if missing:
        console.say(f"rows without a label, which sent no report: {missing:,}")
    tell_replaced(replaced)
    try:
        study.label.check(kept[study.label.column])
    except LabelError as error:
        console.warning(f"{error}. A device replaces such a label and still reports")
    console.say(
        "This was for trying out: one program saw every raw row. In a study each person's own "
        "device makes their report."
    )
