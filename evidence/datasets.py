"""Real data for experiments: Parquet files at hand first, the published originals otherwise.

Files are looked for in the directory that TACIT_DATA names, then in the user's cache. Where
neither has one, those that scikit-learn can fetch are fetched and kept in the cache.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ConfigurationError, TacitError

Columns = dict[str, NDArray[Any]]

VARIABLE = "TACIT_DATA"


class DatasetError(TacitError):
    """A data set is neither at hand nor to be had."""


@dataclass(frozen=True)
class Dataset:
    """Where the original is published; its columns, and its number on OpenML if it is there."""

    origin: str
    columns: tuple[str, ...] = ()
    openml: int | None = None


_UCI = "https://archive.ics.uci.edu/dataset"
_COVERTYPE_COLUMNS = (
    "Elevation Aspect Slope Horizontal_Distance_To_Hydrology Vertical_Distance_To_Hydrology "
    "Horizontal_Distance_To_Roadways Hillshade_9am Hillshade_Noon Hillshade_3pm "
    "Horizontal_Distance_To_Fire_Points"
)
_CENSUS_COLUMNS = (
    "age class_of_worker industry_code occupation_code education wage_per_hour enrolled_in_edu "
    "marital_status major_industry major_occupation race hispanic_origin sex union_member "
    "unemployment_reason employment_stat capital_gains capital_losses dividends tax_filer_status "
    "prev_region prev_state household_detail household_summary instance_weight migration_msa "
    "migration_reg migration_within_reg live_1yr_ago migration_sunbelt num_persons_employer "
    "family_under18 country_father country_mother country_self citizenship own_business "
    "veterans_questionnaire veterans_benefits weeks_worked year income"
)

DATASETS: Mapping[str, Dataset] = {
    "bike_hour": Dataset(f"{_UCI}/275"),
    "census_income_kdd": Dataset(f"{_UCI}/117", tuple(_CENSUS_COLUMNS.split()), 4535),
    "covertype": Dataset(
        f"{_UCI}/31",
        (
            *_COVERTYPE_COLUMNS.split(),
            *(f"Wilderness_Area{k}" for k in range(1, 5)),
            *(f"Soil_Type{k}" for k in range(1, 41)),
            "Cover_Type",
        ),
    ),
    "insurance": Dataset("https://github.com/stedy/Machine-Learning-with-R-datasets"),
    "nist_acs_national2019": Dataset("https://github.com/usnistgov/SDNist"),
    "sgemm_gpu": Dataset(f"{_UCI}/440"),
    "skin_segmentation": Dataset(f"{_UCI}/229", ("B", "G", "R", "skin"), 1502),
    "superconductor": Dataset(f"{_UCI}/464"),
    "yearpredictionmsd_first1176": Dataset(f"{_UCI}/203"),
}


def load(name: str) -> Columns:
    """The columns of a data set by name; text columns hold `str`, or None where empty."""
    path = find(name)
    if path is not None:
        return _read(path)
    columns = _fetch(name)
    _keep(columns, _cache() / f"{name}.parquet")
    return columns


def find(name: str) -> Path | None:
    """The file of a data set, if it is at hand."""
    if name not in DATASETS:
        raise ConfigurationError(f"there is no data set {name!r}; there are {', '.join(DATASETS)}")
    paths = (directory / f"{name}.parquet" for directory in _directories())
    return next((path for path in paths if path.is_file()), None)


def _directories() -> list[Path]:
    stated = os.environ.get(VARIABLE)
    return [Path(stated).expanduser(), _cache()] if stated else [_cache()]


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tacit" / "data"


def _read(path: Path) -> Columns:
    from pyarrow import parquet

    table = parquet.read_table(path)
    return {name: _as_array(table.column(name)) for name in table.column_names}


def _as_array(column: Any) -> NDArray[Any]:
    if str(column.type).startswith("dictionary"):
        values = column.cast(column.type.value_type)
        return np.asarray(values.to_numpy(zero_copy_only=False), dtype=object)
    return np.asarray(column.to_numpy())


def _fetch(name: str) -> Columns:
    """The original from the network, under the names used here; rows in the published order."""
    dataset = DATASETS[name]
    try:
        if name == "covertype":
            return _fetch_covertype(dataset)
        if dataset.openml is not None:
            return _fetch_openml(dataset)
    except ImportError as error:
        raise DatasetError(f"{_not_at_hand(name)}; fetching it takes pandas: {error}") from error
    except OSError as error:  # URLError and HTTPError among them
        raise DatasetError(f"{_not_at_hand(name)}; fetching it failed: {error}") from error
    raise DatasetError(f"{_not_at_hand(name)}; it cannot be fetched automatically")


def _not_at_hand(name: str) -> str:
    places = " nor in ".join(str(directory) for directory in _directories())
    return (
        f"the data set {name!r} is not in {places}: put {name}.parquet there, or set {VARIABLE} "
        f"to the directory that has it (original: {DATASETS[name].origin})"
    )


def _fetch_covertype(dataset: Dataset) -> Columns:
    from sklearn.datasets import fetch_covtype

    features, target = fetch_covtype(return_X_y=True)
    return dict(zip(dataset.columns, [*features.T, target], strict=True))


def _fetch_openml(dataset: Dataset) -> Columns:
    from sklearn.datasets import fetch_openml

    frame = fetch_openml(data_id=dataset.openml, as_frame=True).frame
    if frame.shape[1] != len(dataset.columns):
        raise DatasetError(
            f"data set {dataset.openml} on OpenML has {frame.shape[1]} columns, not the "
            f"{len(dataset.columns)} expected; get the original from {dataset.origin}"
        )
    values = (np.asarray(frame.iloc[:, j]) for j in range(frame.shape[1]))
    return dict(zip(dataset.columns, values, strict=True))


def _keep(columns: Columns, path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    parquet.write_table(pa.table(columns), part)
    part.replace(path)
