"""The public geometry: standardise, weigh, rotate to principal components, shape for a purpose.

Made from public rows alone. What is published is exactly what is used: every number is rounded
before it is used anywhere.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats
from tacit.errors import PublicRowsError
from tacit.limits import ROTATED_DIGITS, SMALLEST, significant
from tacit.study.components import MOST_ROWS, Components, thin
from tacit.study.public import rows_in_words, worth
from tacit.study.shares import Shape, by_need, published
from tacit.study.transform import INTERCEPT_SHARE, Transform, mixing_of

_NULL_VARIANCE = 1e-8  # of a standardised column, given the earlier ones
_ROUNDING = 1e-12  # spread of a column, relative to its size, that is rounding error
_CHUNK = 4096


def by_formula(components: Components) -> Shape:
    """Without regard to what the columns are."""
    return Shape(published(by_need(components.spectrum, components.room), components.room))


def make_transform(
    names: Sequence[str],
    design: Floats,
    intercept: bool,
    choose: Callable[[Components], Shape] = by_formula,
    row_shares: Floats | None = None,
) -> tuple[Transform, dict[str, str], tuple[str, ...]]:
    """The transform of public design columns, why some of them were dropped, and notes.

    `row_shares` (m,) say what each row counts in every mean; equal if not given.
    """
    if len(design) == 0:
        raise PublicRowsError("there are no public rows; a study needs more rows than columns")
    if row_shares is None:
        row_shares = np.full(len(design), 1.0 / len(design))
    center, scale, constant = _moments(design, row_shares, intercept)
    dropped = {names[j]: "constant" if intercept else "always zero" for j in constant}
    varying = np.setdiff1d(np.arange(len(names)), constant)
    if worth(row_shares) <= len(varying):
        raise PublicRowsError(
            f"a study needs more public rows than columns, got "
            f"{rows_in_words(len(design), worth(row_shares))} and {len(varying)} columns; "
            "add public rows or leave features out"
        )
    correlation = _correlation(design, row_shares, center, scale, varying)
    independent = _independent(correlation)
    kept = varying[independent]
    for j in np.setdiff1d(varying, kept):
        dropped[names[j]] = "collinear with earlier columns"
    if len(kept) == 0 and not intercept:
        raise PublicRowsError(
            "no column of the public rows varies, and there is no intercept: nothing to fit; "
            "add features or use intercept=True"
        )
    weight = _weights(design[:, kept], scale[kept])
    weighted = correlation[np.ix_(independent, independent)] * np.outer(weight, weight)
    spectrum, loadings = _rotate(weighted)
    rotation = loadings / np.sqrt(spectrum)[:, None] * weight
    standard = _Standard(tuple(names[j] for j in kept), kept, center[kept], scale[kept])
    shape = choose(
        _components(design, row_shares, standard, rotation, spectrum=spectrum, intercept=intercept)
    )
    transform = Transform(
        columns=standard.columns,
        center=tuple(map(significant, standard.center, standard.scale)),
        matrix=_matrix(mixing_of(shape.shares, shape.tilts) @ rotation, standard.scale),
        spectrum=tuple(significant(variance, digits=ROTATED_DIGITS) for variance in spectrum),
        shares=shape.shares,
        tilts=shape.tilts,
        intercept=intercept,
    )
    return transform, dropped, shape.notes


@dataclass(frozen=True)
class _Standard:
    """Which columns are kept, and how they become standardised ones."""

    columns: tuple[str, ...]
    kept: NDArray[np.intp]
    center: Floats
    scale: Floats

    def of(self, design: Floats) -> Floats:
        return np.asarray((design[:, self.kept] - self.center) / self.scale)


def _components(
    design: Floats,
    row_shares: Floats,
    standard: _Standard,
    rotation: Floats,
    *,
    spectrum: Floats,
    intercept: bool,
) -> Components:
    """The rows that a purpose is weighed on, as components."""
    first, squares = int(intercept), np.empty(len(design))
    for start in range(0, len(design), _CHUNK):
        part = slice(start, start + _CHUNK)
        squares[part] = first + ((standard.of(design[part]) @ rotation.T) ** 2).sum(axis=1)
    kept, share = thin(squares, row_shares, MOST_ROWS, len(rotation) + first)
    rows = standard.of(design[kept]) @ rotation.T
    return Components(
        columns=standard.columns,
        rows=np.column_stack([np.ones((len(rows), first)), rows]),
        share=share,
        coefficients=np.column_stack([np.zeros((len(rotation), first)), rotation.T]),
        spectrum=spectrum,
        held=np.full(first, INTERCEPT_SHARE),
    )


def _matrix(matrix: Floats, scale: Floats) -> tuple[tuple[float, ...], ...]:
    """For columns as they are; each entry is rounded in the unit of its column."""
    rows = (
        [significant(x, 1.0 / unit, ROTATED_DIGITS) for x, unit in zip(row, scale, strict=True)]
        for row in matrix / scale
    )
    return tuple(tuple(x + 0.0 if abs(x) >= SMALLEST else 0.0 for x in row) for row in rows)


def _moments(
    design: Floats, row_shares: Floats, intercept: bool
) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Centre and scale of each column, and the columns that carry nothing."""
    size = np.maximum(np.abs(design.max(axis=0)), np.abs(design.min(axis=0)))
    center = np.zeros(design.shape[1])
    if intercept:  # around the first row, so that a large offset costs no digits
        away = (share @ (part - design[0]) for part, share in _chunks(design, row_shares))
        center = design[0] + sum(away)
    squares = (share @ (part - center) ** 2 for part, share in _chunks(design, row_shares))
    scale = np.sqrt(sum(squares))
    return center, scale, np.flatnonzero(scale <= _ROUNDING * size)


def _chunks(design: Floats, row_shares: Floats) -> Iterator[tuple[Floats, Floats]]:
    """A few thousand rows at a time, so that no second matrix of that size is ever made."""
    parts = (slice(start, start + _CHUNK) for start in range(0, len(design), _CHUNK))
    return ((design[part], row_shares[part]) for part in parts)


def _correlation(
    design: Floats, row_shares: Floats, center: Floats, scale: Floats, columns: NDArray[np.intp]
) -> Floats:
    """Second moments of the standardised columns."""
    total = np.zeros((len(columns), len(columns)))
    for part, share in _chunks(design, row_shares):
        standard = (part[:, columns] - center[columns]) / scale[columns]
        standard *= np.sqrt(share)[:, None]
        total += standard.T @ standard
    return total


def _independent(correlation: Floats) -> NDArray[np.intp]:
    """Columns with variance of their own given the earlier kept ones: a Cholesky that skips."""
    factor = np.zeros_like(correlation)
    remaining = np.diag(correlation).copy()
    kept: list[int] = []
    for j in range(len(correlation)):
        if remaining[j] < _NULL_VARIANCE:
            continue
        done = len(kept)
        own = correlation[:, j] - factor[:, :done] @ factor[j, :done]
        factor[:, done] = own / math.sqrt(remaining[j])
        remaining -= factor[:, done] ** 2
        kept.append(j)
    return np.array(kept, dtype=np.intp)


def _weights(design: Floats, scale: Floats) -> Floats:
    """Spread each column is given: a half for numbers, less for the rarer 0/1 columns.

    A rare level, standardised, would weigh as much as a number that concerns everybody; left as
    it is, hardly anything. The root lies between, and is a half for levels of every second row.
    """
    zero_one = ((design == 0.0) | (design == 1.0)).all(axis=0)
    return np.where(zero_one, np.sqrt(scale / 2.0), 0.5)


def _rotate(moments: Floats) -> tuple[Floats, Floats]:
    """Variances in descending order, loadings as rows."""
    variances, vectors = np.linalg.eigh(moments)
    spectrum, loadings = variances[::-1], vectors[:, ::-1].T
    largest = np.argmax(np.abs(loadings).round(8), axis=1) if len(loadings) else []
    loadings = loadings * np.sign(loadings[np.arange(len(loadings)), largest])[:, None]
    return spectrum, loadings
