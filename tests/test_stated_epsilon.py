"""Wherever an epsilon is stated it is rounded up, as every bound is."""

import numpy as np
import pytest

from tacit import Binary, Fit, Study, fit, plan, plots, simulate
from tacit.device.book import Book
from tacit.errors import BudgetError
from tacit.privacy.audit import Source

EPSILON, SHOWN = 4.0000041, "4.00001"
PUBLIC = {"age": np.random.default_rng(0).normal(45.0, 15.0, 500)}
STUDY = Study.from_public(PUBLIC, label=Binary("y", 1, 0), epsilon=EPSILON, source="a test")


@pytest.fixture(scope="module")
def fitted() -> Fit:
    """A fit at this epsilon."""
    people = {"age": np.random.default_rng(1).normal(45.0, 15.0, 3000)}
    tally = simulate(STUDY, people, np.arange(3000) % 2, random_state=2)
    return fit(STUDY, tally, public=PUBLIC)


def test_texts_round_it_up(fitted: Fit) -> None:
    """Of a study, a plan, a table of coefficients, an audit, a budget that does not suffice."""
    assert f"epsilon {SHOWN}," in str(STUDY)
    assert f"epsilon={SHOWN}," in str(plan(STUDY, public=PUBLIC, people=1000))
    assert f"epsilon={SHOWN}," in str(fitted.summary())
    audit = STUDY.mechanism.audit(Source(1000))
    assert f"epsilon = {SHOWN} is" in str(audit)
    assert f"at most {SHOWN}" in [check.allowed for check in audit.checks]
    with pytest.raises(BudgetError, match=f"costs epsilon {SHOWN}, but 1 is left"):
        Book(1.0).debited(STUDY)


def test_pictures_round_it_up(fitted: Fit) -> None:
    """In their heads and legends."""
    forest = plots.forest_figure(fitted)
    assert any(f"epsilon {SHOWN} " in text.get_text() for text in forest.axes[0].texts)
    curve = plots.plan_figure(plan(STUDY, public=PUBLIC, people=1000))
    assert f"epsilon {SHOWN}," in curve.get_suptitle()
    _, names = curve.axes[0].get_legend_handles_labels()
    assert f"epsilon {SHOWN} (this study)" in names
