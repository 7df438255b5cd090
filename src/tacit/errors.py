"""Every exception tacit raises on purpose.

    TacitError
    ├── ConfigurationError   a parameter, name or option is wrong            (ValueError)
    ├── PublicRowsError      public or known rows cannot serve                 (ValueError)
    ├── LabelError           a label outside its stated values, in simulation (ValueError)
    │   └── MissingLabelError  no label, so no report
    ├── StudyFileError       a study or model file was altered or is newer   (ValueError)
    ├── ReportError          a report or tally is malformed or foreign       (ValueError)
    ├── TooFewReportsError   an empty tally, or one below the minimum batch
    ├── BudgetError          a report would exceed the device's lifetime budget
    ├── LedgerError          the device's ledger is damaged or in use
    ├── StorageError         the collector cannot store or read reports now
    ├── NoFiniteMaximumError the likelihood itself has no maximum
    └── ConvergenceError     an iteration stopped before it arrived

    TacitWarning (UserWarning)
    ├── PublicRowsWarning    the public rows differ from those of the study
    └── UnlikeRowsWarning    X of an estimator is nothing like its public rows

A message names the parameter, shows the value and says what to do.
"""


class TacitError(Exception):
    """Base of everything tacit raises on purpose."""


class ConfigurationError(TacitError, ValueError):
    """A parameter, name or option is wrong; the message says which and what to do."""


class PublicRowsError(TacitError, ValueError):
    """The public rows cannot serve: too few, infinite, or without a usable column."""


class LabelError(TacitError, ValueError):
    """A label lies outside its stated values, where rows are simulated people."""


class MissingLabelError(LabelError):
    """A record has no label, so there is nothing to report."""


class StudyFileError(TacitError, ValueError):
    """A study or model file was altered, is truncated, or was written by a newer version."""


class ReportError(TacitError, ValueError):
    """A report or a tally is malformed, or belongs to another study."""


class TooFewReportsError(TacitError):
    """The tally is empty or below the study's minimum batch: no estimate is made."""


class BudgetError(TacitError):
    """Another report would exceed what the owner of the device allows in all."""


class LedgerError(TacitError):
    """The ledger is damaged or in use: nothing is randomized until that is clear."""


class StorageError(TacitError):
    """The collector's storage is full, damaged or in use; what was acknowledged is kept."""


class NoFiniteMaximumError(TacitError):
    """The likelihood has no finite maximum; profile intervals and predictions exist."""


class ConvergenceError(TacitError):
    """An iteration stopped before it arrived at an answer."""


class TacitWarning(UserWarning):
    """Base of everything tacit warns about."""


class PublicRowsWarning(TacitWarning):
    """The public rows given are not those the study was made from."""


class UnlikeRowsWarning(TacitWarning):
    """The rows given to an estimator differ grossly from its public rows, in location or scale."""
