"""What the parties settle in public before any of them opens its columns; all noise follows."""

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.papers.common import (
    Allowance,
    Calibration,
    Range,
    check_budget,
    check_calibration,
    check_choice,
    check_range,
    check_whole,
)
from tacit.papers.mixing.mix import Mixing
from tacit.privacy.curve import GaussianCurve, classical_scale, compose
from tacit.privacy.gaussian import GaussianMechanism
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.words import number_up

LEAST_ROWS_PER_COLUMN = 2  # fewer rows than columns determine nothing

Budget = Literal["person", "party"]


@dataclass(frozen=True)
class Agreement:
    """Who holds which columns, in which stated ranges, and the budget.

    `ranges[j]` has the (low, high) of every column of party j. `budget="person"`: epsilon and
    delta are for everything the parties together release about one person. `"party"`: for each
    party by itself, as the paper has it. Printed noise knows parties only.
    """

    ranges: tuple[tuple[Range, ...], ...]
    people: int
    epsilon: float
    delta: float = 1e-6
    calibration: Calibration = "exact"
    budget: Budget = "person"
    mixing: Mixing | None = None

    def __post_init__(self) -> None:
        check_calibration(self.calibration)
        check_budget(self.epsilon, self.delta)
        check_whole("people", self.people, 1)
        check_choice("budget", self.budget, get_args(Budget))
        if len(self.ranges) < 2 or not all(self.ranges):
            raise ConfigurationError(
                "at least two parties with at least one column each must take part, got "
                f"{[len(party) for party in self.ranges]} columns"
            )
        for party in self.ranges:
            for stated in party:
                check_range("ranges", stated)

    @property
    def sizes(self) -> tuple[int, ...]:
        """d_j: how many columns each party holds."""
        return tuple(len(party) for party in self.ranges)

    @property
    def columns(self) -> int:
        """d + 1: features and label."""
        return sum(self.sizes)

    @property
    def released_rows(self) -> int:
        """Rows of what is released: k mixed ones, or one per person."""
        return self.people if self.mixing is None else self.mixing.rows

    def units(self, party: int) -> Floats:
        """By what a party divides its columns, so that all deserve the same noise.

        A column in [-1, 1] has range 2 and one in [0, 1] has range 1. The paper assumes
        |D_ij| <= 1 for both, hence range 2, although its experiments are in [0, 1].
        """
        low, high = np.array(self.ranges[party]).T
        if self.calibration == "paper":
            return np.asarray(2.0 * np.maximum(np.abs(low), np.abs(high)))
        return np.asarray(high - low)

    def sensitivity(self, party: int) -> float:
        """How far one person's row can move the party's matrix, in its units.

        Without mixing this is the length of the row's change. With mixing it is the same:
        B changes it into (column of B / sqrt(k)) times the change, and that column, k numbers
        -1 or +1, has length sqrt(k). It holds for every B, so B may be known to everyone.
        """
        low, high = np.array(self.ranges[party]).T
        return float(np.linalg.norm((high - low) / self.units(party)))

    def mechanism(self, party: int) -> GaussianMechanism:
        """The noise on a party's matrix, in its units."""
        entries, distance = self._touched * self.sizes[party], self.sensitivity(party)
        if self.calibration == "paper":
            # As printed every party adds the noise of the widest one (d_max), range 2.
            printed = math.sqrt(max(self.sizes)) * classical_scale(self.epsilon, self.delta)
            return GaussianMechanism(entries, distance, printed)
        if self.budget == "party":
            return GaussianMechanism.exact(entries, distance, self.epsilon, self.delta)
        return GaussianMechanism(entries, distance, self.joint_mechanism().sigma)

    def joint_mechanism(self) -> GaussianMechanism:
        """The least noise on all columns of a person, in units of their ranges, for the budget."""
        entries, distance = self._touched * self.columns, math.sqrt(self.columns)
        return GaussianMechanism.exact(entries, distance, self.epsilon, self.delta)

    def noise_scales(self) -> Floats:
        """The standard deviation of the noise on each column, in the column's own unit."""
        parties = range(len(self.ranges))
        return np.concatenate([self.units(j) * self.mechanism(j).sigma for j in parties])

    def curve(self, party: int) -> GaussianCurve:
        """What one party's release gives by itself."""
        return self.mechanism(party).curve

    def joint_curve(self) -> GaussianCurve:
        """What all releases together give: mu = sqrt(mu_1^2 + ... + mu_m^2).

        Erratum 13: the paper states each party's guarantee only, but the same person is in all
        parties, and their noises are independent given B.
        """
        return compose(self.curve(j) for j in range(len(self.ranges)))

    def party_guarantee(self, party: int, *, simulated: bool = False) -> Guarantee:
        """Of one party's release by itself."""
        return self._guarantee(
            self.curve(party),
            stated=self.budget == "party",
            simulated=simulated,
            protects=f"the row of every person in the columns of party {party + 1}",
            against="everyone but that party, the other parties included",
        )

    def guarantee(self, *, simulated: bool = False) -> Guarantee:
        """Of everything released about one person."""
        each = ", ".join(
            f"{number_up(self.curve(j).epsilon(self.delta))}" for j in range(len(self.ranges))
        )
        return self._guarantee(
            self.joint_curve(),
            stated=self.budget == "person",
            simulated=simulated,
            protects="the whole record of every person, the columns of all parties together",
            against="everyone but the parties, of which each sees its own columns",
            notes=(f"party by party, epsilon = {each} at the same delta",),
        )

    def _guarantee(self, curve: GaussianCurve, *, stated: bool, **fields: Any) -> Guarantee:
        """As stated; what was not stated is measured."""
        if self.calibration == "exact" and not stated:
            return Guarantee(curve.epsilon(self.delta), delta=self.delta, **fields)
        return Allowance(self.epsilon, self.delta, self.calibration).achieved(curve, **fields)

    @property
    def _touched(self) -> int:
        """How many released rows depend on one person."""
        return 1 if self.mixing is None else self.mixing.rows


def mixed_rows(agreement: Agreement) -> int:
    """k = sqrt(n d / d_max) / sigma of Theorem 2, from public numbers alone.

    Erratum 14: the experiments take the best of five k by the error it gave, which private
    records decide, and which releases every person five times. The theorem's noise on entries
    of size at most 1 has standard deviation s = 2 sqrt(d_max) sigma, so k = 2 sqrt(n d) / s;
    s is the root mean square over columns where the noises differ.
    """
    largest = np.abs(np.concatenate([np.array(party) for party in agreement.ranges])).max(axis=1)
    noise = math.sqrt(float(np.mean((agreement.noise_scales() / largest) ** 2)))
    k = 2.0 * math.sqrt(agreement.people * (agreement.columns - 1)) / noise
    return max(math.ceil(k), LEAST_ROWS_PER_COLUMN * agreement.columns)
