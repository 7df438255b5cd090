"""How answers become z: columns of features, centred, rotated and scaled as the study says."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tacit.answers import Column, Flags, is_missing, look_up, numbers
from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.limits import LARGEST, SMALLEST, within_limits
from tacit.study.rows import Columns
from tacit.study.schema import OTHER, WILD, Feature

if TYPE_CHECKING:
    from tacit.study.study import Study

INTERCEPT = "intercept"
INTERCEPT_SHARE = 0.1  # of the squared length of z, on average over the public rows
_WHOLE = 1e-4  # by which rounding may change the sum of all parts

_TRUTH = dict.fromkeys(("1", "true", "yes", "y"), 1.0) | dict.fromkeys(
    ("0", "false", "no", "n"), 0.0
)
_CHUNK = 8192


class Transform(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """z = (sqrt(0.1), matrix (x - center)): what a device computes from its columns.

    `spectrum` holds the variances of the principal components, `shares` their parts of the
    squared length of z, `tilts` directions among them that have a part of their own, each as long
    as its root. Without an intercept nothing is centred and the first entry is absent.
    """

    columns: tuple[str, ...]
    center: tuple[float, ...]
    matrix: tuple[tuple[float, ...], ...]
    spectrum: tuple[float, ...]
    shares: tuple[float, ...]
    tilts: tuple[tuple[float, ...], ...]
    intercept: bool

    @property
    def dimension(self) -> int:
        """p: the length of z."""
        return len(self.matrix) + self.intercept

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coefficients in the units of the features."""
        return (INTERCEPT, *self.columns) if self.intercept else self.columns

    def encode(self, design: Floats) -> Floats:
        """z (n, p) of a design matrix (n, q) of the kept columns."""
        z = np.empty((len(design), self.dimension))
        z[:, : self.intercept] = math.sqrt(INTERCEPT_SHARE)
        np.matmul(design - self.centers, self.loadings.T, out=z[:, int(self.intercept) :])
        return z

    @cached_property
    def to_original(self) -> Floats:
        """L with coefficients = L w, in the order of `names`; w are the coefficients of z."""
        slopes = self.loadings.T
        if not self.intercept:
            return slopes
        back = np.zeros((len(self.columns) + 1, self.dimension))
        back[0, 0] = math.sqrt(INTERCEPT_SHARE)
        back[1:, 1:] = slopes
        back[0, 1:] = -self.centers @ slopes
        return back

    @cached_property
    def mixing(self) -> Floats:
        """M (p, p) with z = M (1, e), where e are the public components of unit variance.

        Coefficients w of z are coefficients M'w of the components.
        """
        first = int(self.intercept)
        mixed = np.zeros((self.dimension, self.dimension))
        mixed[:first, :first] = math.sqrt(INTERCEPT_SHARE)
        mixed[first:, first:] = mixing_of(self.shares, self.tilts)
        return _frozen(mixed)

    @cached_property
    def centers(self) -> Floats:
        """`center` as an array (q,)."""
        return _frozen(np.array(self.center, dtype=np.float64))

    @cached_property
    def loadings(self) -> Floats:
        """`matrix` as an array (q, q)."""
        rows = np.array(self.matrix, dtype=np.float64)
        return _frozen(rows.reshape(len(self.matrix), len(self.columns)))

    def check(self) -> None:
        """Refuse parts that do not fit together; a hand-made file can hold anything."""
        q = len(self.columns)
        shapes = [len(self.center), len(self.matrix), len(self.spectrum), len(self.shares)]
        if shapes != [q] * 4 or any(len(row) != q for row in (*self.matrix, *self.tilts)):
            raise ConfigurationError(f"the parts of the transform do not fit {q} columns")
        if len(set(self.names)) < len(self.names):
            raise ConfigurationError(f"columns of the transform must differ, got {self.names}")
        if q + self.intercept == 0:
            raise ConfigurationError("the transform has neither columns nor an intercept")
        tilts = [number for row in self.tilts for number in row]
        numbers = (*self.center, *self.spectrum, *self.shares, *tilts, *self.loadings.ravel())
        if not within_limits(numbers) or min((*self.spectrum, *self.shares), default=1) <= 0:
            raise ConfigurationError(
                f"the numbers of the transform must be 0 or of a size from {SMALLEST:g} to "
                f"{LARGEST:g}, its variances and shares positive; change the unit of a feature"
            )
        total = (1.0 - INTERCEPT_SHARE) if self.intercept else 1.0
        parts = sum(self.shares) + sum(number**2 for number in tilts)
        if q and abs(parts - total) > _WHOLE:
            raise ConfigurationError(f"shares and squared tilts must sum to {total}, got {parts}")


def mixing_of(shares: Sequence[float], tilts: Sequence[Sequence[float]]) -> Floats:
    """A matrix M with M'M = diag(shares) + the squares of the tilts: diagonal without tilts."""
    along = np.array(tilts, dtype=np.float64).reshape(len(tilts), len(shares))
    metric = np.diag(np.array(shares, dtype=np.float64)) + along.T @ along
    return np.asarray(np.linalg.cholesky(metric).T)


def _frozen(array: Floats) -> Floats:
    array.flags.writeable = False
    return array


def encode(study: "Study", table: Columns, count: int, seen: Any = None) -> Floats:
    """z (count, p), in chunks that stay in the cache; one record takes the same path.

    `seen` is a hash that is shown the design columns.
    """
    z = np.empty((count, study.transform.dimension))
    for start in range(0, count, _CHUNK):
        rows = slice(start, start + _CHUNK)
        part = {name: values[rows] for name, values in table.items()}
        kept = kept_columns(study, part, len(z[rows]))
        z[rows] = study.transform.encode(kept)
        if seen is not None:
            seen.update(as_bytes(kept))
    return z


def as_bytes(columns: Floats) -> memoryview:
    """Design columns as a fingerprint sees them, row by row."""
    return np.ascontiguousarray(columns, dtype="<f8").data


def kept_columns(study: "Study", table: Columns, count: int) -> Floats:
    """The design columns (count, q) that the transform keeps."""
    full = design(study.features, table, count)
    return full if study.kept is None else full[:, study.kept]


def columns_of(feature: Feature, values: Column) -> tuple[Floats, Flags]:
    """Design columns (n, k) of a column of answers, and which answers were replaced."""
    if feature.kind == "categorical":
        columns, replaced, flagged = _level_columns(feature, values)
    else:
        number, sane = truth(values) if feature.kind == "binary" else _number(feature, values)
        replaced = flagged = ~sane
        columns = np.where(sane, number, feature.fill)[:, None]
    if feature.indicator:
        columns = np.concatenate([columns, flagged[:, None]], axis=1, dtype=np.float64)
    return columns, replaced


def design(features: Sequence[Feature], table: Columns, count: int) -> Floats:
    """Design matrix (count, k) of all features."""
    parts = [columns_of(feature, table[feature.name])[0] for feature in features]
    width = sum(part.shape[1] for part in parts)
    matrix = np.empty((count, width), order="F")  # columns in one piece
    return np.concatenate(parts, axis=1, out=matrix) if parts else matrix


def truth(values: Column) -> tuple[Floats, Flags]:
    """1 for yes and 0 for no, and which values are one of them."""
    if values.dtype.kind in "biuf":
        number = numbers(values)
    else:
        number = look_up(values, _TRUTH, math.nan, fold=True)
    return number, (number == 0.0) | (number == 1.0)


def _number(feature: Feature, values: Column) -> tuple[Floats, Flags]:
    """Numbers, and which are neither missing nor infinite nor wild (no sum can overflow)."""
    number = numbers(values)
    reach = WILD * feature.spread
    return number, (number >= feature.fill - reach) & (number <= feature.fill + reach)


def _level_columns(feature: Feature, values: Column) -> tuple[Floats, Flags, Flags]:
    """A 0/1 column for each level but the first. An unknown one is "other", else the baseline."""
    missing = is_missing(values)
    place = {level: float(index) for index, level in enumerate(feature.levels)}
    index = look_up(values, place, -1.0)
    index[missing] = -1.0
    replaced = index < 0
    index[replaced] = place.get(OTHER, 0.0)
    index[missing] = 0.0
    found = (index[:, None] == np.arange(1, len(feature.levels))).astype(np.float64)
    return found, replaced, missing
