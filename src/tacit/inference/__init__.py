"""From a tally to what it says: the likelihood, the table, predictions, plans. No raw rows here."""

from tacit.inference.chi_square import Test
from tacit.inference.coefficients import coefficient_names
from tacit.inference.compare import Comparison, compare
from tacit.inference.contrast import Contrast
from tacit.inference.plan import Plan
from tacit.inference.planning import plan
from tacit.inference.result import Fit
from tacit.inference.solution import Failure, Solution
from tacit.inference.solve import fit
from tacit.inference.summary import Summary
from tacit.inference.tabular import Tabular

__all__ = [
    "Comparison",
    "Contrast",
    "Failure",
    "Fit",
    "Plan",
    "Solution",
    "Summary",
    "Tabular",
    "Test",
    "coefficient_names",
    "compare",
    "fit",
    "plan",
]
