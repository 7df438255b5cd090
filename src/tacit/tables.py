"""Tables on disk: CSV and Parquet in, predictions out. The rows may be public or private."""

import csv
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol

from tacit.answers import text
from tacit.errors import ConfigurationError
from tacit.labels import Label
from tacit.study.margins import Margins
from tacit.study.schema import Feature

READABLE = (".csv", ".parquet")


class Asking(Protocol):
    """A study, as far as reading a table depends on it."""

    @property
    def features(self) -> Sequence[Feature]:
        """Whose levels are texts."""
        ...

    @property
    def label(self) -> Label:
        """Whose classes are texts."""
        ...

    @property
    def margins(self) -> Margins:
        """Whose levels are texts."""
        ...


def read_table(path: str | os.PathLike[str], study: Asking | None = None) -> Any:
    """An Arrow table of a CSV or Parquet file with at least one row.

    In a CSV file an empty field is missing. With a `study`, columns whose levels would not
    survive being taken for something else ("007", "NA") are kept as text.
    """
    source = Path(path)
    suffix = source.suffix.lower()
    if suffix not in READABLE:
        raise ConfigurationError(
            f"cannot read {source}: its name must end in {' or '.join(READABLE)}"
        )
    require_file(source)
    read = _read_parquet if suffix == ".parquet" else partial(_read_csv, study)
    with source.open("rb") as file:
        return _table(file, str(source), read)


def parse_parquet(data: bytes, name: str) -> Any:
    """An Arrow table of the bytes of a Parquet file with at least one row; `name` is for errors."""
    return _table(io.BytesIO(data), name, _read_parquet)


def _table(file: IO[bytes], name: str, read: Callable[[IO[bytes]], Any]) -> Any:
    import pyarrow as pa

    try:
        table = _plain(read(file))
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise ConfigurationError(f"cannot read {name}: {_reason(error)}") from error
    if table.num_rows == 0:
        raise ConfigurationError(f"{name} has no rows; pass a file with at least one")
    return table


def require_file(path: Path) -> None:
    """Refuse a path that is absent or a directory, before anything else is done."""
    if path.is_dir():
        raise ConfigurationError(f"{path} is a directory; pass a file")
    if not path.exists():
        raise ConfigurationError(f"there is no file {path}")


def write_parquet(
    columns: Mapping[str, Any], metadata: Mapping[bytes, bytes] | None = None
) -> bytes:
    """The bytes of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(pa.table(dict(columns), metadata=metadata), sink)
    return sink.getvalue()


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """CSV with as many quotes as it needs."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return sink.getvalue()


def _read_csv(study: Asking | None, file: IO[bytes]) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    return arrow_csv.read_csv(
        file,
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(_text_columns(study), pa.string())
        ),
    )


def _read_parquet(file: IO[bytes]) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetFile(file).read()


def _text_columns(study: Asking | None) -> list[str]:
    if study is None:
        return []
    levels = {feature.name: (*feature.levels, *feature.merged) for feature in study.features}
    levels |= {name: tuple(m) for name, m in study.margins.items() if isinstance(m, dict)}
    levels[study.label.column] = study.label.classes
    return [name for name, known in levels.items() if not all(map(_survives, known))]


def _survives(level: str) -> bool:
    """Whether a level is the same after a CSV reader took it for a number or for nothing."""
    from pyarrow import csv as arrow_csv

    if level in arrow_csv.ConvertOptions().null_values:
        return False
    try:
        return text(float(level)) == level
    except (ValueError, OverflowError):
        return True


def _plain(table: Any) -> Any:
    """Dates and undeclared text as text: other than numbers they can only be levels."""
    from pyarrow import string, types

    for place, name in enumerate(table.column_names):
        column = table.column(place)
        if any(
            test(column.type)
            for test in (types.is_temporal, types.is_binary, types.is_large_binary)
        ):
            table = table.set_column(place, name, column.cast(string()))
    return table


def _reason(error: Exception) -> str:
    told = getattr(error, "strerror", None) or str(error) or type(error).__name__
    if isinstance(error, UnicodeError) or "utf8" in told.casefold().replace("-", ""):
        return "it is not UTF-8 text; save it as UTF-8"
    return told
