import json
import re
from pathlib import Path

import pytest

from tacit.cli.docs import render
from tests.cli.conftest import Command

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_page_is_what_the_help_says() -> None:
    """Refresh it with `python -m tacit.cli.docs`."""
    assert PAGE.read_text(encoding="utf-8") == render()


@pytest.mark.parametrize(
    "command",
    [
        "study public.parquet --label left:count:3 --epsilon 1 --source panel -o new.json",
        "plan study.json --public public.parquet --people 500 --no-plot",
        "report study.json people.csv -o new.tacit",
        "fit study.json reports.tacit --public public.parquet -o new.json --no-plot",
        "predict model.json people.csv",
        "audit study.json --draws 1000",
    ],
)
def test_the_page_names_every_key_of_json(folder: Path, tacit: Command, command: str) -> None:
    """Nothing undocumented is printed, and nothing documented is missing."""
    name = command.split(maxsplit=1)[0]
    line = next(line for line in render().splitlines() if line.startswith(f"| {name} |"))
    documented = {*re.findall("`(\\w+)`", line)}
    told = json.loads(tacit(*command.split(), "--json").out)
    inner = told.get("coefficients") or told.get("checks") or [{}]
    shares = inner[0].get("shares", {})
    assert {*told, *inner[0], *shares} == documented
