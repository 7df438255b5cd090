"""A whole study on made-up people, whose true coefficients are known.

The people are the same in every run. Their devices draw real system entropy, so the reports, and
with them the estimates, differ from run to run.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import plots
from tacit.device import randomize_rows
from tacit.errors import ConfigurationError, NoFiniteMaximumError
from tacit.inference import Fit, fit, plan
from tacit.study import Binary, Feature, Study, Tally, read_reports, write_reports
from tacit.study.files import write_atomically
from tacit.study.report import REPORT_BYTES
from tacit.study.rows import Columns, look_up
from tacit.tables import write_parquet

Say = Callable[[str], None]
Progress = Callable[[str, int | None], AbstractContextManager[Callable[[int], None]]]

PUBLIC_ROWS = 20_000
TRUTH = {
    "intercept": -0.2,
    "age": -0.03,
    "hours_online": 0.05,
    "smoker": 0.6,
    "region: east": 0.0,
    "region: south": 0.5,
    "region: west": -0.5,
}

_SEED = 20_250_601
_CHUNK = 2048
_FEATURES = (
    Feature("age", question="How old are you?", unit="years"),
    Feature("hours_online", question="How long are you online each week?", unit="hours"),
    Feature("smoker", kind="binary", question="Do you smoke?"),
    Feature("region", kind="categorical", question="Where do you live?"),
)
_LABEL = Binary("left", positive="yes", negative="no", question="Have you left the service?")


def make_people(count: int, generator: np.random.Generator) -> Columns:
    """Answers of made-up people; the young are online longer, the south smokes more."""
    age = np.clip(generator.normal(46.0, 15.0, count), 18.0, 95.0).round()
    hours = np.exp(generator.normal(2.6 - 0.01 * (age - 46.0), 0.5)).round(1)
    region = generator.choice(
        np.array(["north", "south", "east", "west"]), count, p=[0.35, 0.25, 0.22, 0.18]
    )
    smoker = generator.random(count) < np.where(region == "south", 0.35, 0.22)
    return {"age": age, "hours_online": hours, "smoker": smoker, "region": region}


def make_labels(people: Columns, generator: np.random.Generator) -> NDArray[np.str_]:
    """Who left: a logistic model with the coefficients of `TRUTH`."""
    region = look_up(people["region"], lambda name: TRUTH.get(f"region: {name}", 0.0))
    predictor = TRUTH["intercept"] + region
    for name in ("age", "hours_online", "smoker"):
        predictor += TRUTH[name] * people[name]
    left = generator.random(len(predictor)) < 1.0 / (1.0 + np.exp(-predictor))
    return np.where(left, "yes", "no")


def run(out: Path, people: int, epsilon: float, *, say: Say, progress: Progress) -> None:
    """Plan, randomize, tally, fit and plot into the folder `out`, telling it as it goes."""
    _check(out, people)
    public = make_people(PUBLIC_ROWS, np.random.default_rng(_SEED))
    study = Study.from_public(
        public,
        label=_LABEL,
        epsilon=epsilon,
        source="made-up panel of the demonstration",
        title="Who leaves the service?",
        features=_FEATURES,
    )
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "public.parquet", write_parquet(public))
    study.save(out / "study.json")
    say(f"1. The study, from {PUBLIC_ROWS:,} public rows without labels.\n\n{study.describe()}\n")

    with progress("planning", None):
        planned = plan(study, public=public, people=people)
        plots.plan_curve(planned, out / "plan.png")
    say(f"2. The plan: standard errors to expect.\n\n{planned}\n")

    seeds = _reports(study, people, progress)
    write_reports(out / "reports.tacit", study, seeds)
    say(
        f"3. {people:,} devices have sent {REPORT_BYTES} bytes each. The first: "
        f"{seeds[0].tobytes().hex()}\n"
    )

    with progress("fitting", None):
        tally = Tally.of(study).add(read_reports(out / "reports.tacit", study).seeds)
        fitted = fit(study, tally, public=public)
        fitted.save(out / "model.json")
    if fitted.table is None:
        raise NoFiniteMaximumError(fitted.failure)
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


def _check(out: Path, people: int) -> None:
    if out.exists() and not out.is_dir():
        raise ConfigurationError(f"--out must be a directory, got the file {out}")
    if not 100 <= people <= 10_000_000:
        raise ConfigurationError(f"people must lie between 100 and 10,000,000, got people={people}")


def _reports(study: Study, count: int, progress: Progress) -> NDArray[np.uint8]:
    """What the devices send; the rows themselves are kept nowhere."""
    generator = np.random.default_rng(_SEED + 1)
    people = make_people(count, generator)
    labels: NDArray[Any] = make_labels(people, generator)
    parts = []
    with progress("randomizing on devices", count) as advance:
        for start in range(0, count, _CHUNK):
            rows = slice(start, start + _CHUNK)
            part = {name: values[rows] for name, values in people.items()}
            parts.append(randomize_rows(study, part, labels[rows]))
            advance(len(parts[-1]))
    return np.concatenate(parts)


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
