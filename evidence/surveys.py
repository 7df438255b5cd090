"""Real data as surveys: a few dozen coefficients, a yes-or-no label, rows drawn as public ones."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evidence.datasets import Columns, load
from tacit import Binary, Study
from tacit.labels import Label

Floats = NDArray[np.float64]

_CENSUS = (
    "age education marital_status race sex class_of_worker citizenship employment_stat "
    "capital_gains dividends weeks_worked num_persons_employer"
)
_ACS_NUMBERS = "AGEP DENSITY NOC DPHY DREM"
_ACS_LEVELS = "SEX MSP EDU HISP RAC1P DVET OWN_RENT INDP_CAT"
_RICH = 7.0  # the decile of income from which an ACS label is yes


@dataclass(frozen=True)
class Survey:
    """Rows with their label, of which so many are public and the others people."""

    name: str
    columns: Columns
    label: Label
    public_rows: int

    @property
    def people(self) -> int:
        """How many rows are not public."""
        return len(self.columns[self.label.column]) - self.public_rows

    def split(self, seed: int) -> tuple[Columns, Columns]:
        """Public rows drawn at random, and the people's."""
        order = np.random.default_rng(seed).permutation(self.people + self.public_rows)
        public, people = np.split(order, [self.public_rows])
        return _take(self.columns, public), _take(self.columns, people)

    def study(self, public: Columns, epsilon: float) -> Study:
        """A study around the public rows, columns as they are."""
        return Study.from_public(
            public, label=self.label, epsilon=epsilon, source="a random sample", simulation=True
        )


def covertype() -> Survey:
    """Covertype: type 2 or not."""
    columns = load("covertype")
    columns["Cover_Type"] = columns["Cover_Type"] == 2
    label = Binary("Cover_Type", positive=True, negative=False)
    return Survey("Covertype", columns, label, 10_000)


def census() -> Survey:
    """Census income above 50,000, by a dozen of its questions."""
    columns = load("census_income_kdd")
    income = np.char.startswith(np.char.strip(columns["income"].astype(str)), "50000")
    kept = {name: columns[name] for name in _CENSUS.split()}
    label = Binary("income", positive=True, negative=False)
    return Survey("census income, 12 questions", kept | {"income": income}, label, 10_000)


def acs() -> Survey:
    """American Community Survey: income in the upper third, of those who state one."""
    columns = load("nist_acs_national2019")
    decile = columns["PINCP_DECILE"].astype(np.float64)
    stated = ~np.isnan(decile)
    numbers = {name: columns[name][stated] for name in _ACS_NUMBERS.split()}
    levels = {name: _as_levels(columns[name][stated]) for name in _ACS_LEVELS.split()}
    label = Binary("rich", positive=True, negative=False)
    rich = {"rich": decile[stated] >= _RICH}
    return Survey("ACS, 13 questions", numbers | levels | rich, label, 5_000)


SURVEYS: tuple[Callable[[], Survey], ...] = (covertype, census, acs)


def raw_coefficients(study: Study, people: Columns, labels: Any) -> dict[str, float]:
    """Logistic regression on every person's row, by coefficient."""
    from sklearn.linear_model import LogisticRegression

    z = study.encode(people)
    scale = z[:, 1:].std(axis=0)
    model = LogisticRegression(max_iter=1000).fit(z[:, 1:] / scale, labels)
    constant = model.intercept_ / z[0, 0]
    weights = np.concatenate([constant, model.coef_[0] / scale])
    values = study.transform.to_original @ weights
    return dict(zip(study.transform.names, values.tolist(), strict=True))


def _take(columns: Columns, rows: NDArray[np.intp]) -> Columns:
    return {name: values[rows] for name, values in columns.items()}


def _as_levels(values: NDArray[Any]) -> NDArray[Any]:
    """Codes as names; what is not applicable is a level too."""
    codes = values.astype(np.float64)
    return np.array(["none" if np.isnan(code) else f"{code:g}" for code in codes], dtype=object)
