"""How many people a geometry made for its purpose saves, as planned before anything is collected.

Standard errors at coefficients of zero, for a yes-or-no label, in units of public standard
deviations. What they are compared with are shares that follow the root of the variance, which
suit predictions.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evidence import prediction
from evidence.datasets import Columns
from tacit import Binary, Study
from tacit.privacy.mechanism import best
from tacit.study.components import Components
from tacit.study.geometry import by_formula, make_transform
from tacit.study.optimum import Optimum
from tacit.study.shares import Shape, by_root

Floats = NDArray[np.float64]

EPSILON = 1.0
PUBLIC_ROWS = 10_000
_SLOPE = 0.5  # of the mean of -1 or +1 at a predictor of zero
_SEED = 5


@dataclass(frozen=True)
class Setting:
    """Public rows, how many people there are, and what is in focus.

    `intercept_share` is a study's, or what it would be if it were chosen too.
    """

    name: str
    public: Callable[[], Columns]
    focus: str
    people: int
    intercept_share: float


@dataclass(frozen=True)
class Gain:
    """Planned standard errors by root of the variance, at best, and at best for the focus."""

    setting: Setting
    by_root: Floats
    best: Floats
    focused: Floats
    place: int

    @property
    def fewer_people(self) -> float:
        """How many times, for the whole table at one geometric mean."""
        return float((_mean(self.by_root) / _mean(self.best)) ** 2)

    @property
    def fewer_people_in_focus(self) -> float:
        """How many times, for the coefficient in focus."""
        return float((self.by_root[self.place] / self.focused[self.place]) ** 2)

    @property
    def others(self) -> float:
        """Standard errors of the others under the focus, against those by root."""
        ratios = self.focused / self.by_root
        return _mean(np.delete(ratios, self.place))

    @property
    def worst_other(self) -> float:
        """The largest of them, against the best without a focus."""
        return float(np.delete(self.focused / self.best, self.place).max())


def gain(setting: Setting) -> Gain:
    """Look for the best geometry with and without the focus."""
    components = components_of(setting.public())
    dimension = components.rows.shape[1]
    noise = best(dimension, EPSILON).mechanism(EPSILON, b"").noise

    def errors(held: Floats, choose: Callable[[Optimum], Shape]) -> Floats:
        search = Optimum(replace(components, held=held), noise, lambda _: None)
        variances = search.variances(choose(search))
        return np.asarray(np.sqrt(variances / (_SLOPE**2 * setting.people)))

    place = components.columns.index(setting.focus)
    rooted = Shape(tuple(by_root(components.spectrum, components.room)))
    held = np.array([setting.intercept_share])
    return Gain(
        setting=setting,
        by_root=errors(components.held, lambda _: rooted),
        best=errors(held, lambda search: search.shape(np.array([], dtype=np.intp))),
        focused=errors(held, lambda search: search.shape(np.array([place]))),
        place=place,
    )


def components_of(public: Columns) -> Components:
    """What a study of these rows weighs."""
    label = Binary("label", positive=True)
    study = Study.from_public(
        public, label=label, epsilon=EPSILON, source="made up", purpose="predictions", people=1
    )
    seen: list[Components] = []

    def keep(components: Components) -> Shape:
        seen.append(components)
        return by_formula(components)

    make_transform(study.transform.columns, study.design(public), True, keep)
    return seen[0]


def gaussian(condition: float) -> Columns:
    """Ten normal columns whose correlations have evenly falling eigenvalues (as logarithms)."""
    from scipy import stats

    generator = np.random.default_rng(_SEED)
    spectrum = np.geomspace(1.0, 1.0 / condition, 10)
    correlation = stats.random_correlation.rvs(10 * spectrum / spectrum.sum(), random_state=_SEED)
    rows = generator.standard_normal((PUBLIC_ROWS, 10)) @ np.linalg.cholesky(correlation).T
    return {f"x{j + 1}": rows[:, j] for j in range(10)}


def drawn(make: Callable[[], prediction.Task]) -> Columns:
    """Public rows of a data set, without its label."""
    task = make()
    order = np.random.default_rng(0).permutation(len(task.columns[task.label.column]))
    return {
        name: values[order[:PUBLIC_ROWS]]
        for name, values in task.columns.items()
        if name != task.label.column
    }


MADE_UP = (
    Setting(
        "10 Gaussian columns, condition number 1", partial(gaussian, 1.0), "x6", 100_000, 0.005
    ),
    Setting("same, condition number 100", partial(gaussian, 100.0), "x6", 100_000, 0.005),
)
REAL = (
    Setting("Covertype", partial(drawn, prediction.covertype_type_2), "Elevation", 396_709, 0.1),
    Setting("census income", partial(drawn, prediction.census_income), "age", 199_500, 0.1),
)


def _mean(values: Floats) -> float:
    return float(np.exp(np.log(values).mean()))
