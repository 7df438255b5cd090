"""The label study: everything that organiser and devices agree on where features are known."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tacit import labels
from tacit.arrays import Floats
from tacit.errors import ConfigurationError, StudyFileError
from tacit.labelprivate import known
from tacit.labelprivate.words import describe, in_brief, promised
from tacit.labels import Label
from tacit.models import Family
from tacit.privacy.audit import Audit, Source
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.label import LabelMechanism, LabelParameters, best_for_label, check_for_label
from tacit.study import document
from tacit.study.checks import check_feature, refuse_repeated_columns
from tacit.study.files import write_atomically
from tacit.study.margins import Margins
from tacit.study.public import NO_MARGINS
from tacit.study.schema import REPORT, STUDY, Feature, column_names
from tacit.study.transform import INTERCEPT

if TYPE_CHECKING:
    from tacit.labelprivate.fitting import LabelFit, LabelPlan
    from tacit.labelprivate.report import LabelReport

KIND = "label_study"
VERSION = 1

_SMALLEST_EPSILON, _LARGEST_EPSILON = 1e-6, 20.0


class _Stated(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What stands under a name; `mechanism` is derived where nothing is stated."""

    label: Label
    epsilon: float
    title: str = ""
    intercept: bool = True
    stated: LabelParameters | None = msgspec.field(name="mechanism", default=None)
    dropped: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    version: int = VERSION


class LabelStudy(_Stated, frozen=True, forbid_unknown_fields=True, dict=True):
    """A frozen value whose id is the hash of its canonical JSON; only the label is private.

    `features` describe what the organiser knows of every person: kind, levels and fill are
    stated, or settled by `from_rows`.
    """

    features: Sequence[Feature]

    def __post_init__(self) -> None:
        hold = msgspec.structs.force_setattr
        hold(self, "features", tuple(self.features))
        hold(self, "label", labels.checked(self.label))
        hold(self, "title", str(self.title).strip())
        hold(self, "epsilon", _checked_epsilon(self.epsilon))
        classes = len(self.label.classes)
        if self.stated is None:
            hold(self, "stated", best_for_label(classes, self.epsilon))
        check_for_label(self.parameters, classes, self.epsilon)
        _check_features(self)

    @property
    def margins(self) -> Margins:
        """None: rows that are known need no calibration."""
        return NO_MARGINS

    @classmethod
    def from_rows(
        cls,
        rows: Any,
        *,
        label: Label,
        epsilon: float,
        title: str = "",
        features: Iterable[Feature | str] | None = None,
        intercept: bool = True,
    ) -> "LabelStudy":
        """A study whose kinds, levels and fills are those of rows that the organiser knows.

        `features` (or their names) select columns; otherwise every column but the label's is one.
        """
        label = labels.checked(label)
        settled = known.settle_known(rows, features, {label.column, REPORT, STUDY})
        return cls(
            settled.features,
            label=label,
            epsilon=epsilon,
            title=title,
            intercept=bool(intercept),
            dropped=settled.dropped,
            notes=tuple(settled.notes),
        )

    def __hash__(self) -> int:
        return hash(self.id)

    def __str__(self) -> str:
        return in_brief(self)

    def describe(self) -> str:
        """Title, questions, mechanism, notes and guarantee in words."""
        return describe(self)

    @cached_property
    def body(self) -> bytes:
        """The canonical JSON that is hashed."""
        return msgspec.json.encode(self)

    @cached_property
    def id(self) -> str:
        """SHA-256 of the body, 64 hexadecimal digits."""
        return hashlib.sha256(self.body).hexdigest()

    @property
    def parameters(self) -> LabelParameters:
        """What is stated of the mechanism."""
        assert self.stated is not None  # noqa: S101 (`__post_init__` derives them)
        return self.stated

    @cached_property
    def mechanism(self) -> LabelMechanism:
        """The mechanism, with its parameters as the study states them."""
        return self.parameters.mechanism(self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """What is promised to each person: the label, given that the features are known."""
        return promised(self.epsilon)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names that known rows have to have."""
        return tuple(feature.name for feature in self.features)

    def inputs(self, weights: Floats) -> Floats:
        """What the mechanism takes for weights (n, K) of a label's corners."""
        return weights if self.label.classes else 2.0 * weights[:, 1] - 1.0

    def randomize(self, label: Any) -> "LabelReport":
        """The report of one label, on the person's device.

        Every call is another report and costs another epsilon. A wild label is replaced; a
        missing one raises, since there is nothing to report.
        """
        from tacit.labelprivate.device import randomize_label

        return randomize_label(self, label)

    def fit(self, rows: Any, reports: Any, *, family: str | Family | None = None) -> "LabelFit":
        """Coefficients with intervals: the likelihood of the reports, given the known rows.

        `reports` has one `LabelReport` or integer for each row, None where nobody reported.
        """
        from tacit.labelprivate.fitting import fit_labels

        return fit_labels(self, rows, reports, family)

    def plan(
        self,
        rows: Any,
        *,
        people: int | None = None,
        target_se: float | None = None,
        rate: float | None = None,
    ) -> "LabelPlan":
        """Standard errors to expect of so many people like those of the rows, or people needed.

        `rate` is the mean of the label that is expected: 0.5 for yes or no if nothing is said.
        """
        from tacit.labelprivate.fitting import plan_labels

        return plan_labels(self, rows, people, target_se, rate)

    def audit(self, draws: int = 200_000) -> Audit:
        """Try to refute the epsilon with reports as devices make them."""
        return self.mechanism.audit(Source(draws))

    def to_bytes(self) -> bytes:
        """The study file: the id, then the canonical body it is the hash of."""
        return document.wrap(KIND, self.body)

    @classmethod
    def from_bytes(cls, data: bytes) -> "LabelStudy":
        """Read a study file; an altered, reformatted, truncated or newer one raises."""
        try:
            return document.decode(KIND, document.unwrap(KIND, data), cls, VERSION)
        except ConfigurationError as error:
            raise StudyFileError(f"the study file contradicts itself: {error}") from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the study file, whole or not at all."""
        write_atomically(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "LabelStudy":
        """Read a study file from disk."""
        return cls.from_bytes(Path(path).read_bytes())


def _checked_epsilon(epsilon: Any) -> float:
    try:
        number = np.nan if isinstance(epsilon, bool | str) else float(epsilon)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not _SMALLEST_EPSILON <= number <= _LARGEST_EPSILON:
        raise ConfigurationError(
            f"epsilon must lie between {_SMALLEST_EPSILON:g} and {_LARGEST_EPSILON:g}, got "
            f"epsilon={epsilon!r}; 1 protects strongly, 4 moderately"
        )
    return number


def _check_features(study: LabelStudy) -> None:
    for feature in study.features:
        if not isinstance(feature, Feature):
            raise ConfigurationError(
                f"features must be tacit.Feature values with their kinds, got {feature!r}; let "
                "LabelStudy.from_rows settle them, or state them"
            )
        if feature.kind == "auto":
            raise ConfigurationError(
                f"feature {feature.name!r} needs a kind (numeric, binary or categorical with its "
                "levels); state it, or let LabelStudy.from_rows settle it"
            )
        check_feature(feature)
    taken = {study.label.column, REPORT, STUDY}.intersection(study.feature_names)
    if taken:
        raise ConfigurationError(
            f"no feature may be called {', '.join(map(repr, sorted(taken)))}: the label is "
            f"{study.label.column!r}, and tables with reports have columns {REPORT!r} and "
            f"{STUDY!r}; rename or leave it out"
        )
    first = [INTERCEPT] if study.intercept else []
    refuse_repeated_columns(study.feature_names)
    refuse_repeated_columns([*first, *column_names(study.features)])
    if not study.features and not study.intercept:
        raise ConfigurationError("a study needs features or an intercept, got neither")
