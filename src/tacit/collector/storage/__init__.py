"""Where reports are kept: what a store can do (`interface.py`), and each kind in its folder."""

import os
from collections.abc import Callable

from tacit.collector.storage.interface import Store


def open_store(
    location: str | os.PathLike[str], progress: Callable[[int], None] | None = None
) -> Store:
    """The store at a location, made if it is not there; a location is a file, kept by SQLite.

    `progress` is told how many stored reports each step read.
    """
    from tacit.collector.storage.sqlite.store import SQLiteStore

    return SQLiteStore.open(location, progress)
