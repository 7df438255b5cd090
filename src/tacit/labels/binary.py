"""Yes or no."""

from collections.abc import Sequence
from typing import ClassVar

from msgspec.structs import force_setattr

from tacit.answers import Column, is_missing, level, text
from tacit.arrays import Floats
from tacit.errors import ConfigurationError, LabelError
from tacit.labels.base import AnyLabel, places_of
from tacit.models import Family, LabelModel, scalar_model

_FEW = 5  # values that a message lists

Stated = str | bool | int | float


class Binary(AnyLabel, frozen=True, tag="binary"):
    """Yes or no. Without `negative`, every answer but `positive` counts as no."""

    positive: Stated
    negative: Stated | None = None
    question: str = ""

    form: ClassVar[str] = "churned:binary:yes or churned:binary:yes:no"

    def __post_init__(self) -> None:
        super().__post_init__()
        force_setattr(self, "positive", level(self.positive))
        if self.negative is not None:
            force_setattr(self, "negative", level(self.negative))
        if not self.positive or self.negative == "" or self.negative in self._yes():
            raise ConfigurationError(
                f"positive and negative must be two answers, got positive={self.positive!r}, "
                f"negative={self.negative!r}"
            )

    @classmethod
    def parse(cls, column: str, parts: Sequence[str]) -> "Binary | None":
        """From the parts of an argument, None if they have another form."""
        return cls(column, *parts) if len(parts) in (1, 2) else None

    @property
    def classes(self) -> tuple[str, ...]:
        """No, then yes."""
        negative = f"not {self.positive}" if self.negative is None else str(self.negative)
        return negative, str(self.positive)

    @property
    def axis(self) -> str:
        """What a coefficient changes."""
        return f"the log-odds of {self.column} = {self.positive}"

    def in_words(self) -> str:
        """The values it takes."""
        rest = "anything else is no" if self.negative is None else f"no {self.negative!r}"
        return f"yes or no, yes is {self.positive!r}, {rest}"

    def weights(self, values: Column) -> Floats:
        """Weights (n, 2) of no and yes; even for an answer that is neither."""
        if self.negative is None:
            return self._class_weights(values, self._yes(), 0.0)
        return self._class_weights(values, places_of(self.classes), -1.0)

    def check_occurs(self, values: Column) -> None:
        """Refuse labels of many people none of whom says yes: for trying out alone."""
        present = values[~is_missing(values)]
        if len(present) == 0 or (self.weights(present)[:, 1] == 1.0).any():
            return
        found = sorted({*map(text, present)})
        few = ", ".join(map(repr, found[:_FEW]))
        raise LabelError(
            f"no row says {self.positive!r}, the positive value of the label {self.column!r}; the "
            f"rows hold {few if len(found) <= _FEW else f'{len(found):,} different values'}. "
            "Correct the rows, or make a study with another positive value"
        )

    def model(self, family: str | Family | None = None) -> LabelModel:
        """Logistic, unless another family is asked for."""
        return scalar_model(family, "logistic", 0.0, 1.0, binary=True)

    def _yes(self) -> dict[str, float]:
        return dict.fromkeys(places_of((str(self.positive),)), 1.0)
