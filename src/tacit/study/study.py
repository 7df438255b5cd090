"""The study: everything public that a device, a collector and a fit have to agree on."""

import hashlib
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tacit import labels
from tacit.answers import Flags
from tacit.arrays import Floats
from tacit.errors import ConfigurationError, PublicRowsError, StudyFileError
from tacit.labels import Label
from tacit.privacy.expand import TAG_BYTES
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.mechanism import Parameters, StudyMechanism, best
from tacit.study import checks, document
from tacit.study.aim import Aim
from tacit.study.build import check_public, settle, stated_features
from tacit.study.descent import Advance
from tacit.study.describe import describe, in_brief
from tacit.study.files import write_atomically
from tacit.study.geometry import make_transform
from tacit.study.margins import Margins
from tacit.study.public import PublicRows
from tacit.study.purpose import COEFFICIENTS
from tacit.study.rows import Columns, columns, length
from tacit.study.schema import Feature, column_names
from tacit.study.transform import Transform, as_bytes, columns_of, design, encode, kept_columns

VERSION = 3


class Study(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, dict=True):
    """A frozen value; its id is the hash of its canonical JSON. Make one with `from_public`."""

    version: int = VERSION
    title: str
    source: str
    features: tuple[Feature, ...]
    label: Label
    epsilon: float
    minimum_batch: int
    reports_per_person: int
    purpose: str
    focus: tuple[str, ...]
    people: int | None
    simulation: bool
    parameters: Parameters = msgspec.field(name="mechanism")
    transform: Transform
    public_rows: int
    effective_rows: int
    weights: str | None
    margins: Margins
    fingerprint: str
    dropped: dict[str, str]
    notes: tuple[str, ...]

    @classmethod
    def from_public(
        cls,
        rows: Any,
        *,
        label: Label,
        epsilon: float,
        source: str,
        title: str = "",
        features: Iterable[Feature | str] | None = None,
        intercept: bool = True,
        minimum_batch: int = 100,
        reports_per_person: int = 1,
        purpose: str = COEFFICIENTS,
        focus: str | Iterable[str] = (),
        people: int | None = None,
        simulation: bool = False,
        weights: str | None = None,
        margins: Mapping[str, Any] | None = None,
        progress: Advance | None = None,
    ) -> "Study":
        """Plan a study around public, unlabelled rows; the file publishes facts about them.

        `features` (or their names) select columns; otherwise every column but the label's is one.
        A column with the label's name is ignored. Never pass rows that are not public.

        `weights` names the column that says how many people each row stands for; `margins` are
        known means and shares of levels that the rows are calibrated to. `purpose` is
        "coefficients" or "predictions", `focus` names the coefficients or features that matter
        most, `people` is how many are expected to report. `progress` is called with 1 at every
        step of the computation.
        """
        table = columns(rows)
        label = labels.checked(label)
        known = checks.checked_basis(weights, margins, label.column)
        stated = stated_features(features, table, label.column, weights)
        checks.require_names([feature.name for feature in stated], table)
        epsilon = checks.checked_epsilon(epsilon, simulation)
        reports = checks.at_least_one("reports_per_person", reports_per_person)
        asked = checks.checked_aim(purpose, focus, people)
        aim = Aim(*asked, label, epsilon, reports, progress or (lambda _: None))
        public = PublicRows.of(table, length(table), weights, known)
        facts = _public_facts(stated, public, bool(intercept), aim)
        transform = facts["transform"]
        study = cls(
            title=str(title).strip(),
            source=checks.checked_source(source),
            label=label,
            epsilon=epsilon,
            minimum_batch=checks.at_least_one("minimum_batch", minimum_batch),
            reports_per_person=reports,
            purpose=aim.purpose,
            focus=aim.focus,
            people=aim.people,
            simulation=bool(simulation),
            parameters=best(transform.dimension * (label.class_count - 1), epsilon),
            **facts,
        )
        checks.check_study(study)  # so that nobody gets a study that no device would read
        return study

    def __hash__(self) -> int:
        return hash(self.id)

    def __str__(self) -> str:
        return in_brief(self)

    def describe(self) -> str:
        """Title, purpose, source, guarantee in words, questions, baselines and notes."""
        return describe(self)

    @cached_property
    def body(self) -> bytes:
        """The canonical JSON that is hashed."""
        return msgspec.json.encode(self)

    @cached_property
    def id(self) -> str:
        """SHA-256 of the body, 64 hexadecimal digits."""
        return hashlib.sha256(self.body).hexdigest()

    @cached_property
    def tag(self) -> bytes:
        """The 16 bytes that tie a seed's expansion to this study."""
        return bytes.fromhex(self.id)[:TAG_BYTES]

    @property
    def dimension(self) -> int:
        """d = p (K - 1): the length of the vector a report stands for."""
        return self.parameters.dimension

    @cached_property
    def mechanism(self) -> StudyMechanism:
        """The mechanism, with its parameters as the study states them."""
        return self.parameters.mechanism(self.epsilon, self.tag)

    @property
    def guarantee(self) -> Guarantee:
        """What the study promises each person."""
        return Guarantee(self.epsilon, self.reports_per_person, self.simulation)

    @cached_property
    def kept(self) -> NDArray[np.intp] | None:
        """Where the columns that the transform keeps are among all; None if all are kept."""
        kept = _positions(self.features, self.transform)
        return None if len(kept) == len(column_names(self.features)) else kept

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names every record has to have."""
        return tuple(feature.name for feature in self.features)

    def design(self, rows: Any) -> Floats:
        """Design columns (n, q) that the transform keeps; wild values are replaced."""
        return kept_columns(self, *self.read(rows))

    def encode(self, rows: Any) -> Floats:
        """z (n, p) of raw rows, or of one record."""
        return encode(self, *self.read(rows))

    def encode_public(self, rows: Any) -> tuple[Floats, PublicRows, str]:
        """z (m, p) of the public rows that count, these rows themselves, and their fingerprint.

        Rows must exist and be finite, with the weights and margins that the study names. The
        fingerprint is the study's for the rows it was made from, in their order.
        """
        basis = {*self.margins, *([self.weights] if self.weights else [])}
        table, count = self.read(rows, basis)
        if count == 0:
            raise PublicRowsError("there are no public rows; pass those of the study")
        public = PublicRows.of(table, count, self.weights, self.margins)
        for feature in self.features:
            check_public(feature, public)
        seen = hashlib.sha256()
        z = encode(self, public.table, len(public.shares), seen)
        seen.update(as_bytes(public.basis))
        return z, public, seen.hexdigest()

    def replaced(self, rows: Any) -> dict[str, Flags]:
        """For each feature, which rows hold a value that the study replaces."""
        table, _ = self.read(rows)
        return {f.name: columns_of(f, table[f.name])[1] for f in self.features}

    def check_record(self, record: Mapping[str, Any]) -> None:
        """Refuse a record that lacks a feature's name or has one the study does not know."""
        names = record.keys()  # and nothing else of it: an error says what is public
        checks.require_names(self.feature_names, names)
        checks.refuse_unknown(self, names)

    def to_bytes(self) -> bytes:
        """The study file: the id, then the canonical body it is the hash of."""
        return document.wrap("study", self.body)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Study":
        """Read a study file; an altered, reformatted, truncated or newer one raises."""
        study = document.decode("study", document.unwrap("study", data), cls, VERSION)
        try:
            checks.check_study(study)
        except ConfigurationError as error:
            raise StudyFileError(f"the study file contradicts itself: {error}") from error
        return study

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the study file, whole or not at all."""
        write_atomically(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Study":
        """Read a study file from disk."""
        return cls.from_bytes(Path(path).read_bytes())

    def read(self, rows: Any, basis: Collection[str] = ()) -> tuple[Columns, int]:
        """The features' columns of rows of any usual shape, and how many rows there are.

        `basis` names columns besides, as far as the rows have them.
        """
        table = columns(rows, {*self.feature_names, *basis} or None)
        if not table.keys() >= {*self.feature_names, *basis}:
            table = columns(rows)
            checks.require_names(self.feature_names, table)
        if not table and isinstance(rows, Sequence):  # records of a study that asks nothing
            return table, len(rows)
        return table, length(table)


def _public_facts(
    stated: Sequence[Feature], public: PublicRows, intercept: bool, aim: Aim
) -> dict[str, Any]:
    """The fields of a study that follow from its public rows."""
    settled = settle(stated, public)
    names = column_names(settled.features)
    checks.refuse_repeated_columns(names)
    full = design(settled.features, public.table, len(public.shares))
    choose = partial(aim.shape, features=settled.features, dropped=settled.dropped)
    transform, dropped, notes = make_transform(names, full, intercept, choose, public.shares)
    checks.refuse_repeated_columns(transform.names)
    kept = set(transform.columns)
    unused = [f.name for f in settled.features if kept.isdisjoint(f.columns)]
    whole = {name: dropped.get(name, "all its columns were dropped") for name in unused}
    return {
        "features": tuple(f for f in settled.features if f.name not in unused),
        "transform": transform,
        "public_rows": len(full),
        "effective_rows": public.worth,
        "weights": public.weights,
        "margins": public.margins,
        "fingerprint": _fingerprint(full[:, _positions(settled.features, transform)], public.basis),
        "dropped": settled.dropped | dropped | whole,
        "notes": (*public.notes, *settled.notes, *notes),
    }


def _positions(features: Sequence[Feature], transform: Transform) -> NDArray[np.intp]:
    """Where the kept columns are among all design columns."""
    kept = set(transform.columns)
    return np.flatnonzero([name in kept for name in column_names(features)])


def _fingerprint(design: Floats, basis: Floats) -> str:
    seen = hashlib.sha256(as_bytes(design))
    seen.update(as_bytes(basis))
    return seen.hexdigest()
