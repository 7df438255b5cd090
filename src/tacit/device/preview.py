"""What the device understood, shown to its owner only, before anything is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacit.answers import UNREADABLE, Plain, column
from tacit.device.randomize import shielded
from tacit.study import Study
from tacit.study.transform import columns_of


@dataclass(frozen=True)
class Preview:
    """Answers as they were read, those that were replaced, and the label's weights.

    It depends on private values: it must never leave the device.
    """

    answers: dict[str, Plain]
    replaced: tuple[str, ...]
    label: Plain
    label_weights: tuple[float, ...]

    def __str__(self) -> str:
        lines = [
            f"{name}: {_shown(value)}"
            + (" (replaced as the study says)" if name in self.replaced else "")
            for name, value in self.answers.items()
        ]
        shares = ", ".join(f"{share:.3g}" for share in self.label_weights)
        return "\n".join(
            [*lines, f"label: {_shown(self.label)} (weights of its corners: {shares})"]
        )


@shielded
def preview(study: Study, record: Mapping[str, Any], *, label: Any) -> Preview:
    """Show locally how the study reads a record, and what it would replace."""
    study.check_record(record)
    table = {feature.name: column([record[feature.name]]) for feature in study.features}
    replaced = [f.name for f in study.features if columns_of(f, table[f.name])[1][0]]
    known = column([label])
    return Preview(
        answers={name: values[0] for name, values in table.items()},
        replaced=tuple(replaced),
        label=known[0],
        label_weights=tuple(study.label.weights(known)[0].tolist()),
    )


def _shown(value: Plain) -> str:
    return "unreadable" if value == UNREADABLE else repr(value)
