"""What public rows that do not stand for the people do to the coefficients: bias, shown.

No noise here: the tally is its own expectation, as with endlessly many people, so whatever
differs from the truth is bias that no number of people and no epsilon would remove.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evidence.one_run import study_for
from evidence.populations import Columns, Population, correlated
from tacit import Study, Tally
from tacit.inference import coefficient_names, fit
from tacit.privacy.expand import quantise

Floats = NDArray[np.float64]

SHIFTS = (0.0, 0.05, 0.1, 0.15, 0.2)
SHIFTED = "x0"
CONDITIONS = (10.0, 100.0)
ROWS = 400_000

_EPSILON = 1.0  # needed to make a study; the expectation does not depend on it


@dataclass(frozen=True)
class Shift:
    """The coefficients that endlessly many people lead to, beside the true ones."""

    condition: float
    shift: float
    names: tuple[str, ...]
    truth: Floats
    found: Floats

    @property
    def bias(self) -> dict[str, float]:
        """Found less true, by coefficient."""
        return dict(zip(self.names, (self.found - self.truth).tolist(), strict=True))


def shifted(condition: float, shifts: Sequence[float], seed: int, rows: int = ROWS) -> list[Shift]:
    """Public rows whose first column lies higher by each shift, in its standard deviations.

    The columns are correlated; `condition` is the condition number of their correlation matrix.
    """
    population = correlated(condition)
    people = population.rows(np.random.default_rng(seed), rows)
    return [
        Shift(condition, shift, *_limit(population, people, _move(people, shift)))
        for shift in shifts
    ]


def _move(rows: Columns, shift: float) -> Columns:
    """The same rows, so that the shift is all that differs."""
    return rows | {SHIFTED: rows[SHIFTED] + shift * rows[SHIFTED].std()}


def _limit(
    population: Population, people: Columns, public: Columns
) -> tuple[tuple[str, ...], Floats, Floats]:
    """Names, true coefficients, and those that endlessly many people lead to."""
    study = study_for(population, public, _EPSILON)
    names = coefficient_names(study)
    truth = np.array([population.truth[name] for name in names])
    found = fit(study, _expected(study, population, people), public=public).solution("maximum")
    return names, truth, found.coef


def _expected(study: Study, population: Population, people: Columns) -> Tally:
    """What the reports of these people add up to on average."""
    z = study.encode(people)
    directions = z / np.linalg.norm(z, axis=1, keepdims=True)
    label = 2.0 * special.expit(population.predictor(people)) - 1.0  # the mean of -1 and +1
    total = study.mechanism.mean_length * (label @ directions)
    return Tally.from_sums(study, len(z), quantise(total))


def plot(results: Sequence[Sequence[Shift]], path: Path) -> None:
    """Bias against the shift, one panel per population, one line per coefficient."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.2), layout="constrained")
    panels = figure.subplots(1, len(results), squeeze=False)[0]
    for axes, series in zip(panels, results, strict=True):
        _draw(axes, series)
    panels[0].set_ylabel("bias of the coefficient")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right center", fontsize=8)
    figure.suptitle("Public rows that differ from the people bias the coefficients")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def _draw(axes: Any, series: Sequence[Shift]) -> None:
    """The true zero stands out."""
    shifts = [result.shift for result in series]
    for name, true in zip(series[0].names, series[0].truth, strict=True):
        axes.plot(
            shifts,
            [result.bias[name] for result in series],
            label=f"{name} (true value {true:g})",
            linewidth=3.0 if true == 0.0 else 1.2,
            linestyle="-" if true == 0.0 else "--",
            marker="o",
        )
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set_xticks(shifts)
    axes.set_xlabel(f"shift of {SHIFTED} in the public rows (standard deviations)")
    axes.set_title(f"condition number {series[0].condition:g}", fontsize=10)
