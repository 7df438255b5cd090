"""What the exponential of a coefficient means: how many times the odds, or the rate."""

import numpy as np

from tacit.errors import ConfigurationError
from tacit.inference.estimated import entries
from tacit.inference.intervals import Table
from tacit.inference.names import is_intercept
from tacit.inference.tabular import Column, Tabular
from tacit.inference.terms import Terms
from tacit.models import LabelModel
from tacit.study import Study

RATIOS = {"logistic": "odds ratio", "multinomial": "odds ratio", "poisson": "rate ratio"}


def ratio_of(model: LabelModel) -> str:
    """What it is called; other models have none."""
    if model.own or model.name not in RATIOS:
        raise ConfigurationError(
            f"the exponential of a coefficient is a ratio in the models {', '.join(RATIOS)}, not "
            f"in {model.name!r}; fit.effects() says how much the mean changes, in any model"
        )
    return RATIOS[model.name]


def ratios(study: Study, model: LabelModel, terms: Terms, table: Table, title: str) -> Tabular:
    """Of every coefficient but the intercepts."""
    name = ratio_of(model)
    kept = [not is_intercept(study, first) for first in terms.firsts]
    with np.errstate(over="ignore"):  # beyond all numbers is as good as infinite
        numbers = {
            "ratio": np.exp(table.estimate[kept]),
            "low": np.exp(table.low[kept]),
            "high": np.exp(table.high[kept]),
            "p": table.p[kept],
        }
    columns = (
        Column("name", "coefficient"),
        Column("ratio", name, ".5g"),
        Column("low", f"{100 * table.level:g}% interval", until="high"),
        Column("p", "p", ".2g"),
    )
    names = [one for one, so in zip(terms.names, kept, strict=True) if so]
    return Tabular(title, columns, entries(names, numbers), (_meaning(study, name),))


def _meaning(study: Study, name: str) -> str:
    of = "mean" if name == "rate ratio" else "odds"
    against = f" of a class against {study.label.classes[0]}" if len(study.label.groups) > 1 else ""
    return (
        f"One unit more, yes instead of no, or a level instead of the baseline multiplies the {of} "
        f"of {study.label.column}{against} by the {name}; 1 is no effect."
    )
