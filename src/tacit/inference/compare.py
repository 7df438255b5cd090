"""Two tallies compared: differences of coefficients of one name, and all of them at once.

The people of the two are different, so their errors are independent. Their public rows may be the
same; then what a row adds to the one error is taken off the other before it is squared.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.inference.chi_square import Test, chi_square
from tacit.inference.estimated import Estimated, entries, heads
from tacit.inference.influence import Influence
from tacit.inference.likelihood import Likelihood
from tacit.inference.summary import many
from tacit.inference.tabular import Column, Tabular

if TYPE_CHECKING:
    from tacit.inference.result import Fit

_SAME = 1e-6  # of a column's spread: rounding on the way to z and back

SAME_ROWS = "The two share their public rows; what these add to both errors cancels."
OWN_ROWS = "The two have public rows of their own, which are taken as independent."
PEOPLE = "Assumed: nobody reported to both."


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """Differences of coefficients, and the chi-square test that all of them are zero."""

    joint: Test = field(kw_only=True)


def compare(first: "Fit", second: "Fit", *, level: float = 0.95) -> Comparison:
    """First less second, for every coefficient that both have under one name.

    Standard errors are those of the curvature, with a prior flat in what is compared.
    """
    names = _shared_names(first, second)
    one, other = _Side.of(first, names), _Side.of(second, names)
    same = _same_rows(one.likelihood, other.likelihood)
    # one by one: the estimates of the tables
    left, right = (_estimates(fit, names, level) for fit in (first, second))
    variances = [_difference(one, other, [row], same)[1][0, 0] for row in range(len(names))]
    found = Estimated(names, left - right, np.sqrt(variances))
    # all at once
    distance, covariance = _difference(one, other, list(range(len(names))), same)
    statistic = float(distance @ np.linalg.solve(covariance, distance))
    joint = chi_square(statistic, len(names), "all differences are zero")
    return Comparison(
        title=f"{first.title()}\nless {second.title()}",
        columns=(
            Column("name", "coefficient"),
            Column("first", "first", ".5g"),
            Column("second", "second", ".5g"),
            Column("estimate", "difference", ".5g"),
            *heads(level)[1:],
        ),
        entries=entries(names, {"first": left, "second": right, **found.numbers(level)}),
        notes=(
            f"{joint}.",
            SAME_ROWS if same else OWN_ROWS,
            PEOPLE,
            many("differences", len(names), level),
        ),
        joint=joint,
    )


@dataclass(frozen=True)
class _Side:
    """One of the fits, with the rows from its weights to the coefficients compared."""

    likelihood: Likelihood
    influence: Influence
    rows: Floats

    @classmethod
    def of(cls, fit: "Fit", names: tuple[str, ...]) -> "_Side":
        likelihood = fit.asking("a comparison")
        rows = likelihood.term_rows[[fit.names.index(name) for name in names]]
        return cls(likelihood, Influence.of(fit.surface), rows)


def _difference(one: _Side, other: _Side, which: list[int], same: bool) -> tuple[Floats, Floats]:
    """Of these coefficients, with its covariance, under priors that are flat in them."""
    rows = one.rows[which], other.rows[which]
    flat = one.influence.flat_in(rows[0]), other.influence.flat_in(rows[1])
    distance = rows[0] @ flat[0].weights - rows[1] @ flat[1].weights
    covariance = flat[0].without_public(rows[0]) + flat[1].without_public(rows[1])
    pushed = flat[0].pushed(rows[0]), flat[1].pushed(rows[1])
    for part in [pushed[0] - pushed[1]] if same else pushed:
        covariance = covariance + part.T @ part
    return distance, covariance


def _estimates(fit: "Fit", names: tuple[str, ...], level: float) -> Floats:
    return np.asarray(fit.table(level).estimate[[fit.names.index(name) for name in names]])


def _shared_names(first: "Fit", second: "Fit") -> tuple[str, ...]:
    """In the order of the first; refuses what cannot be compared."""
    if first.model.name != second.model.name:
        raise ConfigurationError(
            f"coefficients of a {first.model.name} and of a {second.model.name} model measure "
            "different things; fit both tallies with the same family"
        )
    one, other = first.asking("a comparison"), second.asking("a comparison")
    same_study = first.study.id == second.study.id
    if same_study and np.array_equal(one.observed.mean, other.observed.mean):
        raise ConfigurationError(
            "both fits are of the same tally, so their errors are not independent; to compare a "
            "model with a smaller one use fit.submodel(...).left_out"
        )
    names = tuple(name for name in first.names if name in second.names)
    if not names:
        raise ConfigurationError(
            f"the fits have no coefficient of one name: {', '.join(first.names)} against "
            f"{', '.join(second.names)}"
        )
    return names


def _same_rows(one: Likelihood, other: Likelihood) -> bool:
    """Whether the public rows agree, row by row, in every column that both studies use."""
    left, right = _columns(one), _columns(other)
    shared = sorted(left.keys() & right.keys())
    return bool(shared) and all(_agree(left[name], right[name]) for name in shared)


def _columns(likelihood: Likelihood) -> dict[str, Floats]:
    """The design columns of the public rows, from z."""
    transform, z = likelihood.study.transform, likelihood.design.z
    columns = np.linalg.solve(transform.to_original.T, z.T)
    found = dict(zip(transform.names, columns, strict=True))
    return {name: found[name] for name in transform.columns}


def _agree(left: Floats, right: Floats) -> bool:
    return left.shape == right.shape and bool(
        np.abs(left - right).max() <= _SAME * (np.abs(left).max() + np.ptp(left))
    )
