"""From a tally to what it says: the likelihood, the table, predictions, plans. No raw rows here."""

from tacit.inference.coefficients import coefficient_names
from tacit.inference.plan import Plan, plan
from tacit.inference.result import Fit
from tacit.inference.solution import Failure, Solution
from tacit.inference.solve import fit
from tacit.inference.summary import Summary

__all__ = [
    "Failure",
    "Fit",
    "Plan",
    "Solution",
    "Summary",
    "coefficient_names",
    "fit",
    "plan",
]
