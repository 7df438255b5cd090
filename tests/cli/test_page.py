import hashlib
import json
from pathlib import Path

import pytest

from tacit.cli.page import page
from tacit.collector import pages
from tacit.errors import ConfigurationError
from tacit.study import Study
from tests.vectors import make

ADDRESSES = json.loads((Path(make.__file__).parent / "addresses.json").read_text(encoding="utf-8"))


def test_the_page_is_written_with_its_hash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The very page that the collector serves, and the form of a link to it."""
    file = tmp_path / "join us.html"
    page(output=file)
    out, err = capsys.readouterr()
    assert file.read_bytes() == pages.page("join").html
    assert hashlib.sha256(file.read_bytes()).hexdigest() in out
    assert "https://YOUR-HOST/join%20us.html#study=STUDY&collector=COLLECTOR" in out
    assert str(file) in err


def test_the_whole_link(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the study and the collector, only the page's own host is left to fill in."""
    page(
        output=Path("join.html"),
        study_file=Path("study.json"),
        collector="https://collector.example/here/",
    )
    link = f"#study={Study.load('study.json').id}&collector=https://collector.example/here\n"
    assert link in capsys.readouterr().out


def test_every_address_that_the_page_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Goes into the link as it is, without the slashes at its end."""
    for case in ADDRESSES["good"]:
        page(output=tmp_path / "join.html", collector=case["address"])
        assert f"&collector={case['reached']}\n" in capsys.readouterr().out


@pytest.mark.parametrize("collector", ADDRESSES["bad"], ids=repr)
def test_a_collector_that_the_page_would_refuse(tmp_path: Path, collector: str) -> None:
    """Is refused here, before anything is written."""
    with pytest.raises(ConfigurationError, match="collector must be an address"):
        page(output=tmp_path / "join.html", collector=collector)
    assert list(tmp_path.iterdir()) == []
