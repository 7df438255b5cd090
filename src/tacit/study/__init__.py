"""What device, collector and fit agree on: the study, its reports and their tally."""

from tacit.labels import Binary, Bounded, Categorical, Count, Label
from tacit.study.report import Report, ReportsFile, read_reports, write_reports
from tacit.study.schema import Feature
from tacit.study.study import Study
from tacit.study.tally import Tally

__all__ = [
    "Binary",
    "Bounded",
    "Categorical",
    "Count",
    "Feature",
    "Label",
    "Report",
    "ReportsFile",
    "Study",
    "Tally",
    "read_reports",
    "write_reports",
]
