"""The ways of solving, by name; each is one file."""

from collections.abc import Callable, Mapping

from tacit.errors import ConvergenceError, NoFiniteMaximumError
from tacit.inference.likelihood import Likelihood
from tacit.inference.maximum import maximum
from tacit.inference.posterior import posterior
from tacit.inference.solution import Failure, Solution

SOLUTIONS: Mapping[str, Callable[[Likelihood], Solution]] = {
    "maximum": maximum,
    "posterior": posterior,
}


def solve(name: str, likelihood: Likelihood) -> Solution | Failure:
    """The solution of this name; where there is none, why."""
    try:
        return SOLUTIONS[name](likelihood)
    except (NoFiniteMaximumError, ConvergenceError) as error:
        return Failure(type(error), str(error))
