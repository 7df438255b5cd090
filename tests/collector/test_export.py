import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit import Binary, Study, read_reports
from tacit.collector.export import reports_file, segment_parquet
from tacit.collector.storage.interface import Post, StoredStudy
from tacit.collector.storage.sqlite.store import SQLiteStore
from tacit.study.report import Seeds
from tests.inference.helpers import make_rows

DAYS = ("2026-03-01", "2026-03-02")
SEEDS = np.random.default_rng(0).integers(0, 256, (3000, 16), dtype=np.uint8)


@pytest.fixture(scope="module")
def study() -> Study:
    """A small study."""
    label = Binary("y", positive=1, negative=0)
    return Study.from_public(make_rows(300, 0), label=label, epsilon=2.0, source="simulated")


@pytest.fixture
def store(tmp_path: Path, study: Study) -> Iterator[SQLiteStore]:
    """A store with the study and no reports."""
    opened = SQLiteStore.open(tmp_path / "study.db")
    opened.create(study, planned=None, needs_code=False)
    yield opened
    opened.close()


def fill(store: SQLiteStore, study: Study, seeds: Seeds, day: str, pieces: int) -> StoredStudy:
    """Store reports in several commits."""
    for piece in np.array_split(seeds, pieces):
        store.append([Post(study.id, piece)], day)
    return store.studies()[0]


def as_set(seeds: Seeds) -> set[bytes]:
    """Reports without an order."""
    return {seed.tobytes() for seed in seeds}


def test_the_file_of_reports_is_one_that_tacit_reads(
    store: SQLiteStore, study: Study, tmp_path: Path
) -> None:
    """Every stored report once, whatever the day, and no byte more."""
    fill(store, study, SEEDS[:1000], DAYS[0], 3)
    stored = fill(store, study, SEEDS[1000:], DAYS[1], 2)
    path = tmp_path / "reports.tacit"
    path.write_bytes(b"".join(reports_file(store, stored)))
    found = read_reports(path, study)
    assert as_set(found.seeds) == as_set(SEEDS)
    assert (len(found.seeds), found.duplicates, found.truncated_bytes) == (len(SEEDS), 0, 0)


def test_files_do_not_tell_the_order_of_arrival(
    store: SQLiteStore, study: Study, tmp_path: Path
) -> None:
    """Reports that came in another order and in other commits give the same bytes."""
    stored = fill(store, study, SEEDS, DAYS[0], 7)
    other = SQLiteStore.open(tmp_path / "other.db")
    try:
        other.create(study, planned=None, needs_code=False)
        shuffled = np.random.default_rng(1).permutation(SEEDS)
        fill(other, study, shuffled, DAYS[0], 2)
        assert b"".join(reports_file(other, stored)) == b"".join(reports_file(store, stored))
        assert segment_parquet(other, stored, DAYS[0]) == segment_parquet(store, stored, DAYS[0])
    finally:
        other.close()


def test_a_day_as_parquet_holds_its_reports_alone(store: SQLiteStore, study: Study) -> None:
    """A column of sixteen bytes each, with the study's id and the day beside it."""
    fill(store, study, SEEDS[:1000], DAYS[0], 3)
    stored = fill(store, study, SEEDS[1000:], DAYS[1], 2)
    table = pq.read_table(io.BytesIO(segment_parquet(store, stored, DAYS[1])))
    assert table.schema.field("seed").type == pa.binary(16)
    assert table.column("seed").to_pylist() == sorted(as_set(SEEDS[1000:]))
    facts = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    assert facts == {"tacit.study": study.id, "tacit.day": DAYS[1]}


def test_parquet_is_written_plainly(store: SQLiteStore, study: Study) -> None:
    """Random bytes gain nothing from compression, dictionaries or statistics."""
    stored = fill(store, study, SEEDS, DAYS[0], 1)
    data = segment_parquet(store, stored, DAYS[0])
    column = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(0).column(0)
    assert (column.compression, column.is_stats_set, column.has_dictionary_page) == (
        "UNCOMPRESSED",
        False,
        False,
    )


def test_a_day_without_reports_is_an_empty_table(store: SQLiteStore, study: Study) -> None:
    """And an empty study an empty file of reports."""
    stored = store.studies()[0]
    assert pq.read_table(io.BytesIO(segment_parquet(store, stored, DAYS[0]))).num_rows == 0
    assert b"".join(reports_file(store, stored))[8:] == bytes.fromhex(study.id)
