"""Protocols as values: what is published, asked, sent and summed, and what comes next.

Read `round` (the interface), then `run` (every role on one page); `simulate` is the same for many
people at once, `study` a study as a protocol.
"""

from tacit.protocol.round import Records, Round
from tacit.protocol.run import reports, run
from tacit.protocol.simulate import simulate, simulated

__all__ = ["Records", "Round", "reports", "run", "simulate", "simulated"]
