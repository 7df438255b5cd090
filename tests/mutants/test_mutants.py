"""The list of mutants is up to date, and those that matter most die."""

import ast

import pytest

from tests.mutants.catalogue import MUTANTS
from tests.mutants.mutant import Mutant, survives

WANTED = 100
VITAL = [mutant for mutant in MUTANTS if mutant.vital]

named = pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)


@named
def test_every_mutant_is_a_change_of_the_code_as_it_is(mutant: Mutant) -> None:
    """It parses, and differs from the original in more than comments and docstrings."""
    mutated = ast.parse(mutant.mutated())
    assert ast.dump(mutated) != ast.dump(ast.parse(mutant.original()))
    assert mutant.tests or mutant.harmless


def test_there_are_enough() -> None:
    """At least a hundred that must die, a dozen of them in every full run; none twice."""
    assert len([mutant for mutant in MUTANTS if not mutant.harmless]) >= WANTED
    assert len(VITAL) >= 12
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.assure
@pytest.mark.parametrize("mutant", VITAL, ids=lambda mutant: mutant.name)
def test_vital_mutants_die(mutant: Mutant) -> None:
    """The tests named notice the mistake."""
    assert not survives(mutant)
