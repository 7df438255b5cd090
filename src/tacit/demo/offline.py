"""A whole study on made-up people, from plan to fit, in files.

The people are the same in every run. Their devices draw real system entropy, so the reports, and
with them the estimates, differ from run to run.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np

from tacit import plots
from tacit.demo import people as made_up
from tacit.demo.people import TRUTH
from tacit.errors import ConfigurationError
from tacit.inference import Fit, fit, plan
from tacit.study import Tally, read_reports, write_reports
from tacit.study.files import write_atomically
from tacit.study.report import REPORT_BYTES
from tacit.tables import write_parquet

Say = Callable[[str], None]
ShowProgress = Callable[[str, int | None], AbstractContextManager[Callable[[int], None]]]

_CHUNK = 2048


def run(out: Path, people: int, epsilon: float, *, say: Say, progress: ShowProgress) -> None:
    """Plan, randomize, tally, fit and plot into the folder `out`, telling it as it goes."""
    check(out, people)
    public = made_up.make_public()
    study = made_up.make_study(public, epsilon)
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "public.parquet", write_parquet(public))
    study.save(out / "study.json")
    origin = f"{study.public_rows:,} public rows without labels"
    say(f"1. The study, from {origin}.\n\n{study.describe()}\n")

    with progress("planning", None):
        planned = plan(study, public=public, people=people)
        plots.plan_curve(planned, out / "plan.png")
    say(f"2. The plan: standard errors to expect.\n\n{planned}\n")

    with progress("randomizing on devices", people) as advance:
        parts = []
        for part in made_up.make_reports(study, people, _CHUNK):
            parts.append(part)
            advance(len(part))
    seeds = np.concatenate(parts)
    write_reports(out / "reports.tacit", study, seeds)
    say(
        f"3. {people:,} devices have sent {REPORT_BYTES} bytes each. The first: "
        f"{seeds[0].tobytes().hex()}\n"
    )

    with progress("fitting", None):
        tally = Tally.of(study).add(read_reports(out / "reports.tacit", study).seeds)
        fitted = fit(study, tally, public=public)
        fitted.save(out / "model.json")
    with progress("plotting", None):
        plots.forest(fitted, out / "forest.png", out / "forest.svg")
    say(f"4. The fit, from the reports and the public rows.\n\n{fitted.summary()}\n")
    say(f"5. Beside the truth, which only a demonstration knows.\n\n{beside_truth(fitted)}\n")
    say(_what_to_look_at(out))


def beside_truth(fitted: Fit) -> str:
    """A table of true and estimated coefficients, and whether each interval holds the truth."""
    lines = [f"{'coefficient':<14}  {'truth':>8}  {'estimate':>9}  {'95% interval':>21}  held"]
    intervals = zip(fitted.names, fitted.coef, fitted.conf_int(), strict=True)
    held = 0
    for name, estimate, (low, high) in intervals:
        inside = low <= TRUTH[name] <= high
        held += inside
        interval = f"[{low:.3g}, {high:.3g}]"
        lines.append(
            f"{name:<14}  {TRUTH[name]:>8g}  {estimate:>9.4g}  {interval:>21}  "
            f"{'yes' if inside else 'no'}"
        )
    return "\n".join(
        [*lines, f"{held} of {len(TRUTH)} intervals hold the truth; 95% do in the long run."]
    )


def check(out: Path, people: int) -> None:
    """Refuse a folder that is a file, and numbers of people that no demonstration needs."""
    if out.exists() and not out.is_dir():
        raise ConfigurationError(f"--out must be a directory, got the file {out}")
    if not 100 <= people <= 10_000_000:
        raise ConfigurationError(f"people must lie between 100 and 10,000,000, got people={people}")


def _what_to_look_at(out: Path) -> str:
    return "\n".join(
        [
            "The devices drew fresh random numbers: the next run gives slightly other estimates.",
            f"Look at  {out / 'forest.png'}  coefficients with their intervals (also .svg)",
            f"         {out / 'plan.png'}  how many people it takes, at several epsilons",
            f"         {out / 'study.json'}  all that is public; every device has it",
            f"Try      tacit predict {out / 'model.json'} {out / 'public.parquet'}",
            f"         tacit audit {out / 'study.json'}",
        ]
    )
