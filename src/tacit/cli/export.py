"""`tacit export`: closed days of a store as Parquet."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from tacit.cli import console
from tacit.cli import options as ask
from tacit.errors import ConfigurationError, StorageError
from tacit.study.files import write_atomically
from tacit.tables import require_file

StoreFile = Annotated[Path, ask.argument("STORE", "The file in which `tacit serve` keeps reports.")]
Folder = Annotated[
    Path, ask.option("--output", "-o", metavar="DIR", text="The folder to write to.")
]


def export(store_file: StoreFile, *, output: Folder) -> None:
    """Write stored reports as Parquet, one file a day.

    Each study gets a folder with the name of its id. A day is written once no more report can
    come: it is over (UTC), or the study is closed. The server must not run meanwhile; while it
    does, the API gives the same files.

    \b
    Example:
      tacit export study.db -o reports
    """
    from tacit.collector.export import segment_parquet
    from tacit.collector.storage import open_store

    require_file(store_file)
    if output.exists() and not output.is_dir():
        raise ConfigurationError(f"cannot write to {output}: it is a file; name a folder")
    today = datetime.now(UTC).date().isoformat()
    try:
        store = open_store(store_file)
    except StorageError as error:
        raise StorageError(
            f"{error} (a running server gives the same files at /studies/ID/segments/DAY)"
        ) from error
    try:
        for stored in store.studies():
            folder = output / stored.study.id
            for segment in store.segments(stored.study.id):
                if stored.open and segment.day >= today:
                    console.say(f"left out {segment.day}, which is not over, of {folder.name}")
                    continue
                folder.mkdir(parents=True, exist_ok=True)
                file = folder / f"{segment.day}.parquet"
                write_atomically(file, segment_parquet(store, stored, segment.day))
                console.out(f"{file}  {segment.count:,} reports")
    finally:
        store.close()
