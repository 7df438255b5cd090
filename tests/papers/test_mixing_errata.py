"""Errata 13 and 14: what the printed accounting and the printed experiments leave out."""

import inspect
import math

import numpy as np
import pytest

from tacit.papers.mixing import RMGM, Agreement, mixed_rows
from tacit.papers.mixing.device import encode
from tacit.privacy.curve import compose

DELTA = 1e-5
RANGES = (((-1.0, 1.0),) * 2,) * 5 + (((-1.0, 1.0),),)  # section 5.2: five parties of 2, one of 1


def test_erratum_13_a_person_in_all_parties_moves_all_releases() -> None:
    """The pair of records that differ everywhere has exactly the joint mu, not a party's."""
    made = Agreement(RANGES, 1, 1.0, DELTA, "exact", "party")
    apart = [
        (encode(made, j, -np.ones((1, size))) - encode(made, j, np.ones((1, size))))
        / made.mechanism(j).sigma
        for j, size in enumerate(made.sizes)
    ]
    mu = math.sqrt(sum(float(np.sum(part**2)) for part in apart))
    assert mu == pytest.approx(math.sqrt(6) * float(np.linalg.norm(apart[0])), rel=1e-3)
    assert mu == pytest.approx(made.joint_curve().mu, rel=1e-3)


def test_erratum_13_the_claim_per_party_is_not_the_person_s() -> None:
    """Noise that meets epsilon for every party does not meet it for the person; ours does."""
    party = Agreement(RANGES, 1, 1.0, DELTA, "exact", "party")
    assert all(party.curve(j).delta(1.0) <= DELTA for j in range(6))
    assert party.joint_curve().delta(1.0) > DELTA
    assert party.guarantee().epsilon == pytest.approx(party.joint_curve().epsilon(DELTA))
    assert party.party_guarantee(0).epsilon == 1.0
    person = Agreement(RANGES, 1, 1.0, DELTA)
    assert person.joint_curve().delta(1.0) <= DELTA
    assert person.guarantee().epsilon == 1.0
    assert person.party_guarantee(0).epsilon < 1.0


def test_erratum_13_printed_noise_is_measured_for_party_and_person() -> None:
    """Each party is safer than claimed (waste), the person is not covered by the claim at all."""
    printed = Agreement(RANGES, 1, 1.0, DELTA, "paper")
    assert printed.party_guarantee(0).epsilon < 1.0 < printed.guarantee().epsilon
    assert "claims epsilon = 1" in printed.guarantee().notes[0]
    assert "party by party" in printed.guarantee().notes[-1]


def test_erratum_14_five_values_of_k_are_five_releases() -> None:
    """Releasing once per k tried, printed noise, does not keep the claim even for one party."""
    once = Agreement(RANGES, 1, 1.0, DELTA, "paper").curve(0)
    assert once.delta(1.0) <= DELTA
    assert compose([once] * 5).delta(1.0) > DELTA


def test_erratum_14_choosing_by_result_gives_one_person_away() -> None:
    """With two releases fixed, one record decides for certain which k is published."""
    predictions = {100: 0.2, 300: 0.4}  # of two models, for whoever is in the test set
    rest = np.full(10, 0.3)

    def printed_choice(label: float) -> int:
        labels = np.append(rest, label)
        return min(predictions, key=lambda k: float(np.mean((labels - predictions[k]) ** 2)))

    assert printed_choice(0.0) == 100
    assert printed_choice(1.0) == 300


def test_erratum_14_k_here_knows_no_record() -> None:
    """The formula takes the agreement, which is public, and data do not change it."""
    assert list(inspect.signature(mixed_rows).parameters) == ["agreement"]
    generator = np.random.default_rng(0)
    found = set()
    for _ in range(3):
        X, y = generator.uniform(-1, 1, (300, 3)), generator.uniform(-1, 1, 300)
        mixing = RMGM(random_state=0).fit(X, y).agreement_.mixing
        assert mixing is not None
        found.add(mixing.rows)
    assert len(found) == 1


def test_beyond_epsilon_1_the_printed_noise_can_miss_its_claim() -> None:
    """The paper proves epsilon <= 1 only; at 16 its noise gives more, and the guarantee says so."""
    ranges = (((-1.0, 1.0),) * 2,) * 2
    printed = Agreement(ranges, 1, 16.0, 1e-6, "paper")
    assert printed.party_guarantee(0).epsilon > 16.0
