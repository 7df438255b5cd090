"""Rows of any usual shape as named columns, and what a single value means.

Nothing here raises because of a value: a private value may be of any type whatever.
"""

import math
import numbers as kinds
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ConfigurationError

Columns = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_NUMBER_KINDS = "biuf"
_ABSENT_TYPES = ("NAType", "NaTType")  # of pandas, which is never imported here


def columns(rows: Any, only: Collection[str] | None = None) -> Columns:
    """Named columns of a mapping, a data frame, an Arrow table or a sequence of records.

    A mapping with at least one single value is one record. `only` skips other columns.
    """
    if isinstance(rows, Mapping):
        if rows and not all(_is_column(values) for values in rows.values()):
            return _of_records([rows], only)
        return _of_names(rows, lambda name: as_column(rows[name]), only)
    if hasattr(rows, "column_names"):
        return _of_names(rows.column_names, lambda name: _from_arrow(rows.column(name)), only)
    if hasattr(rows, "columns"):
        return _of_names(rows.columns, lambda name: np.asarray(rows[name]), only)
    if isinstance(rows, Sequence) and all(isinstance(record, Mapping) for record in rows):
        return _of_records(rows, only)
    raise ConfigurationError(
        f"rows must be a mapping of columns, a data frame, an Arrow table or a list of records, "
        f"got {type(rows).__name__}"
    )


def length(table: Columns) -> int:
    """The number of rows."""
    return len(next(iter(table.values()))) if table else 0


def is_missing(values: NDArray[Any]) -> Flags:
    """None, NaN, NA, NaT and blank text."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in _NUMBER_KINDS:
        return np.zeros(len(values), dtype=bool)
    if values.dtype.kind in "mM":
        return np.asarray(np.isnat(values))
    return np.fromiter(map(_is_absent, values), dtype=bool, count=len(values))


def numbers(values: NDArray[Any]) -> Floats:
    """As float64: numeric text is parsed, booleans are 0 and 1, anything else is NaN."""
    if values.dtype.kind in _NUMBER_KINDS:
        return np.ascontiguousarray(values, dtype=np.float64)
    return np.fromiter(map(_number, values), dtype=np.float64, count=len(values))


def text(value: Any) -> str:
    """The canonical text of a level: True is "true", 1 and 1.0 are "1", text is stripped."""
    try:
        return _text(value)
    except Exception:  # a private value may be an object that cannot even be printed
        return type(value).__name__


def look_up(values: NDArray[Any], find: Callable[[str], float]) -> Floats:
    """`find` of the text of every value; of a machine type, once per distinct value."""
    if values.dtype.kind != "O":
        distinct, places = np.unique(values, return_inverse=True)
        return look_up(distinct.astype(object), find)[places]
    found = (find(text(value)) for value in values)
    return np.fromiter(found, dtype=np.float64, count=len(values))


def _text(value: Any) -> str:
    if isinstance(value, str):
        stripped = value.strip()
        folded = stripped.casefold()
        return folded if folded in {"true", "false"} else stripped
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | float | Decimal | kinds.Real):
        return str(math.floor(value)) if value == value // 1 else repr(float(value))
    return str(value).strip()


def _number(value: Any) -> float:
    if not isinstance(value, float | int | str | kinds.Real | Decimal | np.bool_):
        return float("nan")
    try:
        return float(value)
    except Exception:  # as in text: nothing about a private value may stop a report
        return float("nan")


def _is_absent(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, float | np.floating):
        return bool(value != value)  # noqa: PLR0124 (only NaN differs from itself)
    if isinstance(value, Decimal):
        return value.is_nan()
    return type(value).__name__ in _ABSENT_TYPES


def _is_column(values: Any) -> bool:
    return hasattr(values, "__len__") and not isinstance(values, str | bytes | Mapping | set)


def as_column(values: Any) -> NDArray[Any]:
    """A list of mixed types stays a column of objects: numpy alone would turn it into text."""
    if not isinstance(values, list | tuple):
        return np.asarray(values)
    types = set(map(type, values))
    if types and (types <= {bool} or types <= {int, float}):
        try:
            return np.array(values, dtype=bool if bool in types else np.float64)
        except OverflowError:
            pass
    return _objects(values, len(values))


def _objects(values: Iterable[Any], count: int) -> NDArray[Any]:
    """One object per row, also where the object is itself a list."""
    array = np.empty(count, dtype=object)
    for row, value in enumerate(values):
        array[row] = value
    return array


def _from_arrow(column: Any) -> NDArray[Any]:
    if str(column.type).startswith("dictionary"):  # its to_numpy turns nulls into a level
        return _objects(column.to_pylist(), len(column))
    return np.asarray(column.to_numpy())


def _of_records(records: Sequence[Mapping[str, Any]], only: Collection[str] | None) -> Columns:
    names = dict.fromkeys(name for record in records for name in record)
    return {
        str(name): _objects((record.get(name) for record in records), len(records))
        for name in names
        if only is None or name in only
    }


def _of_names(
    names: Iterable[Any], column: Callable[[Any], NDArray[Any]], only: Collection[str] | None
) -> Columns:
    names = list(names)
    if len({str(name) for name in names}) < len(names):
        raise ConfigurationError(f"column names must differ, got {names}; rename the repeated ones")
    table = {str(name): column(name) for name in names if only is None or str(name) in only}
    for name, values in table.items():
        if values.ndim != 1:
            raise ConfigurationError(
                f"column {name!r} must be one-dimensional, got shape {values.shape}"
            )
    lengths = {name: len(values) for name, values in table.items()}
    if len(set(lengths.values())) > 1:
        raise ConfigurationError(f"columns must have equal lengths, got {lengths}")
    return table
