"""A study in words."""

from typing import TYPE_CHECKING

from tacit.privacy.words import number_up
from tacit.study.public import rows_in_words
from tacit.study.purpose import in_words
from tacit.study.schema import Feature

if TYPE_CHECKING:
    from tacit.study.study import Study


def in_brief(study: "Study") -> str:
    """One line."""
    title = study.title or "untitled study"
    return (
        f"{title}: {study.label.column} from {len(study.features)} features, "
        f"epsilon {number_up(study.epsilon)}, "
        f"{rows_in_words(study.public_rows, study.effective_rows)}, id {study.id[:12]}"
    )


def describe(study: "Study") -> str:
    """Title, purpose, questions, notes, and the guarantee as people taking part should read it."""
    label = study.label
    parts = [
        in_brief(study),
        in_words(study),
        f"Public rows: {study.source}",
        f"Minimum batch: {study.minimum_batch:,} reports. "
        f"Reports per person: {study.reports_per_person}.",
        "",
        f"Label: {label.column}, {label.in_words()}{_question(label.question)}",
        "Features:",
        *(f"  {feature_in_words(feature)}" for feature in study.features),
    ]
    if study.dropped:
        parts += ["Dropped:", *(f"  {name}: {why}" for name, why in study.dropped.items())]
    if study.notes:
        parts += ["Notes:", *(f"  {note}" for note in study.notes)]
    return "\n".join([*parts, "", study.guarantee.statement()])


def feature_in_words(feature: Feature) -> str:
    """What a feature asks."""
    if feature.kind == "numeric":
        values = f"a number{_unit(feature.unit)}; {feature.fill:g} if missing"
    elif feature.kind == "binary":
        values = f"yes or no; {'yes' if feature.fill else 'no'} if missing"
    else:
        baseline, *rest = feature.levels
        values = f"baseline {baseline}; {', '.join(rest) or 'no other level'}"
    return f"{feature.name}, {values}{_question(feature.question)}"


def _unit(unit: str) -> str:
    return f" ({unit})" if unit else ""


def _question(question: str) -> str:
    return f'. "{question}"' if question else ""
