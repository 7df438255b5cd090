"""How many rows to mix into, by formula."""

import math

import numpy as np

from tacit.papers.mixing.agreement import Agreement

LEAST_ROWS_PER_COLUMN = 2  # fewer rows than columns determine nothing


def mixed_rows(agreement: Agreement) -> int:
    """k = sqrt(n d / d_max) / sigma of Theorem 2, from public numbers alone.

    Erratum 14: the experiments take the best of five k by the error it gave, which private
    records decide, and which releases every person five times. The theorem's noise on entries
    of size at most 1 has standard deviation s = 2 sqrt(d_max) sigma, so k = 2 sqrt(n d) / s;
    s is the root mean square over columns where the noises differ.
    """
    largest = np.abs(np.concatenate([np.array(party) for party in agreement.ranges])).max(axis=1)
    noise = math.sqrt(float(np.mean((agreement.noise_scales() / largest) ** 2)))
    k = 2.0 * math.sqrt(agreement.people * (agreement.columns - 1)) / noise
    return max(math.ceil(k), LEAST_ROWS_PER_COLUMN * agreement.columns)
