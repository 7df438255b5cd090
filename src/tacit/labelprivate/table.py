"""What the organiser has: known rows with one column of reports, as CSV or Parquet.

The study's id stands in Parquet's metadata, or in a column `study` of either; reports without one
are refused, and so are those of another study.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.answers import is_missing, text
from tacit.errors import ConfigurationError, ReportError
from tacit.labelprivate.known import read_known
from tacit.labelprivate.report import numbers_of
from tacit.study.files import write_atomically
from tacit.study.report import refuse_foreign
from tacit.study.rows import columns
from tacit.study.schema import REPORT, STUDY
from tacit.tables import csv_text, read_table, write_parquet

if TYPE_CHECKING:
    from tacit.labelprivate.study import LabelStudy

_METADATA = b"tacit.study"


def write_answers(
    path: str | os.PathLike[str], study: "LabelStudy", rows: Any, reports: Any
) -> None:
    """Write the features of the study and the reports beside them, whole or not at all."""
    target = Path(path)
    numbers, given = numbers_of(study, reports)
    if len(numbers) != len(read_known(study, rows).values):
        raise ConfigurationError(f"every row needs one report or None, got {len(numbers)} reports")
    table: dict[str, Any] = {
        name: list(values) for name, values in columns(rows, study.feature_names).items()
    }
    table[REPORT] = [
        number if is_given else None
        for number, is_given in zip(numbers.tolist(), given.tolist(), strict=True)
    ]
    if target.suffix.lower() == ".parquet":
        write_atomically(target, write_parquet(table, {_METADATA: study.id.encode()}))
    elif target.suffix.lower() == ".csv":
        table[STUDY] = [study.id] * len(numbers)
        write_atomically(target, csv_text(list(table), zip(*table.values(), strict=True)).encode())
    else:
        raise ConfigurationError(f"cannot write {target}: its name must end in .csv or .parquet")


def read_answers(path: str | os.PathLike[str], study: "LabelStudy") -> tuple[Any, Any]:
    """The rows of a file, and their reports; one of another study is refused."""
    table = read_table(path, study)
    if REPORT not in table.column_names:
        raise ReportError(
            f"{os.fspath(path)} has no column {REPORT!r}; its columns are "
            f"{', '.join(map(repr, table.column_names))}"
        )
    stated = (table.schema.metadata or {}).get(_METADATA)
    found = [] if stated is None else [stated.decode("utf-8", "replace")]
    if STUDY in table.column_names:
        ids = columns(table, [STUDY])[STUDY]
        found += sorted({*map(text, ids[~is_missing(ids)])})
    if not found:
        raise ReportError(
            f"{os.fspath(path)} does not say to which study its reports belong: a column "
            f"{STUDY!r} with its id is missing"
        )
    for one in found:
        refuse_foreign(one, study.id)
    return table, table.column(REPORT).to_pylist()
