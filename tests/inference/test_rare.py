"""Levels too rare: who is told of, whom they are merged with, and what that brings."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from tacit import Bounded, Plan, Study, plan
from tests.inference.helpers import LABELS

RARE = {"north": 0.6, "south": 0.3, "west": 0.08, "isles": 0.02}
INTERVAL = 2 * 1.959964


def _rows(count: int = 4000) -> dict[str, Any]:
    generator = np.random.default_rng(5)
    sparse = generator.permutation(count) < 30
    return {
        "age": generator.normal(45.0, 15.0, count),
        "region": generator.choice(list(RARE), count, p=list(RARE.values())),
        "twin": np.where(sparse, "yes", "no"),
        "sparse": sparse[::-1],
    }


@pytest.fixture(scope="module")
def planned() -> Plan:
    """A plan for too few people."""
    study = Study.from_public(_rows(), label=LABELS["logistic"], epsilon=1.0, source="a test")
    return plan(study, public=_rows(), people=4000)


def test_levels_with_wide_intervals_are_told_widest_first(planned: Plan) -> None:
    """No number is among them, and no level whose interval is narrow enough."""
    widths = dict(zip(planned.names, INTERVAL * planned.standard_errors(), strict=True))
    del widths["intercept"], widths["age"]
    wide = sorted((name for name in widths if widths[name] > 4.0), key=lambda n: -widths[n])
    assert 2 < len(wide) < len(widths)
    assert [each.name for each in planned.wide()] == wide
    assert len(planned.wide(100 * planned.people)) < len(wide)


def test_they_are_merged_with_the_next_rarest(planned: Plan) -> None:
    """Of the same question; where the baseline alone is left, with nobody."""
    partners = {each.name: each.merged_with for each in planned.wide()}
    assert partners["region: isles"] == "region: west"
    assert partners["twin: yes"] is partners["sparse"] is None
    everybody = dataclasses.replace(planned, width=1e-3).wide()
    partners = {each.name: each.merged_with for each in everybody}
    assert partners["region: west"] == "region: south"
    assert partners["region: south"] == "region: west"


def test_merging_brings_what_the_merged_study_is_planned_to_have(planned: Plan) -> None:
    """To within what another geometry and other truths make, far less than what merging brings."""
    rows = _rows()
    rows["region"] = np.where(rows["region"] == "isles", "west", rows["region"])
    study = Study.from_public(rows, label=LABELS["logistic"], epsilon=1.0, source="a test")
    made = plan(study, public=rows, people=4000)
    expected = INTERVAL * made.standard_errors()[made.names.index("region: west")]
    isles = next(each for each in planned.wide() if each.name == "region: isles")
    assert isles.merged_width is not None
    assert 0.6 < isles.merged_width / expected < 1.6
    assert isles.width > 4.0 * expected


def test_the_people_it_takes_bring_the_width_down_to_the_limit(planned: Plan) -> None:
    """With one less it would still be wider."""
    isles = next(each for each in planned.wide() if each.name == "region: isles")
    place = planned.names.index("region: isles")
    widths = INTERVAL * planned.standard_errors([isles.people - 1, isles.people])[:, place]
    assert widths[1] <= isles.limit < widths[0]


def test_what_is_said(planned: Plan) -> None:
    """The level, its width, its partner, and what it takes alone."""
    text = " ".join(planned.notes())
    assert "Too rare, with 95% intervals more than 4 wide:" in text
    assert "merged with 'region: west'" in text
    assert "twin: yes: " in text
    assert "no other level is left to merge it with" in text
    assert text.count("alone") == len(planned.wide())


def test_the_width_is_in_units_of_the_label() -> None:
    """Half of a number's range, unless stated."""
    study = Study.from_public(_rows(), label=Bounded("y", 0, 80), epsilon=1.0, source="a test")
    assert plan(study, public=_rows(), people=4000).width == pytest.approx(40.0)
    assert plan(study, public=_rows(), people=4000, width=7.0).wide()[0].limit == 7.0
