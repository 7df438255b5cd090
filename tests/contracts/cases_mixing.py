"""Multi-party release, one person's row as the unit: of one party, of all, and mixed."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.papers import BGM, DGM, RMGM
from tacit.papers.mixing import Agreement, Mixing
from tacit.papers.mixing.party import encode
from tacit.privacy import Entropy
from tacit.privacy.gaussian import GaussianMechanism
from tests.contracts.case import Case, EstimatorCase

Floats = NDArray[np.float64]

RANGES = (((0.0, 10.0), (-1.0, 1.0), (0.0, 1.0)), ((-1.0, 1.0), (0.0, 1.0)))
LOW, HIGH = (np.array(end) for end in zip(*(RANGES[0] + RANGES[1]), strict=True))
MIXING = Mixing(bytes(range(16)), 4)


def agreement(calibration: Any = "exact", epsilon: float = 1.0, delta: float = 1e-6) -> Agreement:
    """Each party by itself, one person."""
    return Agreement(RANGES, 1, epsilon, delta, calibration, "party")


def party_rows(rng: np.random.Generator, n: int) -> Floats:
    """Rows of the first party; every third is a corner of the ranges or beyond them."""
    rows = LOW[:3] + (HIGH - LOW)[:3] * rng.random((n, 3))
    rows[::3] = rng.choice([-1e300, 1e300, np.inf, -np.inf], size=rows[::3].shape)
    return rows


def person_rows(rng: np.random.Generator, n: int) -> Floats:
    """Rows of all parties, in the same way."""
    rows = LOW + (HIGH - LOW) * rng.random((n, 5))
    rows[::3] = rng.choice([-1e300, 1e300], size=rows[::3].shape)
    return rows


def party_vectors(records: Floats) -> Floats:
    """As the party clips and scales them."""
    return encode(Agreement(RANGES, len(records), 1.0, budget="party"), 0, records)


def person_vectors(records: Floats) -> Floats:
    """The columns of all parties side by side."""
    made = Agreement(RANGES, len(records), 1.0)
    return np.hstack([encode(made, 0, records[:, :3]), encode(made, 1, records[:, 3:])])


def mixed_vectors(records: Floats) -> Floats:
    """Each record as the only person of a party: (column of B) / sqrt(k) times the row."""
    rows = party_vectors(records)[:, None, :]
    return np.asarray(mixed_one()[:, None] * rows).reshape(len(records), -1)


@lru_cache
def mixed_one() -> Floats:
    """What one person with a single column of ones becomes."""
    return MIXING.mix(np.ones((1, 1)))[:, 0]


def party_mechanism(calibration: str, epsilon: float, delta: float) -> GaussianMechanism:
    """Of the first party."""
    return agreement(calibration, epsilon, delta).mechanism(0)


def person_mechanism(calibration: str, epsilon: float, delta: float) -> GaussianMechanism:
    """Of all parties; the printed noise is the same on every column."""
    made = Agreement(RANGES, 1, epsilon, delta)
    if calibration == "exact":
        return made.joint_mechanism()
    printed = agreement(calibration, epsilon, delta).mechanism(0).sigma
    return GaussianMechanism(5, made.joint_mechanism().sensitivity, printed)


def mixed_mechanism(calibration: Any, epsilon: float, delta: float) -> GaussianMechanism:
    """Of the first party, mixed."""
    made = Agreement(RANGES, 1, epsilon, delta, calibration, "party", MIXING)
    return made.mechanism(0)


def case(name: str, mechanism: Any, draw: Any, vectors: Any) -> Case:
    """The three cases differ in their vectors only."""

    def device(noise: GaussianMechanism, records: Floats, entropy: Entropy) -> Floats:
        return noise.value(noise.randomize(vectors(records), entropy))

    def simulate_sum(noise: GaussianMechanism, records: Floats, rng: np.random.Generator) -> Floats:
        return noise.sample(vectors(records), rng).sum(axis=0)

    def extremes() -> Floats:
        columns = draw(np.random.default_rng(0), 1).shape[1]
        return np.array([LOW[:columns], HIGH[:columns]])

    return Case(name, mechanism, draw, vectors, extremes, device, simulate_sum)


CASES = [
    case("mixing.party", party_mechanism, party_rows, party_vectors),
    case("mixing.person", person_mechanism, person_rows, person_vectors),
    case("mixing.rmgm", mixed_mechanism, party_rows, mixed_vectors),
]


def fitted(estimator: Any) -> Any:
    """On 200 people with two features."""
    generator = np.random.default_rng(0)
    X = generator.uniform(-1, 1, (200, 2))
    return estimator.fit(X, X @ np.array([0.5, -0.4]))


COMMON: tuple[tuple[dict[str, Any], str], ...] = (
    ({"epsilon": -1.0}, "epsilon=-1.0"),
    ({"delta": 0.0}, "delta=0.0"),
    ({"parties": 1}, "parties=1"),
    ({"parties": 4}, "parties=4"),
    ({"parties": (2, 2)}, "parties=(2, 2)"),
    ({"feature_range": (1.0, -1.0)}, "feature_range=(1.0, -1.0)"),
    ({"feature_range": (0.0, 1.0, 2.0)}, "feature_range=(0.0, 1.0, 2.0)"),
    ({"label_range": (0.0, 0.0)}, "label_range=(0.0, 0.0)"),
    ({"label_range": (0.0, 0.1)}, "0.1"),
    ({"budget": "row"}, "budget='row'"),
    ({"calibration": "loose"}, "calibration='loose'"),
    ({"ridge": -1.0}, "ridge=-1.0"),
)

ESTIMATORS = [
    EstimatorCase("BGM", BGM, fitted, lambda e: e.coef_, COMMON),
    EstimatorCase("DGM", DGM, fitted, lambda e: e.coef_, COMMON),
    EstimatorCase(
        "RMGM",
        RMGM,
        fitted,
        lambda e: e.coef_,
        (*COMMON, ({"rows": 0}, "rows=0"), ({"construction": "dct"}, "construction='dct'")),
    ),
]
