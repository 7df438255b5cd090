"""What a model predicts for rows, on average, and how that follows the weights."""

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.inference.likelihood import Likelihood
from tacit.models import LabelModel
from tacit.study import Study

_STEP = 1e-5  # units of the model, for slopes of what is predicted


def outcome_names(study: Study) -> tuple[str, ...]:
    """What is predicted: the chance of yes, that of every class, or the mean label."""
    column, classes = study.label.column, study.label.classes
    if not classes:
        return (f"mean {column}",)
    return tuple(f"P({column} = {name})" for name in (classes if len(classes) > 2 else classes[1:]))


def outcomes(model: LabelModel, predictor: Floats) -> Floats:
    """Predicted values (m, outcomes)."""
    predicted = model.predicted(predictor)
    if predicted.ndim == 1:
        return predicted[:, None]
    return predicted[:, 1:] if predicted.shape[1] == 2 else predicted


def outcome_slopes(model: LabelModel, predictor: Floats) -> Floats:
    """Their derivatives in each predictor, (m, outcomes, k); a family need not state them."""
    step = _STEP * model.unit
    slopes = [
        (outcomes(model, predictor + step * one) - outcomes(model, predictor - step * one))
        / (2.0 * step)
        for one in np.eye(model.width)
    ]
    return np.stack(slopes, axis=-1)


@dataclass(frozen=True)
class Predicted:
    """Outcomes (m, t) of encoded rows z (m, p), with their slopes, at the weights of a fit."""

    z: Floats
    values: Floats
    slopes: Floats

    @classmethod
    def of(cls, likelihood: Likelihood, weights: Floats, z: Floats) -> "Predicted":
        """At these weights of the likelihood."""
        model = likelihood.design.model
        predictor = z @ likelihood.full(weights).reshape(z.shape[1], model.width)
        return cls(z, outcomes(model, predictor), outcome_slopes(model, predictor))

    def gradient(self, likelihood: Likelihood, share: Floats) -> Floats:
        """Derivatives in the weights of the outcomes' sums over rows times shares, (t, weights)."""
        parts = np.tensordot(self.z * share[:, None], self.slopes, axes=(0, 0))
        flat = parts.transpose(1, 0, 2).reshape(self.slopes.shape[1], -1)
        return flat if likelihood.basis is None else flat @ likelihood.basis
