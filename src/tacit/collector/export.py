"""Stored reports as files. Each day is sorted: no file tells in which order reports arrived."""

import io
from collections.abc import Iterator

import numpy as np

from tacit.collector.storage.interface import Store, StoredStudy
from tacit.study.report import MAGIC, REPORT_BYTES, Seeds

_PIECE = 65_536  # reports


def reports_file(store: Store, stored: StoredStudy) -> Iterator[bytes]:
    """The pieces of a file that `tacit.read_reports` reads, in memory one day at a time."""
    yield MAGIC + bytes.fromhex(stored.study.id)
    for segment in store.segments(stored.study.id):
        seeds = _sorted_day(store, stored, segment.day)
        for start in range(0, len(seeds), _PIECE):
            yield seeds[start : start + _PIECE].tobytes()


def segment_parquet(store: Store, stored: StoredStudy, day: str) -> bytes:
    """One day's reports as Parquet: a column `seed` of 16 bytes each, the study's id beside it.

    Seeds are incompressible and distinct, so there is no compression, dictionary or statistics.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    seeds = _sorted_day(store, stored, day)
    kind = pa.binary(REPORT_BYTES)
    column = pa.FixedSizeBinaryArray.from_buffers(kind, len(seeds), [None, pa.py_buffer(seeds)])
    facts = {"tacit.study": stored.study.id, "tacit.day": day}
    schema = pa.schema([pa.field("seed", kind, nullable=False)], metadata=facts)
    sink = io.BytesIO()
    pq.write_table(
        pa.table([column], schema=schema),
        sink,
        compression="none",
        use_dictionary=False,
        write_statistics=False,
    )
    return sink.getvalue()


def _sorted_day(store: Store, stored: StoredStudy, day: str) -> Seeds:
    pieces = list(store.seeds(stored.study.id, day))
    if not pieces:
        return np.empty((0, REPORT_BYTES), dtype=np.uint8)
    seeds = np.concatenate(pieces)
    seeds.view(f"V{REPORT_BYTES}").sort(axis=0)  # in place, by bytes
    return seeds
