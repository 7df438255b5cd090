"""A label study in words: what it asks, what it knows, what it promises."""

from typing import TYPE_CHECKING

from tacit.privacy.guarantee import Guarantee
from tacit.privacy.words import number_up
from tacit.study.describe import feature_in_words

if TYPE_CHECKING:
    from tacit.labelprivate.study import LabelStudy

_NOT_PROTECTED = (
    "The features are not protected: whoever organises the study knows them and keeps them beside "
    "each person's report. What features alone tell about a label they tell all the same.",
    "Taking part is visible, and so are address and time to whoever runs the network.",
    "Reports add up: every further report of the same person, in this study or another, "
    "adds its epsilon.",
    "Conclusions about groups can concern people who never took part.",
    "Levels, ranges and caps of the label are published; made by looking at private labels they "
    "leak them.",
    "A page or app that does not run the published code can send raw answers.",
    "Consent, minors and lawful basis are outside this guarantee.",
)


def promised(epsilon: float) -> Guarantee:
    """The guarantee: exactly the label, given that the features are known."""
    return Guarantee(
        epsilon,
        protects="the label of every person, given that the features are known",
        against="everyone but the person's own device, the organiser included",
        of="label",
        not_protected=_NOT_PROTECTED,
    )


def in_brief(study: "LabelStudy") -> str:
    """One line."""
    title = study.title or "untitled label study"
    return (
        f"{title}: {study.label.column} (private) from {len(study.features)} known features, "
        f"epsilon {number_up(study.epsilon)}, id {study.id[:12]}"
    )


def describe(study: "LabelStudy") -> str:
    """Title, label, features, notes, and the guarantee as people taking part should read it."""
    label = study.label
    question = f'. "{label.question}"' if label.question else ""
    parts = [
        in_brief(study),
        f"Mechanism: {study.parameters.in_words()}",
        "",
        f"Label: {label.column}, {label.in_words()}{question}",
        "Known features:",
        *(f"  {feature_in_words(feature)}" for feature in study.features),
    ]
    if study.dropped:
        parts += ["Dropped:", *(f"  {name}: {why}" for name, why in study.dropped.items())]
    if study.notes:
        parts += ["Notes:", *(f"  {note}" for note in study.notes)]
    return "\n".join([*parts, "", study.guarantee.statement()])
