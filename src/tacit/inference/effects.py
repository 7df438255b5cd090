"""Average marginal effects and mean predictions, with errors of the tally and the public rows.

An effect is how much the predicted value changes, on average over the public rows: where a column
goes from 0 to 1, where a level takes the place of the baseline, per unit of a number.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tacit.arrays import Floats
from tacit.inference.estimated import Estimated
from tacit.inference.influence import Influence
from tacit.inference.likelihood import Likelihood
from tacit.inference.names import Named, everything, joined_name
from tacit.inference.predicted import Predicted, predicted_names
from tacit.inference.profile import Surface
from tacit.inference.public_means import shares

_STEP = 1e-3  # public standard deviations, for the derivative of a number


class Move(NamedTuple):
    """A change of one column: from 0 to 1, with its siblings at 0, or a `step` both ways."""

    name: str
    place: int
    siblings: tuple[int, ...] = ()
    step: float = 0.0

    def ends(self, z: Floats, columns: Floats, back: Floats) -> tuple[Floats, Floats]:
        """Encoded rows before and after; `back` are the rows of z per unit of each column."""
        if self.step:
            change = self.step * back[self.place]
            return z - change, z + change
        siblings = list(self.siblings)
        cleared = z - columns[:, siblings] @ back[siblings]
        return cleared, cleared + back[self.place]


def average_effects(surface: Surface, likelihood: Likelihood) -> Estimated:
    """One line for each prediction and column that the model has."""
    influence, design = Influence.of(surface), likelihood.design
    back = likelihood.study.transform.to_original
    columns = np.asarray(np.linalg.solve(back.T, design.z.T).T)
    share, shown = shares(design), predicted_names(likelihood.study)
    names, values, errors = [], [], []
    for move in moves(likelihood):
        before, after = (
            Predicted.of(likelihood, surface.mode, z) for z in move.ends(design.z, columns, back)
        )
        per = 2.0 * move.step or 1.0
        own = (after.values - before.values) / per
        rows = (after.gradient(likelihood, share) - before.gradient(likelihood, share)) / per
        names += [f"{one}: {move.name}" if len(shown) > 1 else move.name for one in shown]
        values.append(share @ own)
        errors.append(np.sqrt(np.diag(influence.of_means(rows, own))))
    return Estimated(tuple(names), np.concatenate(values), np.concatenate(errors))


def mean_predictions(surface: Surface, likelihood: Likelihood, given: Floats | None) -> Estimated:
    """One line for each prediction, over the public rows or over encoded rows that are given."""
    influence, design = Influence.of(surface), likelihood.design
    z, share = (design.z, shares(design)) if given is None else (given, _equal(len(given)))
    found = Predicted.of(likelihood, surface.mode, z)
    rows = found.gradient(likelihood, share)
    if given is None:
        covariance = influence.of_means(rows, found.values)
    else:
        covariance = rows @ influence.covariance @ rows.T
    names = predicted_names(likelihood.study)
    return Estimated(names, share @ found.values, np.sqrt(np.diag(covariance)))


def hardly_told(surface: Surface, likelihood: Likelihood) -> list[str]:
    """Coefficients of which the reports say less than the prior."""
    told = Influence.of(surface).told(likelihood.term_rows)
    return [name for name, share in zip(likelihood.terms.names, told, strict=True) if share < 0.5]


def _equal(count: int) -> Floats:
    return np.full(count, 1.0 / count)


def moves(likelihood: Likelihood) -> Iterator[Move]:
    """One for each column that the model has; merged levels make one."""
    study = likelihood.study
    names = study.transform.names
    columns = [one._replace(name=one.column, group="") for one in everything(study)[: len(names)]]
    spreads = {one.name: one.spread or 1.0 for one in study.features if one.kind == "numeric"}
    for members in _alike(likelihood, columns):
        first = members[0]
        place = names.index(first.column)
        if first.column in spreads:
            yield Move(first.column, place, step=_STEP * spreads[first.column])
            continue
        siblings = [
            names.index(one.column) for one in columns if one.level and one.feature == first.feature
        ]
        yield Move(joined_name(members), place, tuple(siblings) if first.level else (place,))


def _alike(likelihood: Likelihood, columns: Sequence[Named]) -> list[list[Named]]:
    """Columns that the model has; levels of a feature that share all their terms are together."""
    term_of = likelihood.terms.of_place
    groups = range(len(likelihood.study.label.groups))
    found: dict[Any, list[Named]] = {}
    for place, one in enumerate(columns):
        terms = tuple(term_of.get(place + group * len(columns)) for group in groups)
        if one.feature and any(term is not None for term in terms):
            found.setdefault((one.feature, terms) if one.level else one.column, []).append(one)
    return list(found.values())
