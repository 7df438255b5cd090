"""Where a collector may be reached, by the vectors that the page is held to as well."""

import json
from pathlib import Path
from typing import Any

import pytest

from tacit.device.address import checked_collector
from tacit.errors import ConfigurationError
from tests.vectors import make

VECTORS = json.loads((Path(make.__file__).parent / "addresses.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", VECTORS["good"], ids=lambda case: case["address"])
def test_good_addresses_lose_the_slashes_at_their_end(case: dict[str, str]) -> None:
    """By TLS anywhere, or on this very machine."""
    assert checked_collector(case["address"]) == case["reached"]


@pytest.mark.parametrize(
    "address", [*VECTORS["bad"], 7, None, b"https://c.example", ["a"]], ids=repr
)
def test_any_other_address_is_refused(address: Any) -> None:
    """It is shown, with the form it should have."""
    with pytest.raises(ConfigurationError, match="collector must be an address such as https"):
        checked_collector(address)
