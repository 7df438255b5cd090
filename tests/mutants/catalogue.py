"""All mutants, by the part of the package they are in."""

from tests.mutants.answering import ANSWERING
from tests.mutants.collecting import COLLECTING
from tests.mutants.fitting import FITTING
from tests.mutants.ledger import LEDGER
from tests.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (*ANSWERING, *LEDGER, *COLLECTING, *FITTING)
