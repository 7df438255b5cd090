"""scikit-learn faces: one process plays all parties and the trainer."""

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.papers.common import Calibration, Range, check_labels, check_range, check_whole
from tacit.papers.faces import NoisyRegressor, further_rows, generator_of, rows_and_labels
from tacit.papers.mixing.agreement import Agreement, Budget, mixed_rows
from tacit.papers.mixing.mix import SEED_BYTES, Construction, Mixing
from tacit.papers.mixing.round import PartyRound, held_by
from tacit.papers.mixing.server import RIDGE, moments, ols, solve
from tacit.protocol import simulate


class _Linear(NoisyRegressor):
    """A linear prediction without intercept, as in the paper."""

    def predict(self, X: ArrayLike) -> Floats:
        """<x, w> of each row."""
        return np.asarray(further_rows(self, X) @ self.coef_)


@dataclass(eq=False, repr=False, kw_only=True)
class OLS(_Linear):
    """Least squares on the raw columns: what the private answers are measured against."""

    ridge: float = RIDGE

    def fit(self, X: ArrayLike, y: ArrayLike) -> "OLS":
        """Solve on the data. Nothing is private here, so there is no `guarantee_`."""
        D = np.column_stack(rows_and_labels(self, X, y))
        self.coef_, self.intercept_ = ols(D, ridge=self.ridge), 0.0
        return self


@dataclass(eq=False, repr=False)
class _Released(_Linear):
    """Plays the release of every party and trains on it.

    `parties` is their number (columns are dealt out evenly, in order) or the number of columns of
    each; the label is the last column of the last party. `feature_range` is one (low, high) or one
    per feature: values beyond are clipped. `guarantee_` is that of all releases of one person,
    `party_guarantees_` those of each party by itself.
    """

    epsilon: float = 1.0
    _: KW_ONLY
    delta: float = 1e-6
    parties: int | Sequence[int] = 2
    feature_range: Range | Sequence[Range] = (-1.0, 1.0)
    label_range: Range = (-1.0, 1.0)
    budget: Budget = "person"
    calibration: Calibration = "exact"
    ridge: float = RIDGE
    random_state: Any = None

    _debias: ClassVar[bool] = False

    def fit(self, X: ArrayLike, y: ArrayLike) -> "_Released":
        """Release every party's columns and train on what was released."""
        D = np.column_stack(rows_and_labels(self, X, y))
        generator = generator_of(self.random_state)
        agreement = self._mixed(self._agreement(len(D), D.shape[1] - 1), generator)
        low, high = agreement.ranges[-1][-1]
        check_labels(D[:, -1], low, high, "correct the rows or label_range")
        parties = np.split(D, np.cumsum(agreement.sizes)[:-1], axis=1)
        D_pub = simulate(PartyRound(agreement), held_by(parties), generator)
        self.agreement_ = agreement
        self.moments_ = moments(agreement, D_pub, debias=self._debias)
        self.coef_, self.intercept_ = solve(self.moments_, -1, self.ridge), 0.0
        self.guarantee_ = agreement.guarantee(simulated=True)
        self.party_guarantees_ = tuple(
            agreement.party_guarantee(j, simulated=True) for j in range(len(agreement.ranges))
        )
        return self

    def _mixed(self, agreement: Agreement, generator: np.random.Generator) -> Agreement:
        """DGM and BGM mix nothing."""
        return agreement

    def _agreement(self, people: int, features: int) -> Agreement:
        label = check_range("label_range", self.label_range)
        ranges = [*_feature_ranges(self.feature_range, features), label]
        dealt, start = [], 0
        for size in _sizes(self.parties, features + 1):
            dealt.append(tuple(ranges[start : start + size]))
            start += size
        return Agreement(
            tuple(dealt), people, self.epsilon, self.delta, self.calibration, self.budget
        )


class BGM(_Released):
    """The baseline: noisy columns, plain least squares. Its bias never vanishes."""


class DGM(_Released):
    """Algorithm 1 (DGM-OLS): noisy columns, the known noise subtracted from the Gram matrix.

    `moments_` can have small or negative eigenvalues, and the answer is then far off.
    """

    _debias = True


@dataclass(eq=False, repr=False, kw_only=True)
class RMGM(_Released):
    """Algorithm 2 (RMGM-OLS): noisy random mixtures of people, plain least squares.

    `rows` is k; None takes it from n, d and epsilon by formula. `construction` is how B is made:
    "signs" as printed, or "hadamard", faster for many rows.
    """

    rows: int | None = None
    construction: Construction = "signs"

    def _mixed(self, agreement: Agreement, generator: np.random.Generator) -> Agreement:
        rows = mixed_rows(agreement) if self.rows is None else self.rows
        return replace(
            agreement, mixing=Mixing(generator.bytes(SEED_BYTES), rows, self.construction)
        )


def _feature_ranges(stated: Range | Sequence[Range], features: int) -> list[Range]:
    shape = np.shape(stated)
    if shape not in ((2,), (features, 2)):
        raise ConfigurationError(
            f"feature_range must be one (low, high) or one for each of {features} features, "
            f"got feature_range={stated!r}"
        )
    pairs = np.broadcast_to(np.asarray(stated, dtype=np.float64), (features, 2))
    return [check_range("feature_range", (low, high)) for low, high in pairs]


def _sizes(parties: int | Sequence[int], columns: int) -> list[int]:
    """How many columns each party holds."""
    if isinstance(parties, int | np.integer):
        count = check_whole("parties", parties, 2, columns)
        return [math.ceil((columns - j) / count) for j in range(count)]
    sizes = list(parties)
    if len(sizes) < 2 or min(sizes) < 1 or sum(sizes) != columns:
        raise ConfigurationError(
            f"parties must be at least two sizes that add up to the {columns} columns (the label "
            f"is one, in the last party), got parties={parties!r}"
        )
    return sizes
