"""What a model predicts for rows, on average, and how that follows the weights."""

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.inference.likelihood import Likelihood
from tacit.models import LabelModel
from tacit.study import Study

_STEP = 1e-5  # units of the model, for slopes of what is predicted


def predicted_names(study: Study) -> tuple[str, ...]:
    """What is predicted: the chance of yes, that of every class, or the mean label."""
    column, classes = study.label.column, study.label.classes
    if not classes:
        return (f"mean {column}",)
    return tuple(f"P({column} = {name})" for name in (classes if len(classes) > 2 else classes[1:]))


def predicted_values(model: LabelModel, predictor: Floats) -> Floats:
    """Predicted values (m, predictions)."""
    predicted = model.predicted(predictor)
    if predicted.ndim == 1:
        return predicted[:, None]
    return predicted[:, 1:] if predicted.shape[1] == 2 else predicted


def predicted_slopes(model: LabelModel, predictor: Floats) -> Floats:
    """Their derivatives in each predictor, (m, predictions, k); a family need not state them."""
    slopes = []
    for step in _STEP * model.unit * np.eye(model.width):
        below, above = (predicted_values(model, predictor + one) for one in (-step, step))
        slopes.append((above - below) / (2.0 * step.sum()))
    return np.stack(slopes, axis=-1)


@dataclass(frozen=True)
class Predicted:
    """What is predicted (m, t) for encoded rows z (m, p), with its slopes, at the weights."""

    z: Floats
    values: Floats
    slopes: Floats

    @classmethod
    def of(cls, likelihood: Likelihood, weights: Floats, z: Floats) -> "Predicted":
        """At these weights of the likelihood."""
        model = likelihood.design.model
        predictor = z @ likelihood.full(weights).reshape(z.shape[1], model.width)
        return cls(z, predicted_values(model, predictor), predicted_slopes(model, predictor))

    def gradient(self, likelihood: Likelihood, share: Floats) -> Floats:
        """Derivatives in the weights of sums over rows, each times its share, (t, weights)."""
        parts = np.tensordot(self.z * share[:, None], self.slopes, axes=(0, 0))
        flat = parts.transpose(1, 0, 2).reshape(self.slopes.shape[1], -1)
        return flat if likelihood.basis is None else flat @ likelihood.basis
