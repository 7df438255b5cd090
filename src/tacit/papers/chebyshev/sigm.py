"""The stochastic inexact gradient method (Dvurechensky, Gasnikov 2016), on the unit ball.

Proved (Lemma 8, with its constants): let g(w) be unbiased for the gradient of a convex function
that is L-smooth up to an error gamma (Definition 7), with E|g - E g|^2 <= sigma^2. With
b_k = L + sigma sqrt(2 (k+1)), let z_k minimise b_k |w|^2/2 + <g_0 + ... + g_{k-1}, w> on the
ball, and v_k minimise b_k |w - z_k|^2/2 + <g_k, w>, g_k drawn at z_k. Then the mean of
v_0, ..., v_{k-1} is within L/(2k) + sqrt(2) sigma / sqrt(k) + gamma of the minimum in
expectation. This is the member of their family in which gamma does not pile up.
"""

import math
from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConfigurationError

Sample = TypeVar("Sample")


def stochastic_inexact_gradient(
    gradient: Callable[[Floats, Sample], Floats],
    samples: Iterable[Sample],
    dimension: int,
    *,
    smoothness: float,
    noise: float,
) -> Floats:
    """Minimise on the unit ball with one step for each sample; `noise` is sigma, `smoothness` L."""
    total, mean, z = np.zeros(dimension), np.zeros(dimension), np.zeros(dimension)
    steps = 0
    for sample in samples:
        g = gradient(z, sample)
        curvature = smoothness + noise * math.sqrt(2.0 * (steps + 1))
        steps += 1
        mean += (into_ball(z - g / curvature) - mean) / steps
        total += g
        following = smoothness + noise * math.sqrt(2.0 * (steps + 1))
        z = into_ball(-total / following)
    if not steps:
        raise ConfigurationError("there are no samples to descend on; pass at least one report")
    return mean


def steps_for(error: float, *, smoothness: float, noise: float) -> float:
    """After how many steps the bound above, gamma aside, is down to `error`."""
    slow = math.sqrt(2.0) * noise
    root = (slow + math.sqrt(slow**2 + 2.0 * error * smoothness)) / (2.0 * error)
    return root**2


def into_ball(w: Floats) -> Floats:
    """The nearest point of the ball."""
    length = math.sqrt(w @ w)
    return w if length <= 1.0 else w / length
