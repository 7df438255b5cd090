"""An attempt to refute a claimed epsilon by running the device's own code.

A pass is no proof (the proof is in `sphere.py`): it says that so many draws did not refute it.
Each check is a statement that holds for the right mechanism except with a probability below
1e-4 (trade-off: Clopper–Pearson bounds) or 1e-10 for each number compared (others: Bernstein's
inequality, which is 7 standard errors and a little more where events are rare).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tacit.errors import ConfigurationError
from tacit.privacy.entropy import Entropy, SystemEntropy
from tacit.privacy.expand import SEED_BYTES, Floats, expand
from tacit.privacy.sphere import Sphere, coin_threshold

_TAIL = 0.5e-4
_EXPONENT = 7.0**2 / 2  # of Bernstein's bound: 7 standard errors where the normal law is near
_BATCH = 32_768
_INPUTS = 6

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Check:
    """One attempt at a refutation: what was seen, what the claim allows, whether it holds."""

    name: str
    seen: str
    allowed: str
    passed: bool


@dataclass(frozen=True)
class Audit:
    """The outcome of all checks; `epsilon_seen` is a lower confidence bound of the true epsilon."""

    epsilon: float
    epsilon_seen: float
    draws: int
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing refuted the claim."""
        return all(check.passed for check in self.checks)

    def __str__(self) -> str:
        verdict = "not refuted" if self.passed else "REFUTED"
        lines = [f"epsilon = {self.epsilon:g} is {verdict} by {self.draws:,} reports per input"]
        lines += [
            f"  {'ok  ' if c.passed else 'FAIL'}  {c.name}: {c.seen} (allowed: {c.allowed})"
            for c in self.checks
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class _Source:
    """How many draws, of what, and whom to tell."""

    tag: bytes
    draws: int
    entropy: Entropy
    progress: Progress | None

    def batches(self) -> Iterator[int]:
        """Sizes of batches, each told when it is done."""
        return _batches(self.draws, self.progress)


@dataclass(frozen=True)
class _Sample:
    """Sums over the reports of one input."""

    draws: int
    in_cap: int
    vector_sum: Floats
    trials: int


def audit(
    sphere: Sphere,
    *,
    claimed: float,
    tag: bytes,
    draws: int = 1_000_000,
    entropy: Entropy | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Try to refute that `sphere`, run as on a device, gives `claimed`-local privacy."""
    _check_draws(draws)
    source = _Source(tag, draws, entropy or SystemEntropy(), progress)
    direction = _test_inputs(sphere.dimension)[0]
    inside = _collect(sphere, direction, direction, source)
    outside = _collect(sphere, -direction, direction, source)
    seen, trade_off = _trade_off(inside, outside, claimed)
    checks = (
        _coin(sphere, claimed),
        trade_off,
        _cap_rate(sphere, source),
        _unbiased(sphere, direction, inside),
        _unbiased(sphere, -direction, outside),
        _trials(sphere, inside, outside),
    )
    return Audit(claimed, seen, draws, checks)


def _check_draws(draws: int) -> None:
    if draws < 1000:
        raise ConfigurationError(f"draws must be at least 1000, got draws={draws}")


def _batches(draws: int, progress: Progress | None, size: int = _BATCH) -> Iterator[int]:
    for start in range(0, draws, size):
        count = min(size, draws - start)
        yield count
        if progress is not None:
            progress(count)


def _test_inputs(dimension: int) -> Floats:
    """Unit vectors that differ in every way that could matter: axes, diagonals, random ones."""
    axis = np.eye(dimension)[0]
    even = np.full(dimension, dimension**-0.5)
    alternating = even * np.where(np.arange(dimension) % 2, -1.0, 1.0)
    others = np.random.default_rng(0).standard_normal((_INPUTS - 3, dimension))
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    return np.vstack([others[0], axis, even, alternating, others[1:]])


def _collect(sphere: Sphere, vector: Floats, direction: Floats, source: _Source) -> _Sample:
    in_cap, trials = 0, 0
    vector_sum = np.zeros(sphere.dimension)
    for count in source.batches():
        inputs = np.broadcast_to(vector, (count, sphere.dimension))
        seeds, tried = sphere.randomize_counting(inputs, source.tag, source.entropy)
        points = expand(seeds, source.tag, sphere.dimension)
        in_cap += int(np.count_nonzero(direction @ points >= sphere.cap))
        vector_sum += points.sum(axis=1)
        trials += int(tried.sum())
    return _Sample(source.draws, in_cap, vector_sum, trials)


def _trade_off(inside: _Sample, outside: _Sample, claimed: float) -> tuple[float, Check]:
    """The event `in the cap of x` under x and under -x: its log ratio is at most epsilon."""
    true_low, false_high = _rate_bounds(inside.in_cap, outside.in_cap, inside.draws)
    seen = max(0.0, math.log(true_low / false_high)) if true_low > 0 else 0.0
    return seen, Check(
        "trade-off",
        f"true epsilon at least {seen:.4g}",
        f"at most {claimed:.4g}",
        seen <= claimed,
    )


def _rate_bounds(hits: int, alarms: int, draws: int) -> tuple[float, float]:
    """Clopper–Pearson: the rate of hits from below, and that of false alarms from above."""
    true_low = special.betaincinv(hits, draws - hits + 1, _TAIL)
    false_high = special.betainccinv(alarms + 1, draws - alarms, _TAIL)
    return float(np.nan_to_num(true_low)), float(np.nan_to_num(false_high, nan=1.0))


def _coin(sphere: Sphere, claimed: float) -> Check:
    """The integer threshold itself: no sampling error, so it sees any deviation."""
    allowed = coin_threshold(claimed)
    return Check(
        "coin threshold",
        f"{sphere.coin:#018x}",
        f"at least {allowed:#018x}",
        sphere.coin >= allowed,
    )


def _cap_rate(sphere: Sphere, source: _Source) -> Check:
    """The share of all seeds in the cap is the same around every input."""
    inputs = _test_inputs(sphere.dimension)
    hits: NDArray[np.int64] = np.zeros(len(inputs), dtype=np.int64)
    for count in source.batches():
        drawn = np.frombuffer(source.entropy.draw(SEED_BYTES * count), dtype=np.uint8)
        points = expand(drawn.reshape(count, SEED_BYTES), source.tag, sphere.dimension)
        hits += [
            np.count_nonzero(sphere.in_cap(points, np.broadcast_to(vector, points.T.shape)))
            for vector in inputs
        ]
    rate = sphere.cap_rate
    worst = float(np.abs(hits / source.draws - rate).max())
    allowed = _allowed(rate * (1 - rate), 1 / 3, source.draws)
    return _deviation(f"cap rate over {len(inputs)} inputs", worst, f"{rate:.4g}", allowed)


def _unbiased(sphere: Sphere, vector: Floats, sample: _Sample) -> Check:
    """The mean report, scaled, is the input: in every coordinate, and in length along it."""
    bias = sample.vector_sum / sample.draws / sphere.mean_length - vector
    worst = float(max(np.abs(bias).max(), abs(bias @ vector)))
    allowed = _allowed(sphere.noise_variance, (1 + 1 / sphere.mean_length) / 3, sample.draws)
    return _deviation("unbiased", worst, "the input", allowed)


def _trials(sphere: Sphere, inside: _Sample, outside: _Sample) -> Check:
    """The number of trials, hence the time taken, does not depend on the input."""
    rate = sphere.accept_rate
    means = (inside.trials / inside.draws, outside.trials / outside.draws)
    worst = max(abs(mean - 1 / rate) for mean in means)
    allowed = _allowed((1 - rate) / rate**2, 1 / rate, inside.draws)
    return _deviation("number of trials", worst, f"{1 / rate:.4g}", allowed)


def _allowed(variance: float, scale: float, draws: int) -> float:
    """How far the mean of some draws may be from the truth: Bernstein, e^-24.5 on either side.

    `scale` is a third of the farthest a draw can be from its mean; for a geometric number, which
    is unbounded, its mean.
    """
    return math.sqrt(2 * _EXPONENT * variance / draws) + _EXPONENT * scale / draws


def _deviation(name: str, worst: float, target: str, allowed: float) -> Check:
    return Check(name, f"{worst:.3g} from {target}", f"{allowed:.3g}", worst <= allowed)
