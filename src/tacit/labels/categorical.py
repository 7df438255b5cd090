"""One of several classes."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from msgspec.structs import force_setattr

from tacit.answers import Column, level
from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.labels.base import AnyLabel, places_of
from tacit.models import Family, LabelModel, softmax_model


class Categorical(AnyLabel, frozen=True, tag="categorical"):
    """One of several classes; coefficients compare each with the first."""

    levels: tuple[str | bool | int | float, ...]
    question: str = ""

    form: ClassVar[str] = "kind:categorical:a,b,c"

    def __post_init__(self) -> None:
        super().__post_init__()
        levels = tuple(map(level, _several(self.levels)))
        places = places_of(levels)
        distinct = all(places[name] == place for place, name in enumerate(levels))
        if len(levels) < 2 or not distinct or not all(levels):
            raise ConfigurationError(
                f"levels must be at least two distinct answers, got levels={levels}"
            )
        force_setattr(self, "levels", levels)

    @classmethod
    def parse(cls, column: str, parts: Sequence[str]) -> "Categorical | None":
        """From the parts of an argument, None if they have another form."""
        return cls(column, tuple(parts[0].split(","))) if len(parts) == 1 else None

    @property
    def class_count(self) -> int:
        """K: the number of levels."""
        return len(self.levels)

    @property
    def classes(self) -> tuple[str, ...]:
        """The levels."""
        return tuple(map(str, self.levels))

    @property
    def groups(self) -> tuple[str, ...]:
        """Every class but the first against it."""
        baseline, *others = self.classes
        return tuple(f"{other} vs {baseline}" for other in others)

    @property
    def axis(self) -> str:
        """What a coefficient changes."""
        return f"the log-odds of {self.column}"

    def in_words(self) -> str:
        """The values it takes."""
        return f"one of {', '.join(self.classes)}"

    def weights(self, values: Column) -> Floats:
        """Weights (n, K) of the levels; equal for an answer that is none of them."""
        return self._class_weights(values, places_of(self.classes), -1.0)

    def model(self, family: str | Family | None = None) -> LabelModel:
        """Multinomial; there is no other."""
        return softmax_model(family, self.corners)


def _several(levels: Any) -> Iterable[Any]:
    if isinstance(levels, str | bytes) or not isinstance(levels, Iterable):
        raise ConfigurationError(f"levels must be a list of answers, got levels={levels!r}")
    return levels
