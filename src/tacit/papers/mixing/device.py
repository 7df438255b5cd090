"""The party's half: its columns become one release, in integers."""

import numpy as np
from numpy.typing import ArrayLike

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.papers.common import feature_rows
from tacit.papers.mixing.agreement import Agreement


def encode(agreement: Agreement, party: int, columns: ArrayLike) -> Floats:
    """What the noise is added to, in the party's units: D^j, or B D^j / sqrt(k)."""
    inside = clipped_columns(agreement, party, columns)
    return inside if agreement.mixing is None else agreement.mixing.mix(inside)


def clipped_columns(agreement: Agreement, party: int, columns: ArrayLike) -> Floats:
    """D^j in the party's units: values beyond the stated range at its ends, absent ones midway.

    The paper assumes the range and clips nothing, but the noise rests on it.
    """
    low, high = np.array(agreement.ranges[party]).T
    held = np.asarray(columns)
    if held.shape != (agreement.people, len(low)):
        raise ConfigurationError(
            f"party {party} agreed on {agreement.people} people and {len(low)} columns, "
            f"got columns of shape {held.shape}"
        )
    rows = feature_rows(held, len(low))
    middle = low + (high - low) / 2.0
    inside = np.clip(np.where(np.isnan(rows), middle, rows), low, high)
    return np.asarray(inside / agreement.units(party))
