"""`tacit demo`: the whole path on made-up data."""

from pathlib import Path
from typing import Annotated

from tacit.cli import console
from tacit.cli import options as ask


def demo(
    out: Annotated[Path, ask.option("--out", metavar="DIR", text="Where the files go.")] = Path(
        "demo"
    ),
    people: Annotated[
        int, ask.option("--people", metavar="N", text="How many people take part.")
    ] = 100_000,
    epsilon: Annotated[
        float, ask.option("--epsilon", metavar="E", text="Privacy of one report.")
    ] = 1.0,
    serve: Annotated[
        bool, ask.flag("--serve", "Start a collector and let the people join it live.")
    ] = False,
    port: Annotated[
        int, ask.option("--port", metavar="N", min=0, max=65535, text="With --serve: where.")
    ] = 8000,
) -> None:
    """Run a whole study on made-up people.

    It plans, randomizes, tallies, fits and plots. The people are the same in every run; their
    devices are not, so the estimates differ a little. Files of an earlier run are replaced.
    With --serve it starts a collector instead, and the people join while you watch the dashboard.

    \b
    Example:
      tacit demo --out demo
      tacit demo --serve
    """
    if serve:
        from tacit.demo import live

        live.run(out, people, epsilon, port, say=console.out)
        return
    from tacit.demo import offline

    offline.run(out, people, epsilon, say=console.out, progress=console.progress)
