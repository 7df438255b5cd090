"""All mutants, by the part of the package they are in."""

from tests.mutants.fitting import FITTING
from tests.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (*FITTING,)
