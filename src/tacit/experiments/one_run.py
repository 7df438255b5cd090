"""One study from public rows to its table, as every experiment on coefficients runs it."""

from typing import Any

import numpy as np

from tacit import Study, Tally
from tacit.experiments.populations import Columns, Population
from tacit.inference.likelihood import Design, Observed
from tacit.inference.model import model_for
from tacit.inference.solve import start_weights
from tacit.inference.table import Table, make_table
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


def table_of(study: Study, tally: Tally, public: Columns) -> Table:
    """The table `tacit.fit` would show, without the predictions, which take far longer.

    Raises NoFiniteMaximumError where there is none.
    """
    design = Design.of(study.encode_public(public), model_for(study.label, None))
    observed = Observed(tally.mean(study), tally.count, study.mechanism.noise)
    return make_table(study, design, observed, start_weights(study, design.model))
