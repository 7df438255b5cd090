"""Before anything is collected: `tacit study` and `tacit plan`."""

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit import inference
from tacit.cli import console
from tacit.cli.options import (
    AsJson,
    NoPlot,
    Public,
    StudyFile,
    load_rows,
    load_study,
    plot_file,
)
from tacit.errors import ConfigurationError
from tacit.inference.table import CAUSES
from tacit.study import Study
from tacit.study.labels import parse

_MOST_PEOPLE = 10**12


def study(
    public: Annotated[
        Path, typer.Argument(metavar="PUBLIC", help="Public, unlabelled rows: .csv or .parquet.")
    ],
    label: Annotated[
        str,
        typer.Option(
            "--label",
            metavar="LABEL",
            help="What is to be predicted: churned:binary:yes, churned:binary:yes:no, "
            "kind:categorical:a,b,c, visits:count:20 or income:bounded:0:100.",
        ),
    ],
    epsilon: Annotated[
        float,
        typer.Option("--epsilon", metavar="E", help="Privacy of one report, above 0 and up to 12."),
    ],
    source: Annotated[
        str, typer.Option("--source", metavar="TEXT", help="Where the public rows come from.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The study file to write.")
    ],
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="What people taking part read first.")
    ] = "",
    features: Annotated[
        str | None,
        typer.Option(
            "--features", metavar="A,B,...", help="Columns to use; all but the label's otherwise."
        ),
    ] = None,
    no_intercept: Annotated[
        bool, typer.Option("--no-intercept", help="Fit a model without intercept.")
    ] = False,
    minimum_batch: Annotated[
        int,
        typer.Option("--minimum-batch", metavar="N", help="Reports below which nothing is fitted."),
    ] = 100,
    reports_per_person: Annotated[
        int,
        typer.Option(
            "--reports-per-person", metavar="N", help="Reports each person sends; privacy adds up."
        ),
    ] = 1,
    as_json: AsJson = False,
) -> None:
    """Make a study from public rows: the file that devices, collector and fit agree on.

    The file publishes means, loadings and categories of the rows. Never pass private ones.

    \b
    Example:
      tacit study public.parquet --label churned:binary:yes --epsilon 1 \\
          --source "2025 opt-in panel" -o study.json
    """
    console.check_outputs([output], [public])
    made = Study.from_public(
        load_rows(public),
        label=parse(label),
        epsilon=epsilon,
        source=source,
        title=title,
        features=None if features is None else [name.strip() for name in features.split(",")],
        intercept=not no_intercept,
        minimum_batch=minimum_batch,
        reports_per_person=reports_per_person,
    )
    made.save(output)
    if as_json:
        console.out_json(_study_document(made, output))
    else:
        console.out(made.describe())
    console.wrote(output)
    console.say(
        f"{output} publishes facts about the rows of {public}: their means, loadings and "
        "categories. They must be public already."
    )


def plan(
    study_file: StudyFile,
    public: Public,
    people: Annotated[
        int | None,
        typer.Option(
            "--people", metavar="N", max=_MOST_PEOPLE, help="Standard errors for so many people."
        ),
    ] = None,
    target_se: Annotated[
        float | None,
        typer.Option("--target-se", metavar="SE", help="People needed for this standard error."),
    ] = None,
    coefficient: Annotated[
        str | None,
        typer.Option(
            "--coefficient",
            metavar="NAME",
            help="The coefficient of the target and of the plot; all but the intercept otherwise.",
        ),
    ] = None,
    guess: Annotated[
        list[str] | None,
        typer.Option(
            "--guess", metavar="NAME=VALUE", help="A coefficient you expect; 0 otherwise. Repeat."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", help="Where the plot goes; STUDY-plan.png otherwise."
        ),
    ] = None,
    no_plot: NoPlot = False,
    as_json: AsJson = False,
) -> None:
    """Say what a study will be able to tell, before anything is collected.

    Standard errors for a number of people, or the people needed for a standard error, split
    into privacy noise, sampled people and sampled public rows. The plot shows other epsilons.

    \b
    Example:
      tacit plan study.json --public public.parquet --people 100000
      tacit plan study.json --public public.parquet --target-se 0.01 --coefficient age
    """
    if (people is None) == (target_se is None):
        raise ConfigurationError("give either --people or --target-se")
    target = None if no_plot else plot_file(plot, study_file, "plan")
    console.check_outputs([target] if target else [], [study_file, public])
    loaded = load_study(study_file)
    rows = load_rows(public, loaded)
    with console.progress("planning"):
        made = inference.plan(
            loaded,
            public=rows,
            people=people,
            target_se=target_se,
            coefficient=coefficient,
            guess=_guesses(guess or []),
        )
        if target is not None:
            from tacit import plots

            plots.plan_curve(made, target, coefficient=coefficient)
    if as_json:
        console.out_json(_plan_document(loaded, made, target))
    else:
        console.out(str(made))
    if target is not None:
        console.wrote(target)


def _guesses(given: list[str]) -> dict[str, float]:
    guesses = {}
    for guess in given:
        name, _, value = guess.rpartition("=")
        try:
            guesses[name.strip()] = float(value)
        except ValueError:
            guesses[name.strip()] = math.nan
        if not name.strip() or not math.isfinite(guesses[name.strip()]):
            raise ConfigurationError(f"a guess must be NAME=VALUE such as age=0.03, got {guess!r}")
    return guesses


def _study_document(made: Study, output: Path) -> dict[str, Any]:
    return {
        "study": made.id,
        "title": made.title,
        "source": made.source,
        "label": made.label.column,
        "epsilon": made.epsilon,
        "reports_per_person": made.reports_per_person,
        "minimum_batch": made.minimum_batch,
        "public_rows": made.public_rows,
        "dimension": made.dimension,
        "features": list(made.feature_names),
        "columns": list(made.transform.columns),
        "dropped": made.dropped,
        "notes": list(made.notes),
        "file": str(output),
    }


def _plan_document(loaded: Study, made: inference.Plan, plot: Path | None) -> dict[str, Any]:
    rows = zip(made.names, made.standard_errors(), made.shares.T, strict=True)
    causes = [cause.replace(" ", "_") for cause in CAUSES]
    return {
        "study": loaded.id,
        "people": made.people,
        "epsilon": made.sphere.epsilon,
        "public_rows": made.public_rows,
        "target_se": made.target_se,
        "coefficients": [
            {"name": name, "se": float(se), "shares": dict(zip(causes, map(float, shares)))}
            for name, se, shares in rows
        ],
        "plot": None if plot is None else str(plot),
    }
