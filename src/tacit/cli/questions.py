"""Questions to a fit as one types them, and the forms in which tables are printed."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.cli import console
from tacit.errors import ConfigurationError
from tacit.inference import Contrast, Fit, Tabular, Test
from tacit.inference.tabular import Column

FORMATS = ("text", "csv", "latex", "html", "json")


@dataclass(frozen=True)
class Wishes:
    """The submodel and the questions that were typed."""

    drop: list[str]
    merge: dict[str, list[list[str]]]
    tie: list[list[str]]
    tests: list[list[str]]
    contrasts: list[dict[str, float]]

    @classmethod
    def parse(
        cls,
        drop: Iterable[str],
        merge: Iterable[str],
        tie: Iterable[str],
        tests: Iterable[str],
        contrasts: Iterable[str],
    ) -> "Wishes":
        """From the words of the options, before any work."""
        return cls(
            parse_drop(drop),
            parse_merge(merge),
            parse_tie(tie),
            [_list(text, "--test") for text in tests],
            [parse_contrast(text) for text in contrasts],
        )

    def model(self, fit: Fit) -> Fit:
        """The fit, or its submodel."""
        if not (self.drop or self.merge or self.tie):
            return fit
        return fit.submodel(self.drop, self.merge, self.tie)

    def answers(
        self, fit: Fit, level: float, intervals: str, *, odds_ratios: bool, effects: bool
    ) -> list[Tabular]:
        """A table for each kind of question that was asked."""
        found = []
        if self.tests:
            found.append(tests_listed(fit.title(), [fit.test(*names) for names in self.tests]))
        if self.contrasts:
            contrasts = [fit.contrast(weights, level) for weights in self.contrasts]
            found.append(contrasts_listed(fit.title(), contrasts, level))
        if odds_ratios:
            found.append(fit.odds_ratios(level, intervals=intervals))
        if effects:
            found.append(fit.effects(level))
        return found


def parse_drop(texts: Iterable[str]) -> list[str]:
    """Names, from "region,age" or from several such."""
    return [name for text in texts for name in _list(text, "--drop")]


def parse_merge(texts: Iterable[str]) -> dict[str, list[list[str]]]:
    """Groups of levels by feature, from "marital=separated,divorced", once for each group."""
    found: dict[str, list[list[str]]] = {}
    for text in texts:
        feature, equals, levels = text.partition("=")
        if not (feature.strip() and equals):
            raise ConfigurationError(
                f"--merge takes FEATURE=LEVEL,LEVEL, such as marital=separated,divorced, got {text}"
            )
        found.setdefault(feature.strip(), []).append(_list(levels, "--merge"))
    return found


def parse_tie(texts: Iterable[str]) -> list[list[str]]:
    """Groups of names, from "x1,x2", once for each group."""
    return [_list(text, "--tie") for text in texts]


def parse_contrast(text: str) -> dict[str, float]:
    """Weights by name, from "south=1,north=-1"."""
    weights = {}
    for part in _list(text, "--contrast"):
        name, _, weight = part.rpartition("=")
        try:
            weights[name.strip()] = float(weight)
        except ValueError:
            name = ""
        if not name.strip():
            raise ConfigurationError(
                f"--contrast takes NAME=WEIGHT,NAME=WEIGHT, such as south=1,north=-1, got {text}"
            )
    return weights


def tests_listed(title: str, tests: Sequence[Test]) -> Tabular:
    """Chi-square tests as a table."""
    columns = (
        Column("name", "hypothesis"),
        Column("statistic", "chi-square"),
        Column("degrees", "degrees"),
        Column("p", "p", ".2g"),
    )
    rows = [
        {"name": test.about, "statistic": test.statistic, "degrees": test.degrees, "p": test.p}
        for test in tests
    ]
    return Tabular(title, columns, tuple(rows))


def contrasts_listed(title: str, found: Sequence[Contrast], level: float) -> Tabular:
    """One line for each contrast."""
    columns = (
        Column("name", "contrast"),
        Column("coef", "estimate", ".5g"),
        Column("se", "std. error"),
        Column("low", f"{100 * level:g}% interval", until="high"),
        Column("z", "z", ".2f"),
        Column("p", "p", ".2g"),
    )
    return Tabular(title, columns, tuple(_contrast_row(one) for one in found))


def checked_form(form: str) -> str:
    """Refuse a form that there is not, before any work."""
    if form not in FORMATS:
        raise ConfigurationError(f"--format must be one of {', '.join(FORMATS)}, got {form}")
    return form


def show(table: Tabular, form: str) -> None:
    """Print a table in one of the forms that people read."""
    console.out(getattr(table, f"to_{form}")().rstrip("\n"))


def document(table: Tabular) -> dict[str, Any]:
    """A table for JSON."""
    return {"title": table.title, "rows": table.rows(), "notes": list(table.notes)}


def _contrast_row(found: Contrast) -> dict[str, Any]:
    return {
        "name": found.about,
        "coef": found.estimate,
        "se": found.standard_error,
        "low": found.low,
        "high": found.high,
        "z": found.z,
        "p": found.p,
    }


def _list(text: str, option: str) -> list[str]:
    """Names between commas; one that has a comma in it stands in quotation marks."""
    names = [name.strip() for row in csv.reader([text], skipinitialspace=True) for name in row]
    if not names or not all(names):
        raise ConfigurationError(f"{option} takes names between commas, got {text!r}")
    return names
