"""Rows as the estimators take them: arrays of numbers, and frames of whatever a study reads."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.validation import validate_data

from tacit.answers import column, is_missing
from tacit.errors import MissingLabelError
from tacit.study.rows import Columns, columns


def read_people(
    estimator: Any, X: Any, y: ArrayLike, *, numeric: bool
) -> tuple[Columns, NDArray[Any]]:
    """The columns of X, whose names the estimator keeps, and the labels y."""
    if _is_frame(X):
        validate_data(estimator, X, y, skip_check_array=True)
        table, kind = columns(X), np.float64 if numeric else None
        y = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=kind, input_name="y")
        check_consistent_length(next(iter(table.values()), ()), y)
    else:
        X, y = validate_data(estimator, X, y, dtype=np.float64, y_numeric=numeric)
        table = _named(_names_in(estimator), X)
    labels = np.asarray(y)
    _refuse_missing(labels)
    return table, labels


def read_rows(estimator: Any, X: Any, names: tuple[str, ...], least: int = 1) -> Columns:
    """The columns of other rows, by the names of those that the estimator was fitted on."""
    if not _is_frame(X):
        found = validate_data(estimator, X, reset=False, dtype=np.float64, ensure_min_samples=least)
        return _named(names, found)
    validate_data(estimator, X, reset=False, skip_check_array=True)
    table = columns(X)
    return table if set(table) == set(names) else dict(zip(names, table.values(), strict=True))


def _refuse_missing(labels: NDArray[Any]) -> None:
    """Of texts; sklearn itself refuses numbers that are NaN."""
    missing = is_missing(column(labels)) if labels.dtype.kind == "O" else np.zeros(0, dtype=bool)
    if missing.any():
        raise MissingLabelError(
            f"y is missing in {int(missing.sum())} of {len(labels)} rows: no report is made "
            "without a label; leave these rows out of X and y"
        )


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") or hasattr(X, "column_names")


def _names_in(estimator: Any) -> tuple[str, ...]:
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return tuple(f"x{j}" for j in range(estimator.n_features_in_))
    return tuple(map(str, names))


def _named(names: tuple[str, ...], X: NDArray[np.float64]) -> Columns:
    return {name: X[:, j] for j, name in enumerate(names)}
