"""What the tests of multi-party release share."""

import numpy as np

from tacit.arrays import Floats
from tacit.papers.mixing import Agreement, PartyRound, held_by
from tacit.protocol import Records, simulate


def split(agreement: Agreement, D: Floats) -> Records:
    """The columns of each party."""
    return held_by(np.split(D, np.cumsum(agreement.sizes)[:-1], axis=1))


def released(agreement: Agreement, D: Floats, generator: np.random.Generator) -> Floats:
    """D^pub of simulated parties."""
    return np.asarray(simulate(PartyRound(agreement), split(agreement, D), generator))
