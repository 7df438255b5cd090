"""What public rows that do not stand for the people do to the coefficients: bias, shown.

No noise here: the tally is its own expectation, as with endlessly many people, so whatever
differs from the truth is bias that no number of people and no epsilon would remove.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacit.experiments.one_run import study_for
from tacit.experiments.populations import Columns, Population, correlated
from tacit.inference.likelihood import Design, Observed
from tacit.inference.model import model_for
from tacit.inference.solve import start_weights
from tacit.inference.table import coefficient_names, make_table

Floats = NDArray[np.float64]

SHIFTS = (0.0, 0.05, 0.1, 0.15, 0.2)
SHIFTED = "x0"
CONDITION = 10.0
ROWS = 400_000

_EPSILON = 1.0  # needed to make a study; the expectation does not depend on it


@dataclass(frozen=True)
class Shift:
    """The coefficients that endlessly many people lead to, beside the true ones."""

    shift: float
    names: tuple[str, ...]
    truth: Floats
    found: Floats

    @property
    def bias(self) -> dict[str, float]:
        """Found less true, by coefficient."""
        return dict(zip(self.names, (self.found - self.truth).tolist(), strict=True))


def shifted(shifts: Sequence[float], seed: int, rows: int = ROWS) -> list[Shift]:
    """Public rows whose first column lies higher by each shift, in its standard deviations."""
    population = correlated(CONDITION)
    generator = np.random.default_rng(seed)
    people = population.rows(generator, rows)
    return [_limit(population, people, _move(people, shift), shift) for shift in shifts]


def _move(rows: Columns, shift: float) -> Columns:
    """The same rows, so that the shift is all that differs."""
    return rows | {SHIFTED: rows[SHIFTED] + shift * rows[SHIFTED].std()}


def _limit(population: Population, people: Columns, public: Columns, shift: float) -> Shift:
    study = study_for(population, public, _EPSILON)
    model = model_for(study.label, None)
    names = coefficient_names(study)
    truth = np.array([population.truth[name] for name in names])
    true_weights = np.linalg.solve(study.transform.to_original, truth)
    expected = Design.of(study.encode(people), model).moments(true_weights)
    observed = Observed(expected, len(people[SHIFTED]), study.sphere.noise_variance)
    design = Design.of(study.encode_public(public), model)
    table = make_table(study, design, observed, start_weights(study, model))
    return Shift(shift, names, truth, table.coef)


def plot(results: Sequence[Shift], path: Path) -> None:
    """Bias against the shift, one line per coefficient; the true zero stands out."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.add_subplot()
    shifts = [result.shift for result in results]
    for name, true in zip(results[0].names, results[0].truth, strict=True):
        zero = true == 0.0
        axes.plot(
            shifts,
            [result.bias[name] for result in results],
            label=f"{name} (true value {true:g})",
            linewidth=3 if zero else 1.5,
            linestyle="-" if zero else "--",
            marker="o",
        )
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.set_xlabel(f"shift of {SHIFTED} in the public rows (standard deviations)")
    axes.set_ylabel("bias of the coefficient")
    axes.set_title("Public rows that differ from the people bias every coefficient")
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=120)
