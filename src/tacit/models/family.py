"""A family: how the mean of a number follows from one linear predictor."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from tacit.arrays import Floats
from tacit.errors import ConfigurationError

Curve = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Family:
    """Mean and slope of the (clipped) label given the linear predictor.

    The mean must not decrease and must stay within the range of the study's label. `predict` is
    the mean that predictions show, where it differs: the rate itself, not its clipped mean, for
    counts. `information` is what one unclipped label tells of its predictor, where the family says
    how labels scatter (that of a binary label follows from its mean). Predictors lie a few times
    `unit` around `origin`: iterations start there, and predictions are shrunken towards there. For
    a mean that is the predictor itself state half the label's range and its middle.
    """

    name: str
    mean: Curve
    slope: Curve
    predict: Curve | None = None
    unit: float = 1.0
    origin: float = 0.0
    information: Curve | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.unit) and self.unit > 0 and math.isfinite(self.origin)):
            raise ConfigurationError(
                f"family {self.name!r} needs a positive unit and a finite origin, got "
                f"unit={self.unit}, origin={self.origin}"
            )

    def predicted(self, predictor: Floats) -> Floats:
        """The mean that predictions show."""
        return (self.predict or self.mean)(predictor)
