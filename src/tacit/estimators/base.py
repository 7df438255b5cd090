"""What the estimators share: rows in, a simulated study, a fit, coefficients out."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import Floats
from tacit.errors import ConfigurationError, UnlikeRowsWarning
from tacit.estimators.likeness import gross_differences, told
from tacit.estimators.rows import read_rows
from tacit.inference import Fit, Summary, fit
from tacit.labelprivate.fitting.result import LabelFit
from tacit.labelprivate.fitting.summary import LabelSummary
from tacit.labelprivate.study import LabelStudy
from tacit.labels import Label
from tacit.models import LabelModel
from tacit.privacy.entropy import SeededEntropy
from tacit.simulation import simulate_rows
from tacit.study import Study
from tacit.study.rows import Columns
from tacit.study.transform import INTERCEPT

_NEEDS_PUBLIC = (
    "public=None: a locally private fit needs public rows. Pass rows with the same columns as X, "
    "without labels, from a source that really is public and stands for the same people: "
    ".fit(X, y, public=X_public). Rows set aside from private data are not public"
)
_NEEDS_NO_PUBLIC = (
    "public was passed, but with private='label' the features of X are known and nothing is taken "
    "from public rows. Leave public out, or protect the features too with private='record'"
)
_SOURCE = "rows passed as public="
_COMPARED = (
    "a warning was given that X and public differ grossly. It compared X with the public rows in "
    "the clear, as no real study can"
)


class PrivateEstimator(BaseEstimator):
    """Plays the protocol on X and y, and keeps what a real study would know.

    `purpose` and `focus` say what the report is shaped for, as in a study; `private="label"` plays
    a study that knows the features and asks for the label alone, without public rows.
    X is an array of numbers or a data frame, with text, categories and missing values as in a
    study. It is compared with the public rows in the clear, to warn where one was transformed and
    the other not: this is a simulation, and no real study can.
    """

    epsilon: float
    fit_intercept: bool
    purpose: str
    focus: str | Sequence[str]
    private: str
    random_state: Any
    study_: Study | LabelStudy
    fit_: Fit | LabelFit

    def summary(self, level: float = 0.95) -> Summary | LabelSummary:
        """Coefficients in the units of X with standard errors and intervals."""
        check_is_fitted(self)
        return self.fit_.summary(level)

    def conf_int(self, level: float = 0.95) -> Floats:
        """Intervals of the coefficients, one row each, intercept first."""
        check_is_fitted(self)
        return self.fit_.conf_int(level)

    def _run(
        self,
        people: Columns,
        label: Label,
        weights: Floats,
        public: Any,
        notes: tuple[str, ...],
    ) -> LabelModel:
        """Plan the study, send every row through a device, fit; the model that reads the label."""
        self._names = tuple(people)
        if self.private == "label":
            self._play_labels(people, label, weights, public)
        elif self.private == "record":
            notes = (*notes, *self._play_records(people, label, weights, public))
        else:
            raise ConfigurationError(
                "private must be 'record' (features and label) or 'label' (features are known), "
                f"got private={self.private!r}"
            )
        self.guarantee_ = replace(self.study_.guarantee, simulated=True, notes=notes)
        return self.fit_.model

    def _play_records(
        self, people: Columns, label: Label, weights: Floats, public: Any
    ) -> tuple[str, ...]:
        """A study around the public rows, and what must be noted of the comparison with them."""
        if public is None:
            raise ConfigurationError(_NEEDS_PUBLIC)
        rows = read_rows(self, public, self._names, least=2)
        study = Study.from_public(
            rows,
            label=label,
            epsilon=self.epsilon,
            source=_SOURCE,
            title=type(self).__name__,
            intercept=self.fit_intercept,
            purpose=self.purpose,
            focus=self.focus,
            people=len(weights),
            minimum_batch=1,
            simulation=True,
        )
        generator = _generator(self.random_state)
        tally = simulate_rows(study, people, weights, generator)
        self.study_, self.tally_, self.fit_ = study, tally, fit(study, tally, public=rows)
        differences = gross_differences(study, people, rows)
        if differences:
            warnings.warn(told(differences), UnlikeRowsWarning, stacklevel=4)
        return (_COMPARED,) if differences else ()

    def _play_labels(self, people: Columns, label: Label, weights: Floats, public: Any) -> None:
        """A study that knows the features and asks for the label alone."""
        if public is not None:
            raise ConfigurationError(_NEEDS_NO_PUBLIC)
        if self.purpose != "predictions" or self.focus:
            raise ConfigurationError(
                f"purpose={self.purpose!r} and focus={self.focus!r} shape the report of a whole "
                "record; with private='label' all coefficients are measured as well as the labels "
                "allow: leave both out"
            )
        study = LabelStudy.from_rows(
            people,
            label=label,
            epsilon=self.epsilon,
            title=type(self).__name__,
            intercept=self.fit_intercept,
        )
        entropy = SeededEntropy(_generator(self.random_state))
        reports = study.mechanism.randomize(study.inputs(weights), entropy)
        self.study_, self.reports_, self.fit_ = study, reports, study.fit(people, reports)

    def _coefficients(self) -> tuple[Floats, Floats]:
        """Predictive coefficients (k, columns) and intercepts (k,).

        Columns are those of the features in the order of X; what was dropped has 0.
        """
        names, values = _predictive(self.fit_)
        found, nothing = dict(zip(names, values, strict=True)), np.zeros(values.shape[1])
        design = {feature.name: feature.columns for feature in self.study_.features}
        columns = [column for name in self._names for column in design.get(name, (name,))]
        self.feature_names_out_ = np.array(columns, dtype=object)
        coef = [found.get(column, nothing) for column in columns]
        return np.array(coef).T, found[INTERCEPT] if self.fit_intercept else nothing

    def _rows(self, X: Any) -> Columns:
        check_is_fitted(self)
        return read_rows(self, X, self._names)


def _predictive(found: Fit | LabelFit) -> tuple[tuple[str, ...], Floats]:
    """Names and values (columns, k) of the coefficients that predict."""
    if isinstance(found, LabelFit):
        return found.columns, found.weights
    return found.study.transform.names, found.predictive_coef


def label_column(people: Columns) -> str:
    """A name for the label that no feature has."""
    name = "label"
    while name in people:
        name += "_"
    return name


def _generator(random_state: Any) -> np.random.Generator:
    seed = check_random_state(random_state).randint(0, 2**31, size=4)
    return np.random.Generator(np.random.SFC64(seed))  # the fastest for many normal numbers
