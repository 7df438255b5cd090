"""What a study has learned, as a value: coefficients, intervals, predictions, a file."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.inference import file, questions
from tacit.inference.chi_square import Test
from tacit.inference.contrast import Contrast
from tacit.inference.intervals import Advance, Table, checked, make_table
from tacit.inference.likelihood import Likelihood
from tacit.inference.profile import Surface
from tacit.inference.solution import Failure, Solution, asked
from tacit.inference.solutions import SOLUTIONS, solve
from tacit.inference.submodel import Groups
from tacit.inference.summary import Summary, summarised
from tacit.inference.tabular import Tabular
from tacit.inference.terms import Terms
from tacit.inference.weak import weak_mode
from tacit.models import Family, LabelModel
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.words import number_up
from tacit.study import Study
from tacit.study.files import write_atomically
from tacit.study.public import rows_in_words

LEVEL = 0.95
ASSUMPTION = (
    "Assumed, and nothing collected can check it: the public rows stand for the people who "
    "reported, and the mean model is right. Public rows that differ shift the coefficients."
)


@dataclass(frozen=True, eq=False)
class Fit:
    """A tally, read. Tables and predictions are computed when they are first asked for.

    A fit that was read from a file has no `likelihood`: it shows the tables and predictions that
    it was saved with, and answers no other questions. A submodel knows the `whole` that it was made
    from, and the test of all that was `left_out` of it.
    """

    study: Study
    model: LabelModel
    terms: Terms
    reports: int
    public_rows: int
    effective_rows: int
    notes: tuple[str, ...] = ()
    left_out: Test | None = None
    likelihood: Likelihood | None = None
    whole: "Fit | None" = None
    solutions: dict[str, Solution | Failure] = field(default_factory=dict)
    tables: dict[tuple[str, float], Table] = field(default_factory=dict)

    def solution(self, name: str) -> Solution:
        """What was found by one way of solving; raises where that found nothing."""
        if name not in SOLUTIONS:
            raise ConfigurationError(
                f"there is no solution {name!r}; a fit has {', '.join(SOLUTIONS)}"
            )
        if name not in self.solutions:
            self.solutions[name] = solve(name, self.asking(f"the solution {name!r}"))
        return asked(self.solutions[name])

    def table(
        self, level: float = LEVEL, *, intervals: str = "profile", advance: Advance | None = None
    ) -> Table:
        """The table as arrays; `advance` is told of each coefficient that is done."""
        key = checked(intervals, level), float(level)
        if key not in self.tables:
            likelihood = self.asking(f"{intervals} intervals at level={level:g}")
            self.tables[key] = make_table(likelihood, *key, advance)
        return self.tables[key]

    def asking(self, what: str) -> Likelihood:
        """The likelihood, which a fit read from a file does not have."""
        if self.likelihood is None:
            held = ", ".join(f"{kind} at {level:g}" for kind, level in self.tables)
            raise ConfigurationError(
                f"this fit was read from a file, which holds neither tally nor public rows, so "
                f"{what} cannot be computed; the file has the tables {held}. Make the fit again "
                "with tacit.fit(study, tally, public=rows)"
            )
        return self.likelihood

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coefficients, intercept first."""
        return self.terms.names

    @property
    def coef(self) -> Floats:
        """The coefficients of the table in the units of the features, in the order of `names`."""
        return self._any_profile().estimate

    @property
    def standard_errors(self) -> Floats:
        """Standard errors of `coef`: privacy noise, sampled people and sampled public rows."""
        return self._any_profile().standard_errors

    @property
    def people(self) -> int:
        """How many people the reports come from, if each sent as many as the study asks for."""
        return round(self.reports / self.study.reports_per_person)

    @property
    def guarantee(self) -> Guarantee:
        """What the people in the study were promised."""
        return self.study.guarantee

    def conf_int(self, level: float = LEVEL, *, intervals: str = "profile") -> Floats:
        """Confidence intervals, one row (low, high) per coefficient."""
        table = self.table(level, intervals=intervals)
        return np.column_stack([table.low, table.high])

    def summary(
        self, level: float = LEVEL, *, intervals: str = "profile", advance: Advance | None = None
    ) -> Summary:
        """The table with everything a reader must know beside it. Prints itself.

        `intervals`: "profile" (under a weak prior on all else), "flat" (without one) or "wald".
        """
        table = self.table(level, intervals=intervals, advance=advance)
        notes = (*_left_out(self.left_out), *self.assumptions)
        return summarised(self.title(), self.names, table, notes)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What stands under every table: assumptions, and what happened to the rows."""
        return (ASSUMPTION, *self.study.notes, *_dropped(self.study), *self.notes)

    def title(self) -> str:
        """One line: the study, its model, people and public rows."""
        study = self.study
        return (
            f"{study.title or f'study {study.id[:12]}'}: {self.model.name} model of "
            f"{study.label.column}, {self.people:,} people at epsilon="
            f"{number_up(self.guarantee.total_epsilon)}, "
            f"{rows_in_words(self.public_rows, self.effective_rows)} ({study.source})"
        )

    def to_frame(self, level: float = LEVEL, *, intervals: str = "profile") -> Any:
        """The table as a pandas data frame."""
        return self.summary(level, intervals=intervals).to_frame()

    def submodel(
        self,
        drop: Iterable[str] = (),
        merge: Mapping[str, Groups] | None = None,
        tie: Groups = (),
    ) -> "Fit":
        """A fit with fewer coefficients from the same tally; `left_out` tests what went.

        `drop` names features, columns or coefficients that are to be zero; `merge` has, for a
        feature, groups of levels that are to be one; `tie` has groups of equal coefficients.
        """
        return questions.submodel(self, drop, merge or {}, tie)

    def test(self, *names: str) -> Test:
        """Chi-square test that all coefficients of these features, or named so, are zero."""
        return questions.test(self, names)

    def contrast(self, weights: Mapping[str, float], level: float = LEVEL) -> Contrast:
        """A sum of coefficients, each times its weight, such as {"south": 1, "north": -1}.

        Names are those of coefficients or levels; a baseline level counts as 0.
        """
        return questions.contrast(self, weights, level)

    def odds_ratios(self, level: float = LEVEL, *, intervals: str = "profile") -> Tabular:
        """How many times the odds, or the rate of counts, for one unit more of each."""
        return questions.odds_ratios(self, level, intervals)

    def effects(self, level: float = LEVEL) -> Tabular:
        """How much the predicted label changes with each column, on average over public rows."""
        return questions.effects(self, level)

    def mean_prediction(self, rows: Any = None, level: float = LEVEL) -> Tabular:
        """The mean predicted label over the public rows, or over rows that are given."""
        return questions.mean_prediction(self, rows, level)

    @cached_property
    def surface(self) -> Surface:
        """The likelihood around its mode under the weak prior, from where questions start."""
        return Surface.around(weak_mode(self.asking("a mode")))

    def decision_function(self, rows: Any) -> Floats:
        """Linear predictors: (n,), or logits (n, K) for several classes."""
        scores = self._predictor(rows) @ self.model.scores.T
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, rows: Any) -> Floats:
        """Class probabilities (n, K) in the order of `classes`."""
        self.classes  # noqa: B018
        return self.model.predicted(self._predictor(rows))

    def predict(self, rows: Any) -> NDArray[Any]:
        """The likeliest class, or the mean label."""
        predicted = self.model.predicted(self._predictor(rows))
        if self.study.label.classes:
            return np.asarray(np.array(self.classes)[predicted.argmax(axis=1)])
        return predicted

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes; only for binary and categorical labels."""
        if self.study.label.classes:
            return self.study.label.classes
        raise ConfigurationError(
            f"the label {self.study.label.column!r} is a number and has no classes; use predict"
        )

    @property
    def predictive_coef(self) -> Floats:
        """The coefficients that predict, (coefficients, k), intercept first."""
        return self.study.transform.to_original @ self._predictive_weights

    @property
    def prior(self) -> tuple[float, float]:
        """Signal and power of the prior behind the predictions."""
        chosen = self.solution("posterior").chosen
        return chosen["signal"], chosen["power"]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model with its study to a JSON file that `Fit.load` reads."""
        write_atomically(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """Canonical JSON, sealed by its hash: every solution, and the tables that were asked for.

        If none of these has profile intervals, those at 95% are computed first.
        """
        return file.to_bytes(self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, family: Family | None = None) -> "Fit":
        """Read a model file; raises StudyFileError if it was altered or is newer.

        A fit with a family of your own needs that `family` again: no file holds functions.
        """
        return cls.from_bytes(Path(path).read_bytes(), family=family)

    @classmethod
    def from_bytes(cls, data: bytes, *, family: Family | None = None) -> "Fit":
        """Decode and check a model file."""
        return file.from_bytes(cls, data, family)

    def every_solution(self) -> dict[str, Solution | Failure]:
        """All of them, found or not."""
        for name in SOLUTIONS.keys() - self.solutions.keys():
            self.solutions[name] = solve(name, self.asking(f"the solution {name!r}"))
        return self.solutions

    def every_table(self) -> tuple[Table, ...]:
        """Those that were asked for, with at least one of profile intervals."""
        self._any_profile()
        return tuple(self.tables[key] for key in sorted(self.tables))

    def _any_profile(self) -> Table:
        """Estimates are the same at every level."""
        known = (table for (kind, _), table in self.tables.items() if kind == "profile")
        return next(known, None) or self.table()

    @property
    def _predictive_weights(self) -> Floats:
        return self.solution("posterior").weights.reshape(-1, self.model.width)

    def _predictor(self, rows: Any) -> Floats:
        return self.study.encode(rows) @ self._predictive_weights


def _left_out(test: Test | None) -> tuple[str, ...]:
    if test is None:
        return ()
    return (f"A submodel. Test of what was left out: {test}; a small p speaks against it.",)


def _dropped(study: Study) -> tuple[str, ...]:
    if not study.dropped:
        return ()
    told = ", ".join(f"{name} ({reason})" for name, reason in study.dropped.items())
    return (f"Left out: {told}.",)
