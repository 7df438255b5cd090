"""`tacit demo`: the whole path on made-up data."""

from pathlib import Path
from typing import Annotated

import typer

from tacit.cli import console


def demo(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the files go.")] = Path(
        "demo"
    ),
    people: Annotated[
        int, typer.Option("--people", metavar="N", help="How many people take part.")
    ] = 100_000,
    epsilon: Annotated[
        float, typer.Option("--epsilon", metavar="E", help="Privacy of one report.")
    ] = 1.0,
    serve: Annotated[
        bool,
        typer.Option("--serve", help="Start a collector and let the people join it live."),
    ] = False,
    port: Annotated[
        int,
        typer.Option("--port", metavar="N", min=0, max=65535, help="With --serve: where."),
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
