"""What an audit found, and the bounds its checks share.

A pass is no proof (the proofs are beside the mechanisms): it says that so many draws did not
refute the claim. Each check is a statement that holds for the right mechanism except with a
probability below 1e-4 (trade-off: Clopper–Pearson bounds) or 1e-10 for each number compared
(others: Bernstein's inequality, which is 7 standard errors and a little more where events are
rare).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special

from tacit.errors import ConfigurationError
from tacit.privacy.entropy import Entropy, SystemEntropy
from tacit.privacy.words import number_up

OnProgress = Callable[[int], None]

_TAIL = 0.5e-4
_EXPONENT = 7.0**2 / 2  # of Bernstein's bound: 7 standard errors where the normal law is near
_BATCH = 32_768
_FEWEST = 1000


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
        lines = [
            f"epsilon = {number_up(self.epsilon)} is {verdict} by {self.draws:,} reports per input"
        ]
        lines += [
            f"  {'ok  ' if c.passed else 'FAIL'}  {c.name}: {c.seen} (allowed: {c.allowed})"
            for c in self.checks
        ]
        return "\n".join(lines)


class Source:
    """How many draws, from what, and whom to tell."""

    def __init__(
        self,
        draws: int = 1_000_000,
        entropy: Entropy | None = None,
        progress: OnProgress | None = None,
    ) -> None:
        if draws < _FEWEST:
            raise ConfigurationError(f"draws must be at least {_FEWEST}, got draws={draws}")
        self.draws = draws
        self.entropy = SystemEntropy() if entropy is None else entropy
        self._progress = progress

    def batches(self, size: int = _BATCH) -> Iterator[int]:
        """Sizes of batches, each told when it is done."""
        for start in range(0, self.draws, size):
            count = min(size, self.draws - start)
            yield count
            if self._progress is not None:
                self._progress(count)


def rate_bounds(hits: int, alarms: int, draws: int) -> tuple[float, float]:
    """Clopper–Pearson: the rate of hits from below, and that of false alarms from above."""
    true_low = special.betaincinv(hits, draws - hits + 1, _TAIL)
    false_high = special.betainccinv(alarms + 1, draws - alarms, _TAIL)
    return float(np.nan_to_num(true_low)), float(np.nan_to_num(false_high, nan=1.0))


def log_ratio(hits: int, alarms: int, draws: int, claimed: float) -> tuple[float, Check]:
    """An event under two inputs: under a pure guarantee its log ratio is at most epsilon."""
    true_low, false_high = rate_bounds(hits, alarms, draws)
    seen = max(0.0, math.log(true_low / false_high)) if true_low > 0 else 0.0
    return seen, Check(
        "trade-off",
        f"true epsilon at least {seen:.4g}",
        f"at most {number_up(claimed)}",
        seen <= claimed,
    )


def allowed_error(variance: float, scale: float, draws: int) -> float:
    """How far the mean of some draws may be from the truth: Bernstein, e^-24.5 on either side.

    `scale` is a third of the farthest a draw can be from its mean; for a geometric number, which
    is unbounded, its mean.
    """
    return math.sqrt(2 * _EXPONENT * variance / draws) + _EXPONENT * scale / draws


def deviation(name: str, worst: float, target: str, allowed: float) -> Check:
    """Whether what was seen is as near to its target as it must be."""
    return Check(name, f"{worst:.3g} from {target}", f"{allowed:.3g}", worst <= allowed)
