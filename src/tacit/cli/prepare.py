"""Before anything is collected: `tacit study` and `tacit plan`."""

import dataclasses
import math
from pathlib import Path
from typing import Any

from tacit import inference
from tacit.cli import console
from tacit.cli import options as ask
from tacit.cli.files import load_any_study, load_margins, load_rows, plot_file, required_public
from tacit.cli.labels import (
    label_private_study,
    plan_label_study,
    refuse_options,
    tell_label_study,
)
from tacit.errors import ConfigurationError
from tacit.inference.rate import Stated
from tacit.inference.solution import CAUSES
from tacit.inference.truths import DRAWS
from tacit.labelprivate import LabelStudy
from tacit.labels import parse
from tacit.study import Study
from tacit.study.purpose import COEFFICIENTS


def study(
    public: ask.PublicFile,
    *,
    label: ask.Label,
    epsilon: ask.Epsilon,
    output: ask.NewStudy,
    source: ask.Source = "",
    private: ask.Private = "record",
    title: ask.Title = "",
    features: ask.Features = None,
    no_intercept: ask.NoIntercept = False,
    minimum_batch: ask.MinimumBatch = 100,
    reports_per_person: ask.ReportsPerPerson = 1,
    weights: ask.Weights = None,
    margins: ask.Margins = None,
    purpose: ask.Purpose = COEFFICIENTS,
    focus: ask.Focus = None,
    people: ask.PlannedPeople = None,
    as_json: ask.AsJson = False,
) -> None:
    """Make a study from public rows.

    A study is the file that devices, collector and fit agree on. It publishes means, loadings
    and categories of the rows. Never pass private ones. With `--private label` the rows are those
    whose features you know anyway, and devices randomize the label alone.

    \b
    Example:
      tacit study public.parquet --label churned:binary:yes --epsilon 1 \\
          --source "2025 opt-in panel" -o study.json
      tacit study public.parquet --label churned:binary:yes --epsilon 1 \\
          --source "2025 opt-in panel" --focus age --people 100000 -o study.json
      tacit study survey.parquet --label sick:binary:yes --epsilon 1 \\
          --source "2023 census survey" --weights PERWT --margins margins.json -o study.json
      tacit study customers.parquet --private label --label sick:binary:yes --epsilon 1 \\
           -o labels.json
    """
    console.check_outputs([output], [public, *([margins] if margins else [])])
    if private not in ("record", "label"):
        raise ConfigurationError(f"--private must be record or label, got {private}")
    if private == "label":
        refuse_options(
            purpose=purpose != COEFFICIENTS, focus=focus, people=people, weights=weights,
            margins=margins,
        )  # fmt: skip
        stated = (source, minimum_batch, reports_per_person)
        made_private = label_private_study(
            public, stated, output, label=parse(label), epsilon=epsilon, title=title,
            features=_names(features), intercept=not no_intercept,
        )  # fmt: skip
        tell_label_study(made_private, public, output, as_json)
        return
    rows, known = load_rows(public), None if margins is None else load_margins(margins)
    with console.progress("choosing what the reports measure") as advance:
        made = Study.from_public(
            rows,
            label=parse(label),
            epsilon=epsilon,
            source=source,
            title=title,
            features=_names(features),
            intercept=not no_intercept,
            minimum_batch=minimum_batch,
            reports_per_person=reports_per_person,
            purpose=purpose,
            focus=_names(focus) or (),
            people=people,
            weights=weights,
            margins=known,
            progress=advance,
        )
    made.save(output)
    _tell_study(made, public, output, as_json)


def plan(
    study_file: ask.StudyFile,
    *,
    public: ask.Public = None,
    rows: ask.Known = None,
    people: ask.People = None,
    target_se: ask.TargetSe = None,
    coefficient: ask.Coefficient = None,
    rate: ask.Rate = None,
    guess: ask.Guesses = None,
    width: ask.Width = None,
    plot: ask.PlanPlot = None,
    no_plot: ask.NoPlot = False,
    as_json: ask.AsJson = False,
) -> None:
    """Say beforehand what a study will be able to tell.

    Standard errors for a number of people, or the people needed for a standard error: the
    median over what the truth may be, with its range, and the levels too rare to be told of.
    The plot shows other epsilons.

    \b
    Example:
      tacit plan study.json --public public.parquet --people 100000 --rate 0.24
      tacit plan study.json --public public.parquet --target-se 0.01 --coefficient age
      tacit plan labels.json --rows customers.parquet --people 20000 --rate 0.2
    """
    if people is not None and target_se is not None:
        raise ConfigurationError("give either --people or --target-se")
    found = load_any_study(study_file)
    if isinstance(found, LabelStudy):
        refuse_options(guess=guess, coefficient=coefficient, plot=plot, public=public, width=width)
        question = {"people": people, "target_se": target_se, "rate": _rate(rate)}
        plan_label_study(found, rows, as_json, **question)
        return
    refuse_options(rows=rows)
    loaded, public = found, required_public(public)
    picture = None if no_plot else plot_file(plot, study_file, "plan")
    console.check_outputs([picture] if picture else [], [study_file, public])
    if people is None and target_se is None and loaded.people is None:
        raise ConfigurationError(
            "the study does not say how many people: give either --people or --target-se"
        )
    public_rows, guesses = load_rows(public, loaded), _guesses(guess or [])
    with console.progress("planning", DRAWS) as advance:
        made = inference.plan(
            loaded, public=public_rows, people=people, target_se=target_se, coefficient=coefficient,
            rate=_rate(rate), guess=guesses, width=width, progress=advance,
        )  # fmt: skip
    _draw(made, picture, coefficient)
    if as_json:
        console.out_json(_plan_document(loaded, made, picture))
    else:
        console.out(str(made))
    if picture is not None:
        console.wrote(picture)


def _names(listed: str | None) -> list[str] | None:
    return None if listed is None else [name.strip() for name in listed.split(",")]


def _tell_study(made: Study, public: Path, output: Path, as_json: bool) -> None:
    if as_json:
        console.out_json(_study_document(made, output))
    else:
        console.out(made.describe())
    console.wrote(output)
    console.say(
        f"{output} publishes facts about the rows of {public}: their means, loadings and "
        "categories. They must be public already."
    )


def _draw(made: inference.Plan, picture: Path | None, coefficient: str | None) -> None:
    if picture is not None:
        from tacit import plots

        plots.plan_curve(made, picture, coefficient=coefficient)


def _guesses(given: list[str]) -> dict[str, float]:
    return dict(_named(each, "a guess must be NAME=VALUE such as age=0.03") for each in given)


def _rate(given: str | None) -> Stated | None:
    if given is None:
        return None
    problem = "--rate must be a number such as 0.24, or a share of each class such as a=0.7,b=0.3"
    if "=" in given:
        return dict(_named(each, problem) for each in given.split(","))
    return _named(f"rate={given}", problem)[1]


def _named(given: str, problem: str) -> tuple[str, float]:
    name, _, value = given.rpartition("=")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not name.strip() or not math.isfinite(number):
        raise ConfigurationError(f"{problem}, got {given!r}")
    return name.strip(), number


def _study_document(made: Study, output: Path) -> dict[str, Any]:
    return {
        "study": made.id,
        "title": made.title,
        "source": made.source,
        "label": made.label.column,
        "epsilon": made.epsilon,
        "reports_per_person": made.reports_per_person,
        "minimum_batch": made.minimum_batch,
        "purpose": made.purpose,
        "focus": list(made.focus),
        "people": made.people,
        "public_rows": made.public_rows,
        "effective_rows": made.effective_rows,
        "weights": made.weights,
        "margins": made.margins,
        "dimension": made.dimension,
        "features": list(made.feature_names),
        "columns": list(made.transform.columns),
        "dropped": made.dropped,
        "notes": list(made.notes),
        "file": str(output),
    }


def _plan_document(loaded: Study, made: inference.Plan, plot: Path | None) -> dict[str, Any]:
    low, errors, high = made.quantiles()
    rows = zip(made.names, errors, low, high, made.shares.T, strict=True)
    causes = [cause.replace(" ", "_") for cause in CAUSES]
    return {
        "study": loaded.id,
        "people": made.people,
        "epsilon": made.mechanism.epsilon,
        "public_rows": made.public_rows,
        "effective_rows": made.effective_rows,
        "target_se": made.target_se,
        "coefficients": [
            {
                "name": name,
                "se": float(se),
                "low": float(least),
                "high": float(most),
                "shares": dict(zip(causes, shares.tolist(), strict=True)),
            }
            for name, se, least, most, shares in rows
        ],
        "supposed": made.supposed,
        "width": made.width,
        "wide": [dataclasses.asdict(each) for each in made.wide()],
        "plot": None if plot is None else str(plot),
    }
