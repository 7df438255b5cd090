"""What the device understood, shown to its owner only, before anything is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacit.study import Study
from tacit.study.labels import weights
from tacit.study.rows import as_column


@dataclass(frozen=True)
class Preview:
    """Answers as given, those that were replaced, and the label's weights over its codes.

    It depends on private values: it must never leave the device.
    """

    answers: dict[str, Any]
    replaced: tuple[str, ...]
    label: Any
    label_weights: tuple[float, ...]

    def __str__(self) -> str:
        lines = [
            f"{name}: {value!r}"
            + (" (replaced as the study says)" if name in self.replaced else "")
            for name, value in self.answers.items()
        ]
        shares = ", ".join(f"{share:.3g}" for share in self.label_weights)
        return "\n".join([*lines, f"label: {self.label!r} (weights of its codes: {shares})"])


def preview(study: Study, record: Mapping[str, Any], *, label: Any) -> Preview:
    """Show locally how the study reads a record, and what it would replace."""
    study.check_record(record)
    replaced = study.replaced([record])
    return Preview(
        answers={name: record[name] for name in study.feature_names},
        replaced=tuple(name for name, flags in replaced.items() if flags[0]),
        label=label,
        label_weights=tuple(weights(study.label, as_column([label]))[0].tolist()),
    )
