"""What a study is for, with what decides how noisy it will be: enough to choose its geometry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.labels import Label
from tacit.privacy.mechanism import best
from tacit.study.components import Components
from tacit.study.descent import Advance
from tacit.study.optimum import Optimum
from tacit.study.purpose import PREDICTIONS, focused
from tacit.study.schema import Feature
from tacit.study.shares import Shape, by_water, noise_of_predictions, published


@dataclass(frozen=True)
class Aim:
    """`advance` is called with 1 at every step."""

    purpose: str
    focus: tuple[str, ...]
    people: int | None
    label: Label
    epsilon: float
    reports_per_person: int
    advance: Advance

    def shape(
        self, components: Components, features: Sequence[Feature], dropped: Mapping[str, str]
    ) -> Shape:
        """The geometry for the purpose."""
        if not components.columns:
            return Shape(())
        if self.purpose == PREDICTIONS and self.people is not None:
            return self._for_predictions(components, self.people)
        corner = 1.0 / (self.label.class_count - 1)
        wanted = focused(self.focus, features, components.columns, dropped)
        return Optimum(components, self._noise(components) / corner, self.advance).shape(wanted)

    def _noise(self, components: Components) -> float:
        """Noise of a coordinate of one person's mean report."""
        dimension = components.rows.shape[1] * (self.label.class_count - 1)
        mechanism = best(dimension, self.epsilon).mechanism(self.epsilon, b"")
        return mechanism.noise / self.reports_per_person

    def _for_predictions(self, components: Components, people: int) -> Shape:
        model = self.label.model()
        origin = np.full((1, model.width), model.origin)
        slope = float(model.slope(origin)[0, 0, 0]) * model.unit
        noise = noise_of_predictions(self._noise(components), slope, people)
        room = components.room
        return Shape(published(by_water(components.spectrum, room, noise), room))
