"""From reports to answers: `tacit fit` and `tacit predict`."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import inference
from tacit.cli import console, questions
from tacit.cli import options as ask
from tacit.cli.collect import replacements, tell_replaced
from tacit.cli.files import load_any_study, load_model, load_rows, plot_file, required_public
from tacit.cli.labels import fit_label_study, refuse_options
from tacit.errors import ReportError
from tacit.inference import Fit
from tacit.inference.intervals import checked
from tacit.labelprivate import LabelStudy
from tacit.labelprivate.fitting import LabelFit
from tacit.study import ReportsFile, Study, Tally, read_reports
from tacit.study.files import write_atomically
from tacit.tables import csv_text, require_file

_CHUNK = 65_536


def fit(
    study_file: ask.StudyFile,
    reports: ask.ReportFiles,
    *,
    output: ask.NewModel,
    public: ask.Public = None,
    level: ask.Level = 0.95,
    intervals: ask.IntervalKind = "profile",
    drop: ask.Drop = None,
    merge: ask.Merge = None,
    tie: ask.Tie = None,
    test: ask.Tests = None,
    contrast: ask.Contrasts = None,
    odds_ratios: ask.OddsRatios = False,
    effects: ask.Effects = False,
    plot: ask.ForestPlot = None,
    no_plot: ask.NoPlot = False,
    form: ask.Form = "text",
    as_json: ask.AsJson = False,
) -> None:
    """Fit a table of coefficients and a model that predicts.

    Equal reports, also in different files, are counted once. An interval that the reports do not
    bound has no end on that side. A submodel is what is shown, drawn and written, with the
    chi-square test of what was left out. A label-private study needs no public rows: its reports
    stand beside the rows.

    \b
    Example:
      tacit fit study.json reports.tacit --public public.parquet -o model.json
      tacit fit study.json reports.tacit --public public.parquet -o model.json \\
          --merge region=south,west --test smoker --format csv
      tacit fit labels.json answers.parquet -o model.json
    """
    kind, form = checked(intervals, level), questions.checked_form("json" if as_json else form)
    wishes = questions.Wishes.parse(drop or [], merge or [], tie or [], test or [], contrast or [])
    study = load_any_study(study_file)
    if isinstance(study, LabelStudy):
        refuse_options(
            public=public, plot=plot, drop=drop, merge=merge, tie=tie, test=test,
            contrast=contrast, odds_ratios=odds_ratios, effects=effects,
            intervals=kind != "profile", format=form not in ("text", "json"),
        )  # fmt: skip
        console.check_outputs([output], [study_file, *reports])
        fit_label_study(study, reports, output, level, form == "json")
        return
    public = required_public(public)
    pictures = [] if no_plot else _forest_files(plot, output)
    console.check_outputs([output, *pictures], [study_file, *reports, public])
    tally, left_out = _tally(study, reports)
    rows = load_rows(public, study)
    with console.progress("asking"):
        fitted = wishes.model(inference.fit(study, tally, public=rows))
        tables = wishes.answers(fitted, level, kind, odds_ratios=odds_ratios, effects=effects)
    with console.progress("fitting", len(fitted.names)) as advance:
        fitted.table(level, intervals=kind, advance=advance)
    with console.progress("writing"):
        fitted.save(output)
        _draw(fitted, pictures, level, kind)
    if form == "json":
        files = {"file": str(output), "plots": [str(path) for path in pictures]}
        asked = {"questions": [questions.document(table) for table in tables]}
        console.out_json({**_fit_document(fitted, level, kind), **asked, **left_out, **files})
    else:
        for table in (fitted.summary(level, intervals=kind), *tables):
            questions.show(table, form)
    console.wrote(output, *pictures)


def predict(
    model_file: ask.ModelFile,
    rows_file: ask.RowsFile,
    *,
    output: ask.NewTable = None,
    as_json: ask.AsJson = False,
) -> None:
    """Predict labels: class and probabilities, or the mean.

    One line for every row, in the same order.

    \b
    Example:
      tacit predict model.json rows.csv -o predictions.csv
    """
    console.check_outputs([output] if output else [], [model_file, rows_file])
    fitted = load_model(model_file)
    rows = load_rows(rows_file, fitted.study)
    with console.progress("predicting"):
        predicted = fitted.predict(rows)
        probabilities = fitted.predict_proba(rows) if fitted.study.label.classes else None
    if output is not None:
        write_atomically(output, _listing(fitted, predicted, probabilities).encode())
        console.wrote(output)
    if as_json:
        console.out_json(_predict_document(fitted, predicted, probabilities))
    elif output is None:
        console.out(_listing(fitted, predicted, probabilities).rstrip("\n"))
    if isinstance(fitted, Fit):
        tell_replaced(replacements(fitted.study, rows))


def _draw(fitted: Fit, pictures: list[Path], level: float, intervals: str) -> None:
    if pictures:
        from tacit import plots

        plots.forest(fitted, *pictures, level=level, intervals=intervals)


def _forest_files(asked: Path | None, model: Path) -> list[Path]:
    path = plot_file(asked, model, "forest")
    return [path.with_suffix(".png"), path.with_suffix(".svg")]


def _tally(study: Study, paths: list[Path]) -> tuple[Tally, dict[str, int]]:
    """The tally of all files, every seed once, and what was left out of them."""
    files = [_reports(study, path) for path in paths]
    seeds = np.concatenate([file.seeds for file in files])
    if len(files) > 1:
        seeds = np.unique(seeds, axis=0)
    duplicates = sum(len(file.seeds) + file.duplicates for file in files) - len(seeds)
    if duplicates:
        console.warning(f"{duplicates:,} duplicate reports; each is counted once")
    tally = Tally.of(study)
    with console.progress("tallying", len(seeds)) as advance:
        for start in range(0, len(seeds), _CHUNK):
            part = seeds[start : start + _CHUNK]
            tally = tally.add(part)
            advance(len(part))
    truncated = sum(file.truncated_bytes for file in files)
    return tally, {"duplicates": duplicates, "truncated_bytes": truncated}


def _reports(study: Study, path: Path) -> ReportsFile:
    require_file(path)
    try:
        file = read_reports(path, study)
    except ReportError as error:
        named = str(path) in str(error)
        raise error if named else ReportError(f"{path}: {error}") from error
    if file.truncated_bytes:
        console.warning(
            f"{path} is truncated: its last {file.truncated_bytes} bytes are no whole report and "
            f"are left out; {len(file.seeds) + file.duplicates:,} whole reports are kept"
        )
    return file


def _listing(
    fitted: Fit | LabelFit, predicted: NDArray[Any], probabilities: NDArray[np.float64] | None
) -> str:
    if probabilities is None:
        return csv_text(["predicted"], ([f"{mean:.6g}"] for mean in predicted))
    header = ["predicted", *(f"P({name})" for name in fitted.classes)]
    rows = zip(predicted, probabilities, strict=True)
    return csv_text(header, ([name, *(f"{p:.6g}" for p in shares)] for name, shares in rows))


def _predict_document(
    fitted: Fit | LabelFit, predicted: NDArray[Any], probabilities: NDArray[np.float64] | None
) -> dict[str, Any]:
    document = {
        "study": fitted.study.id,
        "label": fitted.study.label.column,
        "predicted": predicted.tolist(),
    }
    if probabilities is None:
        return document
    return {**document, "classes": fitted.classes, "probabilities": probabilities.tolist()}


def _fit_document(fitted: Fit, level: float, intervals: str) -> dict[str, Any]:
    summary = fitted.summary(level, intervals=intervals)
    return {
        "study": fitted.study.id,
        "title": fitted.study.title,
        "model": fitted.model.name,
        "people": fitted.people,
        "public_rows": fitted.public_rows,
        "effective_rows": fitted.effective_rows,
        "epsilon": fitted.guarantee.total_epsilon,
        "level": level,
        "intervals": intervals,
        "coefficients": summary.rows(),
        "notes": list(summary.notes),
    }
