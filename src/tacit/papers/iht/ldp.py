"""LDPIHT: Algorithm 1, sequentially interactive, for whole records."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tacit.models import Family
from tacit.papers.common import Calibration, check_positive, check_whole, generator_of
from tacit.papers.iht.base import ROUND_NOTE, SparseRegressor
from tacit.papers.iht.rounds import Randomizer, Round, sphere_for
from tacit.privacy.guarantee import Guarantee


class LDPIHT(SparseRegressor):
    """T groups answer in turn; each answer is one gradient, eps-locally private.

    `iterations` is T (None: log(n eps^2 / (p log p)), the order the paper proves), `sparsity` is
    s*, `keep` is s (None: s*, as in the paper's experiments; its theorem has 8 s*), `radius`
    bounds ||theta||_2, `noise_bound` is C, `family` measures (None: linear). `calibration`
    concerns the clipping radius: "exact" is the least that no record exceeds at the published
    iterate, "paper" sqrt(p)(sqrt(s) + sqrt(s*) + C). `printed=True` truncates a round late.
    Devices clip features to [-1, 1]; so does this simulation.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        sparsity: int = 1,
        keep: int | None = None,
        iterations: int | None = None,
        step: float = 1.0,
        radius: float = 1.0,
        noise_bound: float = 1.0,
        family: Family | None = None,
        randomizer: Randomizer = "sphere",
        calibration: Calibration = "exact",
        printed: bool = False,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.sparsity = sparsity
        self.keep = keep
        self.iterations = iterations
        self.step = step
        self.radius = radius
        self.noise_bound = noise_bound
        self.family = family
        self.randomizer = randomizer
        self.calibration = calibration
        self.printed = printed
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> "LDPIHT":
        """Send the rows, in their order, through simulated devices in T groups."""
        rows, labels = self._records(X, y)
        step = check_positive("step", self.step)
        sphere = sphere_for(self.randomizer, rows.shape[1], self.epsilon)
        state = Round.first(self.problem_, sphere, self.calibration)
        self.n_iter_ = self._rounds(*rows.shape)
        generator = generator_of(self.random_state)
        for group in groups(len(rows), self.n_iter_):
            gradient = state.simulated_gradient(rows[group], labels[group], generator)
            state = state.after(gradient, step, printed=self.printed)
        self.round_, self.coef_ = state, state.theta
        self.guarantee_ = Guarantee(float(self.epsilon), simulated=True, notes=(ROUND_NOTE,))
        return self

    def _rounds(self, people: int, dimension: int) -> int:
        if self.iterations is not None:
            return check_whole("iterations", self.iterations, 1, people)
        signal = people * self.epsilon**2 / (dimension * math.log(max(dimension, 2)))
        return min(people, max(1, math.ceil(math.log(signal)))) if signal > 0 else 1


def groups(people: int, rounds: int) -> list[slice]:
    """S_1, ..., S_T: consecutive, floor(n/T) people each, the last one takes the rest."""
    size = people // rounds
    ends = [*(size * np.arange(1, rounds)).tolist(), people]
    return [slice(size * t, end) for t, end in enumerate(ends)]
