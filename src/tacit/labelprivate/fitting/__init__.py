"""From known rows and reports to what they say. No answer is seen here."""

from tacit.labelprivate.fitting.plan import LabelPlan, plan_labels
from tacit.labelprivate.fitting.result import LabelFit
from tacit.labelprivate.fitting.solve import fit_labels
from tacit.labelprivate.fitting.summary import LabelSummary

__all__ = ["LabelFit", "LabelPlan", "LabelSummary", "fit_labels", "plan_labels"]
