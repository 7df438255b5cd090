"""What the truth may be, before anything is collected: coefficients drawn from a public prior.

The coefficient of the unit-variance component j is Normal(0, s lambda_j / sum lambda), in units of
the model. How much the features tell, s, differs from draw to draw; the intercept follows from the
mean label. The draws are the same for everybody.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.inference.coefficients import coefficient_names, to_coefficients
from tacit.inference.design import Design
from tacit.inference.rate import balanced
from tacit.inference.weak import SIGNALS
from tacit.models import LabelModel, ScalarModel
from tacit.study import Study
from tacit.study.transform import INTERCEPT

DRAWS = 41  # of which the 5th, 21st and 37th are 10%, the median and 90%
RATIO = 64.0  # of the largest s to the smallest

_SEED = 2019
_WIDEST = 16.0  # s: a predictor of standard deviation 4
_HALVINGS = 12


@dataclass(frozen=True)
class Truth:
    """Weights, flat as everywhere, and the signal that a table would find there."""

    weights: Floats
    signal: float


def widest_signal(model: LabelModel) -> float:
    """The largest s at which predictors a deviation away are still means of some label."""
    if not isinstance(model, ScalarModel):
        return _WIDEST
    signals = _WIDEST * 0.5 ** np.arange(_HALVINGS)
    within = [float(s) for s in signals if _within_range(model, np.sqrt(s))]
    return within[0] if within else float(signals[-1])


def usual_width(model: LabelModel) -> float:
    """Of a 95% interval that tells little, in proportion to how much predictors differ.

    It is 4 for log-odds: from seven times likelier to seven times less likely.
    """
    return float(2.0 * np.sqrt(2.0 * widest_signal(model) / np.sqrt(RATIO)) * model.unit)


def drawn_truths(study: Study, design: Design, corner: Floats) -> Iterator[Truth]:
    """Possible truths with this mean corner over the public rows, from little signal to much."""
    transform, model = study.transform, design.model
    spectrum = np.asarray(transform.spectrum)
    widest = widest_signal(model)
    generator = np.random.default_rng(_SEED)
    for signal in np.geomspace(widest / RATIO, widest, DRAWS):
        deviations = np.sqrt(signal * spectrum / spectrum.sum()) * model.unit
        slopes = deviations[:, None] * generator.standard_normal((len(spectrum), model.width))
        if transform.intercept:
            slopes = np.vstack([np.zeros(model.width), slopes])
        weights = np.linalg.solve(transform.mixing.T, slopes)
        yield _truth(study, design, _with_rate(study, design, weights, corner))


def guessed_truth(
    study: Study, design: Design, guess: Mapping[str, float], corner: Floats
) -> Truth:
    """Coefficients as guessed, all others 0; the intercept by the mean label unless guessed."""
    names = coefficient_names(study)
    unknown = [name for name in guess if name not in names]
    if unknown:
        raise ConfigurationError(
            f"guess names unknown coefficients {unknown}; the study has {list(names)}"
        )
    coefficients = np.array([guess.get(name, 0.0) for name in names])
    flat = np.linalg.solve(to_coefficients(study, design.model), coefficients)
    weights = flat.reshape(-1, design.model.width)
    if not guesses_intercept(guess):
        weights = _with_rate(study, design, weights, corner)
    return _truth(study, design, weights)


def guesses_intercept(guess: Mapping[str, float]) -> bool:
    """Whether the mean label is left open by a guess."""
    return any(name.endswith(INTERCEPT) for name in guess)


def _with_rate(study: Study, design: Design, weights: Floats, corner: Floats) -> Floats:
    """The weights (p, k) with an intercept that gives the mean corner, if there is one."""
    if not study.transform.intercept:
        return weights
    mixing = study.transform.mixing
    constant = np.linalg.solve(mixing.T, np.eye(len(mixing))[0])
    return weights + np.outer(constant, balanced(design, design.predictor(weights.ravel()), corner))


def _truth(study: Study, design: Design, weights: Floats) -> Truth:
    predictor = design.predictor(weights.ravel())
    middle = design.average(predictor) if study.transform.intercept else 0.0
    signal = float(design.average((predictor - middle) ** 2).mean()) / design.model.unit**2
    return Truth(weights.ravel(), float(np.clip(signal, SIGNALS[0], SIGNALS[-1])))


def _within_range(model: ScalarModel, units: float) -> bool:
    ends = model.origin + units * model.unit * np.array([-1.0, 1.0])
    low, high = model.family.predicted(ends)
    slack = 1e-9 * (model.high - model.low)
    return bool(low >= model.low - slack and high <= model.high + slack)
