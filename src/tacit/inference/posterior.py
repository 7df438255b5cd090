"""The solution "posterior": empirical Bayes, which predicts best and exists always."""

import numpy as np

from tacit.errors import ConfigurationError
from tacit.inference.likelihood import Likelihood
from tacit.inference.shrinkage import Spectrum, shrink
from tacit.inference.solution import Failure, Solution
from tacit.study import Study

_SHRUNKEN = Failure(
    ConfigurationError,
    "the coefficients that predict are shrunken and have no honest standard errors or intervals; "
    "those of the table do, which is the solution 'maximum'",
)


def posterior(likelihood: Likelihood) -> Solution:
    """The mode under the prior that the tally itself chooses."""
    mode = shrink(likelihood, spectrum_of(likelihood.study))
    coef = likelihood.coefficients(mode.weights)
    chosen = {"signal": mode.signal, "power": mode.power}
    return Solution("posterior", likelihood.full(mode.weights), coef, _SHRUNKEN, chosen)


def spectrum_of(study: Study) -> Spectrum:
    """What the prior needs of the study's transform."""
    transform = study.transform
    return Spectrum(np.asarray(transform.spectrum), transform.mixing)
