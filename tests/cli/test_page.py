import hashlib
from pathlib import Path

import pytest

from tacit.cli.page import page
from tacit.collector import pages
from tacit.errors import ConfigurationError
from tacit.study import Study


def test_the_page_is_written_with_its_hash(tmp_path, capsys):
    """The very page that the collector serves, and the form of a link to it."""
    file = tmp_path / "join us.html"
    page(output=file)
    out, err = capsys.readouterr()
    assert file.read_bytes() == pages.page("join").html
    assert hashlib.sha256(file.read_bytes()).hexdigest() in out
    assert "https://YOUR-HOST/join%20us.html#study=STUDY&collector=COLLECTOR" in out
    assert str(file) in err


def test_the_whole_link(folder, capsys):
    """With the study and the collector, only the page's own host is left to fill in."""
    page(
        output=Path("join.html"),
        study_file=Path("study.json"),
        collector="https://collector.example/here/",
    )
    link = f"#study={Study.load('study.json').id}&collector=https://collector.example/here\n"
    assert link in capsys.readouterr().out


@pytest.mark.parametrize("collector", ["collector.example", "http://collector.example", "https://"])
def test_a_collector_that_the_page_would_refuse(tmp_path, collector):
    """Is refused here, before anything is written."""
    with pytest.raises(ConfigurationError, match="collector must be an address"):
        page(output=tmp_path / "join.html", collector=collector)
    assert list(tmp_path.iterdir()) == []
