"""Made-up people whose true coefficients are known, and the study that asks them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tacit.answers import look_up
from tacit.arrays import Seeds
from tacit.device import randomize_rows
from tacit.study import Binary, Feature, Study
from tacit.study.rows import Columns

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

SEED = 20_250_601

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
    effects = {name.removeprefix("region: "): effect for name, effect in TRUTH.items()}
    region = look_up(people["region"], effects, 0.0)
    predictor = TRUTH["intercept"] + region
    for name in ("age", "hours_online", "smoker"):
        predictor += TRUTH[name] * people[name]
    left = generator.random(len(predictor)) < 1.0 / (1.0 + np.exp(-predictor))
    return np.where(left, "yes", "no")


def make_reports(study: Study, count: int, at_once: int) -> Iterator[Seeds]:
    """What the people's devices send, so many at once; the rows themselves are kept nowhere."""
    generator = np.random.default_rng(SEED + 1)
    people = make_people(count, generator)
    labels = make_labels(people, generator)
    for start in range(0, count, at_once):
        rows = slice(start, start + at_once)
        part = {name: values[rows] for name, values in people.items()}
        yield randomize_rows(study, part, labels[rows])


def make_public() -> Columns:
    """The public rows: the same in every run."""
    return make_people(PUBLIC_ROWS, np.random.default_rng(SEED))


def make_study(public: Columns, epsilon: float) -> Study:
    """The study of the demonstration."""
    return Study.from_public(
        public,
        label=_LABEL,
        epsilon=epsilon,
        source="made-up panel of the demonstration",
        title="Who leaves the service?",
        features=_FEATURES,
    )
