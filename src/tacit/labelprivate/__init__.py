"""Studies of which only the answer is private: the features are known to the organiser anyway.

`device` is the one module that sees an answer. `known`, `fitting` and `table` see features in the
clear and reports; an import contract keeps them apart.
"""

from tacit.labelprivate.fitting import LabelFit, LabelPlan, LabelSummary
from tacit.labelprivate.report import LabelReport
from tacit.labelprivate.study import LabelStudy

__all__ = ["LabelFit", "LabelPlan", "LabelReport", "LabelStudy", "LabelSummary"]
