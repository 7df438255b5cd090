"""How far dishonest people move an estimate: some reports are chosen to push one coefficient.

The worst a report can be is the unit vector that pushes hardest. The honest reports are the same
with and without the attack, so the difference is the attack alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evidence.one_run import collect, study_for
from evidence.populations import Columns, Population
from tacit import Study, Tally
from tacit.inference import coefficient_names, fit
from tacit.inference.coefficients import to_coefficients
from tacit.inference.design import Design
from tacit.privacy.expand import quantise

Floats = NDArray[np.float64]

PEOPLE = 100_000
PUBLIC_ROWS = 5_000
SHARE = 0.01


@dataclass(frozen=True)
class Attack:
    """What the attack moved, beside the bounds. Means are in units of an honest input (length 1).

    `luck` is the standard deviation of the length of the replaced people's own mean report, by
    which a single run may exceed the bound of the expected shift.
    """

    epsilon: float
    coefficient: str
    mean_shift: float
    expected_bound: float
    certain_bound: float
    luck: float
    coefficient_shift: float
    coefficient_bound: float
    standard_error: float


def attack(population: Population, coefficient: str, epsilon: float, seed: int) -> Attack:
    """Replace 1% of the reports by those that push the coefficient up the most."""
    public = population.rows(np.random.default_rng([seed, 0]), PUBLIC_ROWS)
    study = study_for(population, public, epsilon)
    replaced = round(SHARE * PEOPLE)
    kept = collect(study, population, PEOPLE - replaced, [seed, 1])
    honest = kept + collect(study, population, replaced, [seed, 2])
    push = pushed_by(study, population, public, coefficient)
    hostile = kept + _repeated(study, push / np.linalg.norm(push), replaced)
    place = coefficient_names(study).index(coefficient)
    before, after = (
        fit(study, tally, public=public).solution("maximum") for tally in (honest, hostile)
    )
    length = study.mechanism.mean_length
    bound = SHARE * (1.0 / length + 1.0)
    return Attack(
        epsilon=epsilon,
        coefficient=coefficient,
        mean_shift=float(np.linalg.norm(hostile.mean(study) - honest.mean(study))),
        expected_bound=bound,
        certain_bound=SHARE * 2.0 / length,
        luck=SHARE * float(np.sqrt(study.mechanism.noise * study.dimension / replaced)),
        coefficient_shift=float(after.coef[place] - before.coef[place]),
        coefficient_bound=bound * float(np.linalg.norm(push)),
        standard_error=float(before.standard_errors[place]),
    )


def pushed_by(study: Study, population: Population, public: Columns, coefficient: str) -> Floats:
    """How the coefficient reacts to the mean report, at the truth: its row of L J^-1."""
    model = study.label.model()
    design = Design.of(study.encode(public), model)
    names = coefficient_names(study)
    back = to_coefficients(study, model)
    truth = np.linalg.solve(back, np.array([population.truth[name] for name in names]))
    reaction = back @ np.linalg.inv(design.jacobian(truth))
    return np.asarray(reaction[names.index(coefficient)])


def _repeated(study: Study, vector: Floats, count: int) -> Tally:
    return Tally.from_sums(study, count, quantise(vector) * count)
