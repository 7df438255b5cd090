"""Probability of the positive class, log-odds linear."""

import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.models.family import Family


def logistic() -> Family:
    """The logistic family."""
    return Family("logistic", special.expit, _slope)


def _slope(predictor: Floats) -> Floats:
    probability = special.expit(predictor)
    return np.asarray(probability * (1.0 - probability))
