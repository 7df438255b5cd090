"""What every protocol of the papers hands to the contract suite."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.privacy import Entropy
from tacit.privacy.gaussian import GaussianMechanism

Floats = NDArray[np.float64]
Records = Any  # whatever `draw` makes and the other functions take: one entry per person


@dataclass(frozen=True)
class Case:
    """One protocol with Gaussian reports, at a small size that runs in a second.

    `mechanism(calibration, epsilon, delta)` is the noise of one person's JOINT release.
    `draw(rng, n)` makes n legal records, extreme ones among them; `encode(records)` the vectors
    (n, dimension) the noise is added to (clipped as the device does); `extremes()` two records
    whose vectors are as far apart as the sensitivity says. `device(mechanism, records, entropy)`
    is the one-by-one path: values (n, dimension) of the reports, made from integers;
    `simulate_sum(mechanism, records, rng)` the fast path: the sum over people (dimension,).
    """

    name: str
    mechanism: Callable[[str, float, float], GaussianMechanism]
    draw: Callable[[np.random.Generator, int], Records]
    encode: Callable[[Records], Floats]
    extremes: Callable[[], Records]
    device: Callable[[GaussianMechanism, Records, Entropy], Floats]
    simulate_sum: Callable[[GaussianMechanism, Records, np.random.Generator], Floats]


@dataclass(frozen=True)
class EstimatorCase:
    """One estimator: made anew by `make(**parameters)`, fitted by `fit(estimator)` on small data.

    `answer(estimator)` is what it learned. `bad` lists parameters that must be refused with a
    ConfigurationError (or LabelError) that shows them: ({"radius": -1.0}, "radius=-1.0").
    """

    name: str
    make: Callable[..., Any]
    fit: Callable[[Any], Any]
    answer: Callable[[Any], Floats]
    bad: tuple[tuple[dict[str, Any], str], ...]
