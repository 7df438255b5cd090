"""The device's work, and that its time does not tell the input."""

import time

import numpy as np

from benchmarks.measure import Measured, seconds
from benchmarks.studies import made_up_study
from tacit import Study, randomize
from tacit.device import randomize_rows

_FEATURES = 10
_ONE_BY_ONE = 1_000
_MANY = 50_000
_TIMED = 3_000
_STANDARD_ERRORS = 7.0


def measure() -> list[Measured]:
    """One by one and many at once, at two epsilons, and two inputs compared."""
    results = []
    for epsilon in (1.0, 4.0):
        study = made_up_study(_FEATURES, epsilon)
        results += [
            Measured(
                f"device one by one, epsilon={epsilon:g}",
                _one_by_one(study),
                "reports/s",
                at_least=1_000.0,
            ),
            Measured(f"device, many rows, epsilon={epsilon:g}", _many(study), "reports/s"),
        ]
    return [*results, _time_by_input(made_up_study(_FEATURES, 4.0))]


def _one_by_one(study: Study) -> float:
    record = dict.fromkeys(study.feature_names, 0.5)

    def work() -> None:
        for _ in range(_ONE_BY_ONE):
            randomize(study, record, label="yes")

    return _ONE_BY_ONE / seconds(work)


def _many(study: Study) -> float:
    values = np.random.default_rng(1).standard_normal((_FEATURES, _MANY))
    rows = dict(zip(study.feature_names, values, strict=True))
    labels = np.random.default_rng(2).random(_MANY) < 0.5
    answers = np.where(labels, "yes", "no")
    return _MANY / seconds(lambda: randomize_rows(study, rows, answers), repeats=1)


def _time_by_input(study: Study) -> Measured:
    """Two people as different as can be, in turns; medians of batches resist interruptions."""
    ordinary = (dict.fromkeys(study.feature_names, 0.0), "no")
    extreme = (dict.fromkeys(study.feature_names, 1e9), "yes")
    times = np.array([[_timed(study, *person) for person in (ordinary, extreme)]
                      for _ in range(_TIMED)])  # fmt: skip
    medians = np.median(times.reshape(30, -1, 2), axis=1)
    difference = medians[:, 1] - medians[:, 0]
    noise = difference.std(ddof=1) / np.sqrt(len(difference))
    return Measured(
        "device time, extreme against ordinary input",
        float(abs(difference.mean()) / noise),
        "standard errors",
        at_most=_STANDARD_ERRORS,
    )


def _timed(study: Study, record: dict[str, float], label: str) -> float:
    start = time.perf_counter()
    randomize(study, record, label=label)
    return time.perf_counter() - start
