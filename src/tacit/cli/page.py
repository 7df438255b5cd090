"""`tacit page`: the participants' page as a file, to host it apart from the collector."""

from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from tacit.cli import console
from tacit.cli import options as ask
from tacit.cli.files import load_study
from tacit.study.files import write_atomically

NewPage = Annotated[Path, ask.option("-o", "--output", text="Where the page goes.")]
Invited = Annotated[
    Path | None, ask.option("--study", metavar="STUDY", text="The study file, for the whole link.")
]
Collector = Annotated[
    str | None, ask.option("--collector", metavar="URL", text="The collector, for the whole link.")
]


def page(*, output: NewPage, study_file: Invited = None, collector: Collector = None) -> None:
    """Write the participants' page, to host it apart from the collector.

    One file that loads nothing else. Whoever serves a page can change it, so publish its SHA-256
    where neither its host nor the collector can. Prints that and the link to give to people.

    \b
    Example:
      tacit page -o join.html --study study.json --collector https://collector.example
    """
    from tacit.collector.pages import page as assembled
    from tacit.device.address import checked_collector

    console.check_outputs([output], [study_file] if study_file else [])
    identity = load_study(study_file).id if study_file else "STUDY"
    reached = "COLLECTOR" if collector is None else checked_collector(collector)
    join = assembled("join")
    write_atomically(output, join.html)
    where = f"https://YOUR-HOST/{quote(output.name)}"
    console.out(f"SHA-256  {join.sha256}")
    console.out(f"Link     {where}#study={identity}&collector={quote(reached, safe=':/')}")
    console.wrote(output)
