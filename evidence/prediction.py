"""How well the predictions do on real data, beside a model that saw every row.

Public rows are drawn at random from the data and removed from people and test rows. The study
sees the columns as they are and codes them itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evidence.datasets import Columns, load
from tacit import Binary, Categorical, Fit, Study, fit
from tacit.answers import column
from tacit.labels import Label
from tacit.simulation import simulate_tally

Floats = NDArray[np.float64]

PUBLIC_ROWS = 10_000


@dataclass(frozen=True)
class Task:
    """A data set with the question asked of it."""

    name: str
    columns: Columns
    label: Label
    measure: str
    people: int


@dataclass(frozen=True)
class Prediction:
    """The measure of each run, the private model and the one that saw every row."""

    task: str
    measure: str
    epsilon: float
    people: int
    dimension: int
    private: Floats
    not_private: Floats
    baseline: float


def covertype_type_2() -> Task:
    """Covertype: type 2 or not, by accuracy, 350,000 people."""
    columns = load("covertype")
    columns["Cover_Type"] = columns["Cover_Type"] == 2
    return Task(
        "Covertype, type 2 or not",
        columns,
        Binary("Cover_Type", positive=True, negative=False),
        "accuracy",
        350_000,
    )


def covertype_classes() -> Task:
    """Covertype: all seven types, by accuracy, 350,000 people."""
    label = Categorical("Cover_Type", tuple(range(1, 8)))
    return Task("Covertype, 7 types", load("covertype"), label, "accuracy", 350_000)


def census_income() -> Task:
    """Census income above 50,000, by AUC; 70% of the rows are people."""
    columns = load("census_income_kdd")
    for name in ("instance_weight", "split"):  # about the sample, not about the person
        columns.pop(name, None)
    columns["income"] = np.char.startswith(np.char.strip(columns["income"].astype(str)), "50000")
    label = Binary("income", positive=True, negative=False)
    rows = len(columns["income"])
    return Task("census income above 50,000", columns, label, "AUC", int(0.7 * rows))


def predict(task: Task, epsilons: Sequence[float], seeds: Sequence[int]) -> list[Prediction]:
    """One split per seed, shared by all epsilons and the model that is not private."""
    runs = [_run(task, epsilons, seed) for seed in seeds]
    private = np.array([run.private for run in runs])
    return [
        Prediction(
            task=task.name,
            measure=task.measure,
            epsilon=epsilon,
            people=task.people,
            dimension=runs[0].dimension,
            private=private[:, j],
            not_private=np.array([run.not_private for run in runs]),
            baseline=_baseline(task),
        )
        for j, epsilon in enumerate(epsilons)
    ]


@dataclass(frozen=True)
class _Run:
    private: list[float]
    not_private: float
    dimension: int


def _run(task: Task, epsilons: Sequence[float], seed: int) -> _Run:
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(task.columns[task.label.column]))
    public = _take(task.columns, order[:PUBLIC_ROWS])
    people = order[PUBLIC_ROWS : PUBLIC_ROWS + task.people]
    test = order[PUBLIC_ROWS + task.people :]
    labels = task.columns[task.label.column]
    weights = task.label.weights(column(labels[people]))
    theirs, rows, truth = _take(task.columns, people), _take(task.columns, test), labels[test]
    private = []
    for epsilon in epsilons:
        study = _study(task, public, epsilon)
        z = study.encode(theirs)
        found = fit(study, simulate_tally(study, z, weights, generator), public=public)
        private.append(_score(task, found, rows, truth))
    return _Run(
        private=private,
        not_private=_not_private(task, _Rows(z, labels[people]), _Rows(study.encode(rows), truth)),
        dimension=study.dimension,
    )


def _study(task: Task, public: Columns, epsilon: float) -> Study:
    return Study.from_public(
        public,
        label=task.label,
        epsilon=epsilon,
        source="a random sample",
        purpose="predictions",
        people=task.people,
        simulation=True,
    )


def _take(columns: Columns, rows: NDArray[np.intp]) -> Columns:
    return {name: values[rows] for name, values in columns.items()}


def _score(task: Task, found: Fit, rows: Columns, truth: NDArray[Any]) -> float:
    if isinstance(task.label, Binary):
        return _measured(task, found.decision_function(rows), truth)
    return float(np.mean(found.predict(rows) == truth.astype(str)))


def _measured(task: Task, scores: Floats, truth: NDArray[Any]) -> float:
    """AUC or accuracy of log-odds."""
    from sklearn.metrics import roc_auc_score

    if task.measure == "AUC":
        return float(roc_auc_score(truth, scores))
    return float(np.mean((scores > 0) == truth))


@dataclass(frozen=True)
class _Rows:
    """Coded features with their labels."""

    z: Floats
    labels: NDArray[Any]


def _not_private(task: Task, people: _Rows, test: _Rows) -> float:
    """scikit-learn's logistic regression on the same people and the same design columns."""
    from sklearn.linear_model import LogisticRegression

    scale = people.z[:, 1:].std(axis=0)
    model = LogisticRegression(max_iter=200).fit(people.z[:, 1:] / scale, people.labels)
    coded = test.z[:, 1:] / scale
    if task.measure == "AUC":
        return _measured(task, model.decision_function(coded), test.labels)
    return float(model.score(coded, test.labels))


def _baseline(task: Task) -> float:
    """What is reached without looking at any feature."""
    if task.measure == "AUC":
        return 0.5
    _, counts = np.unique(task.columns[task.label.column], return_counts=True)
    return float(counts.max() / counts.sum())
