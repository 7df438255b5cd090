"""Finding and reading data sets."""

from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest

from evidence import datasets
from tacit.errors import ConfigurationError, TacitError


@pytest.fixture
def nothing_at_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Empty data and cache directories."""
    monkeypatch.setenv(datasets.VARIABLE, str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize("name", datasets.DATASETS)
def test_every_data_set_loads(name: str, require_data: Callable[[str], None]) -> None:
    """Columns are arrays of one length, with the names a fetched original would have."""
    require_data(name)
    columns = datasets.load(name)
    assert len({len(values) for values in columns.values()}) == 1
    assert set(datasets.DATASETS[name].columns) <= set(columns)


def test_unknown_name_is_refused() -> None:
    """The error names the data sets there are."""
    with pytest.raises(ConfigurationError, match="covertype"):
        datasets.load("iris")


def test_absent_file_that_cannot_be_fetched(nothing_at_hand: Path) -> None:
    """The error says where to put which file and where the original is."""
    with pytest.raises(TacitError, match=r"insurance.parquet.*TACIT_DATA.*original"):
        datasets.load("insurance")


def test_no_network_is_told(nothing_at_hand: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed download becomes an error that says what to do."""

    def fail(**_: object) -> None:
        raise URLError("no route")

    monkeypatch.setattr("sklearn.datasets.fetch_covtype", fail)
    with pytest.raises(TacitError, match=r"covertype.parquet.*no route"):
        datasets.load("covertype")


def test_a_fetched_original_is_kept(nothing_at_hand: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time nothing is fetched: the cache has the file, under our column names."""
    features, target = np.arange(108.0).reshape(2, 54), np.array([1, 2])
    monkeypatch.setattr("sklearn.datasets.fetch_covtype", lambda **_: (features, target))
    first = datasets.load("covertype")
    monkeypatch.delattr("sklearn.datasets.fetch_covtype")
    again = datasets.load("covertype")
    assert list(again) == list(datasets.DATASETS["covertype"].columns)
    assert all(np.array_equal(first[name], again[name]) for name in first)


def test_missing_answers_stay_missing(nothing_at_hand: Path) -> None:
    """Text with gaps is read as text with None, not as a level of its own."""
    import pyarrow as pa
    from pyarrow import parquet

    (nothing_at_hand / "data").mkdir()
    gaps = pa.array(["a", None, "b"]).dictionary_encode()
    parquet.write_table(pa.table({"x": gaps}), nothing_at_hand / "data" / "insurance.parquet")
    assert datasets.load("insurance")["x"].tolist() == ["a", None, "b"]
