"""One line of the comparison."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Errors of one algorithm at one epsilon: medians over runs, with the time of one.

    `error` is what `measure` says, 1 meaning that nothing was learned (answering zero scores 1)
    wherever that can be arranged; `people` is the number that a plan says the exact calibration
    would need for an error of 0.1 (infinite where no number helps).
    """

    problem: str
    algorithm: str
    epsilon: float
    measure: str
    printed: float
    exact: float
    default: float
    default_name: str
    people: float
    seconds: float
