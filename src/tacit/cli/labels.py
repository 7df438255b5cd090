"""What the commands do with a label-private study."""

from pathlib import Path
from typing import Any

import numpy as np

from tacit.answers import is_missing
from tacit.cli import console
from tacit.cli.files import load_rows
from tacit.errors import ConfigurationError, LabelError
from tacit.labelprivate import LabelStudy
from tacit.labelprivate.device import randomize_labels
from tacit.labelprivate.fitting import LabelFit
from tacit.labelprivate.table import read_answers, write_answers
from tacit.privacy.words import number_up
from tacit.study.rows import columns

_DEFAULTS = ("", 100, 1)  # of source, minimum batch and reports per person


def refuse_options(**given: object) -> None:
    """Options that this sort of study has no use for."""
    for name, value in given.items():
        if value:
            option = name.replace("_", "-")
            raise ConfigurationError(f"--{option} does not apply to this study; leave it out")


def label_private_study(
    rows: Path, stated: tuple[str, int, int], output: Path, **how: Any
) -> LabelStudy:
    """A study of known rows, written."""
    names = ("source", "minimum-batch", "reports-per-person")
    for name, value, default in zip(names, stated, _DEFAULTS, strict=True):
        refuse_options(**{name: value != default})
    made = LabelStudy.from_rows(load_rows(rows), **how)
    made.save(output)
    return made


def tell_label_study(made: LabelStudy, rows: Path, output: Path, as_json: bool) -> None:
    """What was made, and what the file says of the rows."""
    if as_json:
        console.out_json(
            {
                "study": made.id,
                "title": made.title,
                "label": made.label.column,
                "epsilon": made.epsilon,
                "mechanism": made.parameters.in_words(),
                "features": list(made.feature_names),
                "dropped": made.dropped,
                "notes": list(made.notes),
                "file": str(output),
            }
        )
    else:
        console.out(made.describe())
    console.wrote(output)
    console.say(
        f"{output} goes to every device: it shows means, spreads and categories of the features in "
        f"{rows}."
    )


def plan_label_study(study: LabelStudy, rows: Path | None, as_json: bool, **question: Any) -> None:
    """Standard errors to expect, or people needed."""
    if rows is None:
        raise ConfigurationError("give --rows: rows of the features that you know")
    table = load_rows(rows, study)
    with console.progress("planning"):
        made = study.plan(table, **question)
    if not as_json:
        console.out(str(made))
        return
    found = zip(made.names, made.standard_errors(), made.range(), strict=True)
    console.out_json(
        {
            "study": study.id,
            "people": made.people,
            "epsilon": made.epsilon,
            "target_se": made.target_se,
            "assumed": made.assumed,
            "coefficients": [
                {"name": name, "se": float(se), "range": between.tolist()}
                for name, se, between in found
            ],
        }
    )


def report_labels(study: LabelStudy, people: Path, output: Path, as_json: bool) -> None:
    """Play the devices; a row without a label has no report."""
    table = load_rows(people, study)
    if study.label.column not in table.column_names:
        raise ConfigurationError(
            f"{people} has no label column {study.label.column!r}; its columns are "
            f"{', '.join(map(repr, table.column_names))}"
        )
    labels = columns(table, [study.label.column])[study.label.column]
    missing = is_missing(labels)
    reports: list[int | None] = [None] * len(labels)
    numbers = randomize_labels(study, labels[~missing])
    for row, number in zip(np.flatnonzero(~missing), numbers, strict=True):
        reports[row] = int(number)
    write_answers(output, study, table, reports)
    count = len(labels) - int(missing.sum())
    if as_json:
        found = {"reports": count, "without_label": int(missing.sum()), "replaced": {}}
        console.out_json({"study": study.id, **found, "file": str(output)})
    else:
        console.out(f"{count:,} reports at epsilon {number_up(study.epsilon)}, label private")
    console.wrote(output)
    try:
        study.label.check(labels[~missing])
    except LabelError as error:
        console.warning(f"{error}. A device replaces such a label and still reports")
    console.say(
        "This was for trying out: one program saw every label. In a study each person's own "
        "device randomizes theirs."
    )


def fit_label_study(
    study: LabelStudy, tables: list[Path], output: Path, level: float, as_json: bool
) -> None:
    """A table of coefficients, which always exists, and a model that predicts."""
    rows: dict[str, list[Any]] = {name: [] for name in study.feature_names}
    reports: list[Any] = []
    for path in tables:
        table, found = read_answers(path, study)
        for name, values in columns(table, study.feature_names).items():
            rows[name].extend(values.tolist())
        reports.extend(found)
    with console.progress("fitting"):
        fitted = study.fit(rows or [{}] * len(reports), reports)
        fitted.save(output, level)
    if as_json:
        console.out_json({**_document(fitted, level), "file": str(output)})
    else:
        console.out(str(fitted.summary(level)))
    console.wrote(output)


def _document(fitted: LabelFit, level: float) -> dict[str, Any]:
    summary = fitted.summary(level)
    return {
        "study": fitted.study.id,
        "title": summary.title,
        "model": summary.model,
        "people": fitted.people,
        "epsilon": summary.epsilon,
        "level": level,
        "coefficients": summary.rows(),
        "notes": list(summary.notes),
    }
