"""What was found, by one way of solving: a value, or the reason why there is none."""

from typing import TypeVar

import msgspec
import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.errors import ConfigurationError, TacitError

CAUSES = ("privacy", "people", "public rows")

T = TypeVar("T")


class Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="failure"):
    """What does not exist, as the exception that asking for it raises."""

    kind: type[TacitError]
    message: str

    def __str__(self) -> str:
        return self.message


class Uncertainty(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="uncertainty"):
    """Covariance of the coefficients, and their variances by cause (rows: see CAUSES)."""

    covariance: Floats
    variance_by_cause: Floats


class Solution(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="solution"):
    """Weights and the coefficients they mean; `chosen` are numbers that solving settled on.

    `weights` are flat over (component, predictor). `coef` is in the units of the features, in the
    order of the fit's `names`.
    """

    name: str
    weights: Floats
    coef: Floats
    uncertainty: Uncertainty | Failure
    chosen: dict[str, float] = {}
    notes: tuple[str, ...] = ()

    @property
    def covariance(self) -> Floats:
        """Covariance matrix of `coef`; raises where this way of solving has none."""
        return asked(self.uncertainty).covariance

    @property
    def standard_errors(self) -> Floats:
        """Square roots of the variances."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def variance_by_cause(self) -> Floats:
        """Each coefficient's variance by cause, (3, coefficients)."""
        return asked(self.uncertainty).variance_by_cause

    @property
    def shares(self) -> Floats:
        """Share of each coefficient's variance by cause, (3, coefficients)."""
        return np.asarray(self.variance_by_cause / self.variance_by_cause.sum(axis=0))

    def conf_int(self, level: float = 0.95) -> Floats:
        """Confidence intervals, one row (low, high) per coefficient."""
        if not 0 < level < 1:
            raise ConfigurationError(f"level must lie between 0 and 1, got level={level}")
        reach = float(special.ndtri(0.5 + level / 2)) * self.standard_errors
        return np.column_stack([self.coef - reach, self.coef + reach])


def asked(found: T | Failure) -> T:
    """What was found; raises where it was not."""
    if isinstance(found, Failure):
        raise found.kind(found.message)
    return found
