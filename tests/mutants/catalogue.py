"""All mutants, by the part of the package they are in."""

from tests.mutants.answering import ANSWERING
from tests.mutants.collecting import COLLECTING
from tests.mutants.fitting import FITTING
from tests.mutants.ledger import LEDGER
from tests.mutants.mutant import Mutant
from tests.mutants.protecting import PROTECTING

MUTANTS: tuple[Mutant, ...] = (*PROTECTING, *ANSWERING, *LEDGER, *COLLECTING, *FITTING)
