"""What a benchmark gives back, and how time is taken."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """A value with its target; a value without a target is told for information."""

    name: str
    value: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def missed(self) -> bool:
        """Whether the target is not met."""
        too_low = self.at_least is not None and not self.value >= self.at_least
        too_high = self.at_most is not None and not self.value <= self.at_most
        return too_low or too_high

    @property
    def target(self) -> str:
        """The target in words."""
        if self.at_least is not None:
            return f"at least {self.at_least:,.4g}"
        return "" if self.at_most is None else f"at most {self.at_most:,.4g}"

    @property
    def verdict(self) -> str:
        """ok, MISSED, or nothing where there is no target."""
        if not self.target:
            return ""
        return "MISSED" if self.missed else "ok"


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The shortest of several processor times: what the work takes on one core of its own.

    Wall time on a busy machine would measure the other programs too.
    """
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)
