"""From a tally to what it says: the likelihood, the table, predictions, plans. No raw rows here."""

from tacit.inference.plan import Plan, plan
from tacit.inference.result import Fit
from tacit.inference.solve import fit
from tacit.inference.summary import Summary

__all__ = ["Fit", "Plan", "Summary", "fit", "plan"]
