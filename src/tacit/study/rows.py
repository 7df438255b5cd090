"""Rows of any usual shape as named columns."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from tacit.answers import Column, column
from tacit.errors import ConfigurationError

Columns = dict[str, Column]


def columns(rows: Any, only: Collection[str] | None = None) -> Columns:
    """Named columns of a mapping, a data frame, an Arrow table or a sequence of records.

    A mapping with at least one single value is one record. `only` skips other columns.
    """
    if isinstance(rows, Mapping):
        if rows and not all(_is_column(values) for values in rows.values()):
            return _of_records([rows], only)
        return _of_names(rows, lambda name: rows[name], only)
    if hasattr(rows, "column_names"):
        return _of_names(rows.column_names, lambda name: _from_arrow(rows.column(name)), only)
    if hasattr(rows, "columns"):
        return _of_names(rows.columns, lambda name: rows[name], only)
    if isinstance(rows, Sequence) and all(isinstance(record, Mapping) for record in rows):
        return _of_records(rows, only)
    raise ConfigurationError(
        f"rows must be a mapping of columns, a data frame, an Arrow table or a list of records, "
        f"got {type(rows).__name__}"
    )


def length(table: Columns) -> int:
    """The number of rows."""
    return len(next(iter(table.values()))) if table else 0


def _is_column(values: Any) -> bool:
    return hasattr(values, "__len__") and not isinstance(values, str | bytes | Mapping | set)


def _from_arrow(chunks: Any) -> Any:
    if str(chunks.type).startswith("dictionary"):  # its to_numpy turns nulls into a level
        return chunks.to_pylist()
    return chunks.to_numpy()


def _of_records(records: Sequence[Mapping[str, Any]], only: Collection[str] | None) -> Columns:
    names = dict.fromkeys(name for record in records for name in record)
    return {
        str(name): column([record.get(name) for record in records])
        for name in names
        if only is None or name in only
    }


def _of_names(
    names: Iterable[Any], values: Callable[[Any], Any], only: Collection[str] | None
) -> Columns:
    names = list(names)
    if len({str(name) for name in names}) < len(names):
        raise ConfigurationError(f"column names must differ, got {names}; rename the repeated ones")
    table = {str(name): column(values(name)) for name in names if only is None or str(name) in only}
    lengths = {name: len(found) for name, found in table.items()}
    if len(set(lengths.values())) > 1:
        raise ConfigurationError(f"columns must have equal lengths, got {lengths}")
    return table
