"""One study from public rows to its reports, as every experiment on coefficients runs it."""

from typing import Any

import numpy as np

from evidence.populations import Columns, Population
from tacit import Study, Tally
from tacit.simulation import simulate


def study_for(population: Population, public: Columns, epsilon: float) -> Study:
    """A study of the population's label around these public rows."""
    return Study.from_public(
        public,
        label=population.label,
        epsilon=epsilon,
        source="made up",
        intercept=population.intercept,
        simulation=True,
    )


def collect(study: Study, population: Population, people: int, seed: Any) -> Tally:
    """The reports of people drawn from the population."""
    generator = np.random.default_rng(seed)
    rows = population.rows(generator, people)
    labels = population.labels(rows, generator)
    return simulate(study, rows, labels, random_state=int(generator.integers(2**32)))
