"""What the collector counts about itself, and how Prometheus reads it."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)  # seconds

Labels = Mapping[str, str]
Sample = tuple[Labels, float]


class Refusals:
    """Refused requests by study id ("" for none) and reason: since the start, and not yet stored.

    A study's id comes from the collector's own list, so that nobody can make this grow.
    """

    def __init__(self) -> None:
        self.total: Counter[tuple[str, str]] = Counter()
        self.unstored: Counter[tuple[str, str]] = Counter()

    def count(self, study_id: str, reason: str) -> None:
        """One more."""
        self.total[study_id, reason] += 1
        self.unstored[study_id, reason] += 1

    def take(self) -> Counter[tuple[str, str]]:
        """What is to be stored; hand it to `give_back` if that fails."""
        taken, self.unstored = self.unstored, Counter()
        return taken

    def give_back(self, counts: Counter[tuple[str, str]]) -> None:
        """Counts that could not be stored."""
        self.unstored += counts


class Commits:
    """How many commits there were, and how long they took."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._counts = [0] * (len(BUCKETS) + 1)

    def add(self, seconds: float) -> None:
        """One more."""
        self.seconds += seconds
        self._counts[bisect_left(BUCKETS, seconds)] += 1

    def lines(self, name: str) -> list[str]:
        """As a histogram: how many took at most so long."""
        within = list(accumulate(self._counts))
        bounds = [*map(str, BUCKETS), "+Inf"]
        return [
            f"# HELP {name} Time that one durable commit took.",
            f"# TYPE {name} histogram",
            *(f'{name}_bucket{{le="{b}"}} {n}' for b, n in zip(bounds, within, strict=True)),
            f"{name}_sum {self.seconds:.6f}",
            f"{name}_count {within[-1]}",
        ]


def family(name: str, kind: str, text: str, samples: Iterable[Sample]) -> list[str]:
    """The lines of one metric; no label holds a character that would need escaping."""
    lines = [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]
    for labels, value in samples:
        inside = ",".join(f'{key}="{label}"' for key, label in labels.items())
        lines.append(f"{name}{{{inside}}} {value}" if inside else f"{name} {value}")
    return lines
