"""Algorithms 1 to 5 as rounds, and the variant for Gaussian features that needs no public rows.

Algorithms 1 to 4 are one round, the noisy moments. Algorithm 5 and its analogues ask the same
people a second time, after the server has announced w_ols: for the noisy clipped prediction
<x, w_ols>. All of one person's noise is one Gaussian over the joint vector (moments, echo *
prediction), so one curve is the guarantee for both rounds: the second may depend on the first
(adaptive composition is exact for Gaussian noise), and some w_ols separates any two records'
predictions completely.
"""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from tacit.arrays import Floats, Integers
from tacit.papers.common import Allowance, clipped
from tacit.papers.stein.device import SQRT_2, Design, Moments
from tacit.papers.stein.server import (
    Collected,
    Pooling,
    integral_of_gaussian,
    least_squares,
    pooled,
)
from tacit.privacy import Sphere
from tacit.privacy.gaussian import GaussianMechanism
from tacit.protocol import Records, Round

Rounds = Literal[1, 2]


@dataclass(frozen=True)
class Echo:
    """The second round: predictions are projected on [low, high] and weighed before the noise."""

    low: float
    high: float
    weight: float


@dataclass(frozen=True, eq=False)
class MomentsRound(Round):
    """x x' and x y of everyone. `noise` is that of all of one person's reports.

    `public` rows set the scale c; where there are none, a second round (`echo`) does.
    """

    moments: Moments
    noise: GaussianMechanism
    echo: Echo | None = None
    public: Floats | None = None
    pooling: Pooling = "inverse-variance"

    summed = True

    @cached_property
    def mechanism(self) -> GaussianMechanism:
        """The joint noise on the moments."""
        return replace(
            self.noise, dimension=self.moments.dimension, sensitivity=self.moments.sensitivity
        )

    def encode(self, records: Records, luck: Floats) -> Floats:
        """The moments of each record."""
        return self.moments.encode(*records)

    def after(self, reported: Integers, people: int) -> "Collected | PredictionsRound":
        """`read`, of the mean of these reports."""
        return self.read(self.mechanism.mean(reported, people), people)

    def read(self, mean: Floats, people: int) -> "Collected | PredictionsRound":
        """Pool the covariances, least squares; predictions of public rows, or ask for some."""
        (gram, cross), public = self.moments.decode(mean), self.public
        if public is not None:
            noise = self.mechanism.sigma**2
            gram = pooled(self.pooling, gram, people, public, moments=self.moments, noise=noise)
        ols = least_squares(gram, cross)
        found = Collected(gram, cross, ols, np.empty(0) if public is None else public @ ols)
        if self.echo is None:
            return found
        return PredictionsRound(self.moments, self.noise, self.echo, found)


@dataclass(frozen=True, eq=False)
class PredictionsRound(Round):
    """Algorithm 5: the same people's predictions under the w_ols that `collected` announces."""

    moments: Moments
    noise: GaussianMechanism
    echo: Echo
    collected: Collected

    summed = False

    @cached_property
    def mechanism(self) -> GaussianMechanism:
        """The joint noise on one number."""
        reach = self.echo.weight * (self.echo.high - self.echo.low)
        return replace(self.noise, dimension=1, sensitivity=reach)

    def encode(self, records: Records, luck: Floats) -> Floats:
        """Clipped predictions, weighed."""
        # erratum 5: <x, w_ols> is symmetric about 0, and is projected on the range of y all the
        # same: for a GLM on [0, 1], which sets half of the predictions to 0. Kept as printed.
        predicted = np.nan_to_num(self.moments.clip(*records)[0] @ self.collected.ols)
        return self.echo.weight * np.clip(predicted, self.echo.low, self.echo.high)[:, None]

    def after(self, reported: Iterator[Floats], people: int) -> Collected:
        """The noisy predictions stand where those of public rows would."""
        predictions = np.concatenate([block[:, 0] for block in reported]) / self.echo.weight
        return replace(self.collected, predictions=predictions)


@dataclass(frozen=True)
class SphereRound(Round):
    """Gaussian features, no public rows, pure eps: the same moments through the sphere mechanism.

    They are divided by their largest length, and one more coordinate completes them to a unit
    vector. Labels are taken about the middle of their range, which changes nothing: E x = 0.
    """

    features: int
    radius: float
    low: float
    high: float
    epsilon: float

    summed = True

    @cached_property
    def moments(self) -> Moments:
        """Moments of x and of the label about the middle of its range."""
        half = (self.high - self.low) / 2.0
        return Moments(self.features, "gaussian", self.radius, half, self.radius / half)

    @cached_property
    def mechanism(self) -> Sphere:
        """One dimension more than the moments have; the tag sets this collection's seeds apart."""
        stated = (self.features, self.radius, self.low, self.high, self.epsilon)
        tag = hashlib.sha256(repr(stated).encode()).digest()[:16]
        return Sphere.best(self.moments.dimension + 1, self.epsilon, tag)

    def encode(self, records: Records, luck: Floats) -> Floats:
        """Unit vectors."""
        X, y = records
        labels = clipped(y, self.moments.label_bound, (self.low + self.high) / 2.0)
        vectors = self.moments.encode(X, labels) / self.moments.longest
        rest = np.maximum(0.0, 1.0 - np.einsum("nd,nd->n", vectors, vectors))
        return np.column_stack([vectors, np.sqrt(rest)])

    def after(self, reported: Integers, people: int) -> Collected:
        """`read`, of the mean of these reports."""
        return self.read(self.mechanism.mean(reported, people)[:-1] * self.moments.longest)

    def read(self, mean: Floats) -> Collected:
        """Least squares, and the law of its predictions in place of a sample of them."""
        gram, cross = self.moments.decode(mean)
        ols = least_squares(gram, cross)
        return Collected(gram, cross, ols, *integral_of_gaussian(float(ols @ cross)))


def first_round(
    allowance: Allowance,
    *,
    design: Design,
    rounds: Rounds,
    features: int,
    radius: float,
    label_bound: float,
    printed_bound: float,
    prediction_range: tuple[float, float],
    public: Floats | None = None,
    pooling: Pooling = "inverse-variance",
) -> MomentsRound:
    """The noise for the joint release: the least, or as printed.

    `printed_bound` is the bound on |y| that the printed noise relies on.
    """
    paper = allowance.calibration == "paper"
    weight = radius / (printed_bound if paper else label_bound)
    off_diagonal = 1.0 if paper else SQRT_2
    moments = Moments(features, design, radius, label_bound, weight, off_diagonal)
    low, high = prediction_range
    # as printed: each part of round 1 gets half of eps (a quarter with two rounds), round 2 half.
    # Erratum 3: the classical formula is proved for a share of eps up to 1 only.
    classical = math.sqrt(2.0 * math.log(2.5 / allowance.delta)) * 2.0 / allowance.epsilon
    printed = rounds * classical * 2.0 * radius**2
    echo = (printed / classical if paper else moments.sensitivity) / (high - low)
    second = echo * (high - low) if rounds == 2 else 0.0
    noise = allowance.noise(
        moments.dimension + (rounds - 1),
        sensitivity=math.hypot(moments.sensitivity, second),
        printed_sigma=printed,
    )
    asked_again = Echo(low, high, echo) if rounds == 2 else None
    return MomentsRound(moments, noise, asked_again, public, pooling)
