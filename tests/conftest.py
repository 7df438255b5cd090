"""What every test shares: examples that repeat from run to run, and no limit on their time."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from evidence import datasets

settings.register_profile("tacit", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("tacit")

_BESIDE_THE_REPOSITORY = Path(__file__).resolve().parents[2] / "shared" / "data"
if _BESIDE_THE_REPOSITORY.is_dir():
    os.environ.setdefault(datasets.VARIABLE, str(_BESIDE_THE_REPOSITORY))


@pytest.fixture(scope="session")
def require_data() -> Callable[[str], None]:
    """Skip without the data set, or fail where nothing may be skipped (TACIT_ASSURE=1)."""

    def require(name: str) -> None:
        if datasets.find(name) is not None:
            return
        missing = f"{name}.parquet is absent; set {datasets.VARIABLE} to the directory that has it"
        if os.environ.get("TACIT_ASSURE") == "1":
            pytest.fail(missing)
        pytest.skip(missing)

    return require
