"""All mutants, by the part of the package they are in."""

from tests.mutants.answering import ANSWERING
from tests.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (*ANSWERING,)
