"""An attempt to refute the epsilon of the sphere mechanism."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats
from tacit.privacy.audit.outcome import (
    Audit,
    Check,
    Source,
    allowed_error,
    deviation,
    log_ratio,
)
from tacit.privacy.draws import coin_threshold
from tacit.privacy.expand import SEED_BYTES, expand

if TYPE_CHECKING:
    from tacit.privacy.sphere import Sphere

_INPUTS = 6


@dataclass(frozen=True)
class _SeedSums:
    """Sums over the reports of one input."""

    draws: int
    in_cap: int
    vector_sum: Floats
    trials: int


def audit_seeds(sphere: "Sphere", claimed: float, source: Source) -> Audit:
    """Try to refute that `sphere`, run as on a device, gives `claimed`-local privacy."""
    direction = unit_inputs(sphere.dimension)[0]
    inside = _collect(sphere, direction, direction, source)
    outside = _collect(sphere, -direction, direction, source)
    # in the cap of x, under x and under -x
    seen, trade_off = log_ratio(inside.in_cap, outside.in_cap, source.draws, claimed)
    checks = (
        _coin(sphere, claimed),
        trade_off,
        _cap_rate(sphere, source),
        _unbiased(sphere, direction, inside),
        _unbiased(sphere, -direction, outside),
        _trials(sphere, inside, outside),
    )
    return Audit(claimed, seen, source.draws, checks)


def unit_inputs(dimension: int) -> Floats:
    """Unit vectors that differ in every way that could matter: axes, diagonals, random ones."""
    axis = np.eye(dimension)[0]
    even = np.full(dimension, dimension**-0.5)
    alternating = even * np.where(np.arange(dimension) % 2, -1.0, 1.0)
    others = np.random.default_rng(0).standard_normal((_INPUTS - 3, dimension))
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    return np.vstack([others[0], axis, even, alternating, others[1:]])


def _collect(sphere: "Sphere", vector: Floats, direction: Floats, source: Source) -> _SeedSums:
    in_cap, trials = 0, 0
    vector_sum = np.zeros(sphere.dimension)
    for count in source.batches():
        inputs = np.broadcast_to(vector, (count, sphere.dimension))
        seeds, tried = sphere.randomize_counting(inputs, source.entropy)
        points = expand(seeds, sphere.tag, sphere.dimension)
        in_cap += int(np.count_nonzero(direction @ points >= sphere.cap))
        vector_sum += points.sum(axis=1)
        trials += int(tried.sum())
    return _SeedSums(source.draws, in_cap, vector_sum, trials)


def _coin(sphere: "Sphere", claimed: float) -> Check:
    """The integer threshold itself: no sampling error, so it sees any deviation."""
    allowed = coin_threshold(claimed)
    return Check(
        "coin threshold",
        f"{sphere.coin:#018x}",
        f"at least {allowed:#018x}",
        sphere.coin >= allowed,
    )


def _cap_rate(sphere: "Sphere", source: Source) -> Check:
    """The share of all seeds in the cap is the same around every input."""
    inputs = unit_inputs(sphere.dimension)
    hits: NDArray[np.int64] = np.zeros(len(inputs), dtype=np.int64)
    for count in source.batches():
        drawn = np.frombuffer(source.entropy.draw(SEED_BYTES * count), dtype=np.uint8)
        points = expand(drawn.reshape(count, SEED_BYTES), sphere.tag, sphere.dimension)
        hits += [
            np.count_nonzero(sphere.in_cap(points, np.broadcast_to(vector, points.T.shape)))
            for vector in inputs
        ]
    rate = sphere.cap_rate
    worst = float(np.abs(hits / source.draws - rate).max())
    allowed = allowed_error(rate * (1 - rate), 1 / 3, source.draws)
    return deviation(f"cap rate over {len(inputs)} inputs", worst, f"{rate:.4g}", allowed)


def _unbiased(sphere: "Sphere", vector: Floats, sample: _SeedSums) -> Check:
    """The mean report, scaled, is the input: in every coordinate, and in length along it."""
    bias = sample.vector_sum / sample.draws / sphere.mean_length - vector
    worst = float(max(np.abs(bias).max(), abs(bias @ vector)))
    allowed = allowed_error(sphere.noise, (1 + 1 / sphere.mean_length) / 3, sample.draws)
    return deviation("unbiased", worst, "the input", allowed)


def _trials(sphere: "Sphere", inside: _SeedSums, outside: _SeedSums) -> Check:
    """The number of trials, hence the time taken, does not depend on the input."""
    rate = sphere.accept_rate
    means = (inside.trials / inside.draws, outside.trials / outside.draws)
    worst = max(abs(mean - 1 / rate) for mean in means)
    allowed = allowed_error((1 - rate) / rate**2, 1 / rate, inside.draws)
    return deviation("number of trials", worst, f"{1 / rate:.4g}", allowed)
