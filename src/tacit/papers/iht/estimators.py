"""The estimators with scikit-learn's face: every row plays one device."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tacit.arrays import Floats
from tacit.models import Family
from tacit.papers.common import (
    Allowance,
    Calibration,
    check_labels,
    check_positive,
    check_whole,
)
from tacit.papers.faces import NoisyRegressor, further_rows, generator_of, rows_and_labels
from tacit.papers.iht.problem import Problem, noise_level, truncate
from tacit.papers.iht.round import (
    GradientRound,
    LabelMechanism,
    LabelRound,
    ProductRound,
    Randomizer,
    chosen_mechanism,
    sphere_for,
)
from tacit.papers.iht.server import LARGEST_ROUNDS, descend, lasso
from tacit.privacy.gaussian import GaussianMechanism
from tacit.privacy.guarantee import Guarantee
from tacit.protocol import simulate, simulated

OneShotMechanism = Literal["sphere", "duchi", "gaussian"]
_PROTECTS = "the label of every person, and nothing else: features are public"
_ONE_ROUND = "groups are disjoint: a person answers in one round only, with one report"


@dataclass(eq=False, repr=False)
class _SparseRegressor(NoisyRegressor):
    """A regressor without intercept whose `problem_` says how labels are measured."""

    epsilon: float = 1.0
    _: KW_ONLY
    sparsity: int = 1
    radius: float = 1.0
    noise_bound: float = 1.0
    calibration: Calibration = "exact"
    random_state: Any = None

    def predict(self, X: ArrayLike) -> Floats:
        """The mean label of each row."""
        rows = further_rows(self, X)
        return self.problem_.family.predicted(rows @ self.coef_)

    def _records(self, X: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
        """Rows and labels as numbers; the problem they pose is kept, its label range checked."""
        rows, labels = rows_and_labels(self, X, y)
        settings = {
            name: getattr(self, name)
            for name in ("keep", "radius", "noise_bound", "family")
            if hasattr(self, name)
        }
        self.problem_ = Problem.of(rows.shape[1], self.sparsity, **settings)
        bound = self.problem_.label_bound
        advice = (
            f"sparsity={self.sparsity}, radius={self.radius:g} and noise_bound="
            f"{self.noise_bound:g} state that range; scale the labels or state a larger noise_bound"
        )
        check_labels(labels, -bound, bound, advice)
        return rows, labels


@dataclass(eq=False, repr=False, kw_only=True)
class LDPIHT(_SparseRegressor):
    """Algorithm 1, whole records: T groups answer in turn, each with one gradient.

    `iterations` is T (None: log(n eps^2 / (p log p)), the order the paper proves), `sparsity` is
    s*, `keep` is s (None: s*, as in the paper's experiments; its theorem has 8 s*), `radius`
    bounds ||theta||_2, `noise_bound` is C, `family` measures (None: linear). `calibration`
    concerns the clipping radius: "exact" is the least that no record exceeds at the published
    iterate, "paper" sqrt(p)(sqrt(s) + sqrt(s*) + C). `printed=True` truncates a round late.
    Devices clip features to [-1, 1]; so does this simulation.
    """

    keep: int | None = None
    iterations: int | None = None
    step: float = 1.0
    family: Family | None = None
    randomizer: Randomizer = "sphere"
    printed: bool = False

    def fit(self, X: ArrayLike, y: ArrayLike) -> "LDPIHT":
        """Send the rows, in their order, through simulated devices in T groups."""
        rows, labels = self._records(X, y)
        step = check_positive("step", self.step)
        sphere = sphere_for(self.randomizer, rows.shape[1], self.epsilon)
        self.n_iter_ = self._rounds(*rows.shape)
        self.protocol_ = GradientRound.first(
            self.problem_,
            sphere,
            self.calibration,
            iterations=self.n_iter_,
            step=step,
            printed=self.printed,
        )
        self.coef_ = simulate(self.protocol_, (rows, labels), generator_of(self.random_state))
        self.guarantee_ = Guarantee(float(self.epsilon), simulated=True, notes=(_ONE_ROUND,))
        return self

    def _rounds(self, people: int, dimension: int) -> int:
        if self.iterations is not None:
            return check_whole("iterations", self.iterations, 1, people)
        signal = people * self.epsilon**2 / (dimension * math.log(max(dimension, 2)))
        return min(people, max(1, math.ceil(math.log(signal)))) if signal > 0 else 1


@dataclass(eq=False, repr=False, kw_only=True)
class OneShotSparse(_SparseRegressor):
    """Theorem 1: one report each, the mean of x y, truncated; Algorithm 1 with T = 1 and step 1.

    `mechanism`: "sphere" (None means it), "duchi" (both eps-private), or "gaussian", as in the
    theorem ("paper" calibration means it). `threshold=True` also drops what noise alone would
    explain (`level_`). `mean_` is the untruncated estimate with standard deviation `deviation_`
    (at most) in each coordinate. Other parameters as in LDPIHT.
    """

    delta: float = 1e-6
    keep: int | None = None
    mechanism: OneShotMechanism | None = None
    threshold: bool = True

    def fit(self, X: ArrayLike, y: ArrayLike) -> "OneShotSparse":
        """Send every row through a simulated device, and truncate the mean."""
        rows, labels = self._records(X, y)
        generator = generator_of(self.random_state)
        name = chosen_mechanism(self.mechanism, self.calibration, ("sphere", "duchi"))
        collect = self._gaussian if name == "gaussian" else self._sphere
        collect(name, (rows, labels), generator)
        self.level_ = noise_level(self.deviation_, 1, len(self.mean_)) if self.threshold else 0.0
        kept = truncate(self.mean_, self.problem_.keep, self.level_)
        self.coef_ = self.problem_.project(kept)
        return self

    def _sphere(
        self, name: str, records: tuple[Floats, Floats], generator: np.random.Generator
    ) -> None:
        problem = self.problem_
        first = GradientRound.first(problem, sphere_for(name, problem.dimension, self.epsilon))
        people = len(records[0])
        # at theta = 0 the gradient is -x y
        self.mean_ = -first.gradient(simulated(first, records, generator), people)
        # a scaled report has E|U/mu|^2 = R^2/mu^2, spread evenly over features of one size
        self.deviation_ = problem.label_bound / first.mechanism.mean_length / math.sqrt(people)
        self.guarantee_ = Guarantee(float(self.epsilon), simulated=True)

    def _gaussian(
        self, name: str, records: tuple[Floats, Floats], generator: np.random.Generator
    ) -> None:
        allowance = Allowance(self.epsilon, self.delta, self.calibration)
        only = ProductRound.of(self.problem_, allowance)
        self.mean_ = simulate(only, records, generator)
        noise, people = only.mechanism, len(records[0])
        self.deviation_ = math.hypot(noise.sigma, self.problem_.label_bound) / math.sqrt(people)
        self.guarantee_ = allowance.achieved(noise.curve, simulated=True)


@dataclass(eq=False, repr=False, kw_only=True)
class _LabelRegressor(_SparseRegressor):
    """Collects private labels, and says what is protected."""

    delta: float = 1e-6
    mechanism: LabelMechanism | None = None

    def _private_labels(self, labels: Floats) -> Floats:
        allowance = Allowance(self.epsilon, self.delta, self.calibration)
        self.protocol_ = LabelRound.of(self.problem_.label_bound, allowance, self.mechanism)
        fields: dict[str, Any] = {"simulated": True, "protects": _PROTECTS}
        noise = self.protocol_.mechanism
        if isinstance(noise, GaussianMechanism):
            self.guarantee_ = allowance.achieved(noise.curve, **fields)
        else:
            self.guarantee_ = Guarantee(float(self.epsilon), **fields)
        # of a private label around its mean: the noise added, and at most C of its own
        self.deviation_ = math.hypot(math.sqrt(self.protocol_.variance), self.noise_bound)
        return np.asarray(simulate(self.protocol_, (labels,), generator_of(self.random_state)))


@dataclass(eq=False, repr=False, kw_only=True)
class LabelLDPIHT(_LabelRegressor):
    """Iterative hard thresholding on private labels.

    `mechanism`: "best" eps-private one (None means it), "two-point", "piecewise", "staircase",
    or "gaussian", as printed ("paper" calibration means it; only this one uses `delta`).
    `iterations` is T (None: log(n/p), as in the paper's experiments); `threshold=True` drops
    what noise alone would explain, for linear measurements of features of size 1.
    Other parameters as in LDPIHT. `deviation_` is the known deviation of a private label.
    """

    keep: int | None = None
    iterations: int | None = None
    step: float = 1.0
    family: Family | None = None
    threshold: bool = False

    def fit(self, X: ArrayLike, y: ArrayLike) -> "LabelLDPIHT":
        """Send every label through a simulated device, and descend on the public rows."""
        rows, labels = self._records(X, y)
        step = check_positive("step", self.step)
        self.n_iter_ = self._rounds(*rows.shape)
        private = self._private_labels(labels)
        theta = descend(self.problem_, rows, private, step, self.n_iter_)
        if self.threshold:
            level = noise_level(self.deviation_, *rows.shape)
            theta = truncate(theta, self.problem_.keep, level)
        self.coef_ = theta
        return self

    def _rounds(self, people: int, dimension: int) -> int:
        if self.iterations is not None:
            return check_whole("iterations", self.iterations, 1, LARGEST_ROUNDS)
        return max(1, math.ceil(math.log(people / dimension)))


@dataclass(eq=False, repr=False, kw_only=True)
class LabelLasso(_LabelRegressor):
    """The Lasso on private labels, its penalty set by the known noise.

    `penalty` is lambda (None: deviation_ sqrt(2 log(p) / n), the least that noise alone does not
    exceed). `sparsity`, `radius` and `noise_bound` state the range of the labels; no coefficient
    is cut by them. `refit=True` fits the columns that were chosen again, without penalty.
    """

    penalty: float | None = None
    refit: bool = False

    def fit(self, X: ArrayLike, y: ArrayLike) -> "LabelLasso":
        """Send every label through a simulated device, and run the Lasso on the public rows."""
        rows, labels = self._records(X, y)
        if self.penalty is not None:
            check_positive("penalty", self.penalty)
        private = self._private_labels(labels)
        self.penalty_ = self.penalty or noise_level(self.deviation_, *rows.shape)
        gram, moment = rows.T @ rows / len(rows), rows.T @ private / len(rows)
        theta = lasso(gram, moment, self.penalty_)
        chosen = np.flatnonzero(theta)
        if self.refit and len(chosen):
            square = gram[np.ix_(chosen, chosen)]
            theta[chosen] = np.linalg.lstsq(square, moment[chosen], rcond=None)[0]
        self.coef_ = theta
        return self
