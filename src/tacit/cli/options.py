"""Every argument and option of the commands, in words."""

from pathlib import Path
from typing import Annotated, Any

import typer

MOST_PEOPLE = 10**12


def argument(name: str, text: str) -> Any:
    """What has to be given, in this place."""
    return typer.Argument(metavar=name, help=text)


def option(*names: str, metavar: str = "FILE", text: str, **how: Any) -> Any:
    """What is given under a name."""
    return typer.Option(*names, metavar=metavar, help=text, **how)


def flag(name: str, text: str) -> Any:
    """What is so or not."""
    return typer.Option(name, help=text)


StudyFile = Annotated[Path, argument("STUDY", "The study file.")]
ModelFile = Annotated[Path, argument("MODEL", "The model file.")]
PublicFile = Annotated[
    Path,
    argument(
        "PUBLIC",
        "Public, unlabelled rows: .csv or .parquet; with `--private label`, rows that you know.",
    ),
]
PeopleFile = Annotated[
    Path, argument("PEOPLE", "One row per person, features and label: .csv or .parquet.")
]
RowsFile = Annotated[Path, argument("ROWS", "Rows of the study's features: .csv or .parquet.")]
ReportFiles = Annotated[
    list[Path],
    argument(
        "REPORTS",
        "One or more files of reports; of a label-private study, tables with a column `report`.",
    ),
]

Public = Annotated[
    Path | None, option("--public", text="Public, unlabelled rows of the study's features.")
]
Known = Annotated[
    Path | None,
    option("--rows", text="Of a label-private study: rows of features that you know."),
]
Private = Annotated[
    str,
    option(
        "--private",
        metavar="WHAT",
        text="record, or label where you know the features of everybody anyway.",
    ),
]
NewStudy = Annotated[Path, option("--output", "-o", text="The study file to write.")]
NewReports = Annotated[Path, option("--output", "-o", text="The file of reports to write.")]
NewModel = Annotated[Path, option("--output", "-o", text="The model file to write.")]
NewTable = Annotated[Path | None, option("--output", "-o", text="CSV to write; stdout otherwise.")]
AsJson = Annotated[bool, flag("--json", "Print one JSON document instead of text.")]

Label = Annotated[
    str,
    option(
        "--label",
        metavar="LABEL",
        text="What is to be predicted: churned:binary:yes, churned:binary:yes:no, "
        "kind:categorical:a,b,c, visits:count:20 or income:bounded:0:100.",
    ),
]
Epsilon = Annotated[
    float, option("--epsilon", metavar="E", text="Privacy of one report, above 0 and up to 12.")
]
Source = Annotated[
    str,
    option("--source", metavar="TEXT", text="Where the public rows come from; must be said."),
]
Title = Annotated[
    str, option("--title", metavar="TEXT", text="What people taking part read first.")
]
Features = Annotated[
    str | None,
    option("--features", metavar="A,B,...", text="Columns to use; all but the label's otherwise."),
]
NoIntercept = Annotated[bool, flag("--no-intercept", "Fit a model without intercept.")]
MinimumBatch = Annotated[
    int, option("--minimum-batch", metavar="N", text="Reports below which nothing is fitted.")
]
ReportsPerPerson = Annotated[
    int,
    option("--reports-per-person", metavar="N", text="Reports each person sends; privacy adds up."),
]
Weights = Annotated[
    str | None,
    option("--weights", metavar="COLUMN", text="Column of what each public row counts."),
]
Margins = Annotated[
    Path | None,
    option(
        "--margins",
        text='Known means and shares, .json or .toml: {"region": {"north": 0.3, "south": 0.7}, '
        '"age": 41.2}.',
    ),
]

Purpose = Annotated[
    str,
    option(
        "--purpose",
        metavar="PURPOSE",
        text="What it is for: coefficients (a table with intervals) or predictions.",
    ),
]
Focus = Annotated[
    str | None,
    option("--focus", metavar="A,B,...", text="Features or coefficients to be measured best."),
]
PlannedPeople = Annotated[
    int | None,
    option(
        "--people",
        metavar="N",
        text="People you expect; predictions need it.",
        max=MOST_PEOPLE,
    ),
]

People = Annotated[
    int | None,
    option("--people", metavar="N", text="Standard errors for so many people.", max=MOST_PEOPLE),
]
TargetSe = Annotated[
    float | None,
    option("--target-se", metavar="SE", text="People needed for this standard error."),
]
Coefficient = Annotated[
    str | None,
    option(
        "--coefficient",
        metavar="NAME",
        text="The coefficient of the target and of the plot; all but the intercept otherwise.",
    ),
]
Guesses = Annotated[
    list[str] | None,
    option(
        "--guess",
        metavar="NAME=VALUE",
        text="Plan at coefficients you expect, all others 0, in place of many. Repeat.",
    ),
]
Rate = Annotated[
    str | None,
    option(
        "--rate",
        metavar="RATE",
        text="The mean label you expect: 0.24, or a=0.7,b=0.3; the middle otherwise.",
    ),
]
Width = Annotated[
    float | None,
    option(
        "--width",
        metavar="W",
        text="List levels whose 95% interval would be wider; 4 otherwise, for yes or no.",
    ),
]
PlanPlot = Annotated[
    Path | None, option("--plot", text="Where the plot goes; STUDY-plan.png otherwise.")
]
ForestPlot = Annotated[
    Path | None, option("--plot", text="Forest plot, PNG and SVG; MODEL-forest otherwise.")
]
NoPlot = Annotated[bool, flag("--no-plot", "Write no plot.")]
IntervalKind = Annotated[
    str,
    option(
        "--intervals",
        metavar="KIND",
        text="profile (under a weak prior on all else), flat (without a prior) or wald.",
    ),
]
Drop = Annotated[
    list[str] | None,
    option("--drop", metavar="A,B,...", text="A submodel without these features or coefficients."),
]
Merge = Annotated[
    list[str] | None,
    option(
        "--merge",
        metavar="NAME=L,M,...",
        text="A submodel in which these levels of a feature are one; may be repeated.",
    ),
]
Tie = Annotated[
    list[str] | None,
    option(
        "--tie", metavar="A,B,...", text="A submodel in which these are equal; may be repeated."
    ),
]
Tests = Annotated[
    list[str] | None,
    option(
        "--test",
        metavar="A,B,...",
        text="Test that all coefficients of these features are zero; may be repeated.",
    ),
]
Contrasts = Annotated[
    list[str] | None,
    option(
        "--contrast",
        metavar="A=1,B=-1",
        text="A sum of coefficients or levels, each times its weight; may be repeated.",
    ),
]
OddsRatios = Annotated[bool, flag("--odds-ratios", "Also odds ratios, or rate ratios of counts.")]
Effects = Annotated[bool, flag("--effects", "Also average marginal effects over the public rows.")]
Form = Annotated[str, option("--format", metavar="FORM", text="text, csv, latex, html or json.")]
Level = Annotated[float, option("--level", metavar="P", text="Confidence level of the intervals.")]
Draws = Annotated[
    int,
    option("--draws", metavar="N", text="Reports per input; 1,000,000 see 5% too much epsilon."),
]
