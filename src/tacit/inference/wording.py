"""Coefficients as pictures show them: on one axis, with names a reader understands.

Coefficients in their own units differ by orders of magnitude, so a number's coefficient is drawn
per public standard deviation, and a level's or an answer's as it is.
"""

from dataclasses import dataclass, replace

from tacit.inference.coefficients import coefficient_names
from tacit.inference.terms import Terms
from tacit.study import Study
from tacit.study.purpose import focused
from tacit.study.transform import INTERCEPT


@dataclass(frozen=True)
class Drawn:
    """One coefficient: `scale` times it is drawn, under the name `shown`.

    `group` names the class that a categorical label's coefficient is about, against the first.
    `focused`: the study was made to measure it above all.
    """

    name: str
    shown: str
    group: str
    scale: float
    intercept: bool
    focused: bool


def drawn_coefficients(study: Study) -> list[Drawn]:
    """Every coefficient, in the order of the table."""
    columns = study.transform.names
    scales = {f.name: f.spread or 1.0 for f in study.features if f.kind == "numeric"}
    shown = _shown_names(study)
    names = iter(coefficient_names(study))
    in_focus = focused(study.focus, study.features, study.transform.columns)
    chosen = {study.transform.columns[place] for place in in_focus}
    return [
        Drawn(
            name=next(names),
            shown=shown.get(column, column),
            group=group,
            scale=scales.get(column, 1.0),
            intercept=column == INTERCEPT,
            focused=column in chosen,
        )
        for group in study.label.groups
        for column in columns
    ]


def drawn_terms(study: Study, terms: Terms) -> list[Drawn]:
    """Every term, in the order of the table; one that stands for several keeps its own name."""
    every = drawn_coefficients(study)
    firsts = zip(terms.names, (every[place] for place in terms.firsts), strict=True)
    return [
        first if first.name == name else replace(first, name=name, shown=name)
        for name, first in firsts
    ]


def meaning(study: Study) -> str:
    """What the axis measures."""
    return f"change in {study.label.axis}"


def _shown_names(study: Study) -> dict[str, str]:
    shown = {}
    for feature in study.features:
        if feature.kind == "numeric":
            unit = f" {feature.unit}" if feature.unit else ""
            shown[feature.name] = f"{feature.name} (per {_amount(feature.spread or 1.0)}{unit})"
        for level in feature.levels[1:]:
            shown[f"{feature.name}: {level}"] = f"{feature.name}: {level} (vs {feature.levels[0]})"
    return shown


def _amount(number: float) -> str:
    return f"{number:,.0f}" if 1e3 <= number < 1e12 else f"{number:.3g}"
