"""The geometry that measures coefficients best: shares, and a direction for each in focus."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats
from tacit.study.components import Components
from tacit.study.descent import Advance, descend
from tacit.study.shaping import Measure
from tacit.study.shares import Shape, by_need, published

FOCUS_WEIGHT = 0.5  # of the whole, for what is in focus
LEAST_PREFERENCE = 2.0  # of each in focus over each other, where few others are left
WORST_PRICE = 2.0  # of a standard error out of focus, against a study without focus

_COARSE_ROWS = 3000
_TILTED = 0.2  # of the room, for a start
_SMALLEST_TILT = 1e-3  # below it a direction is left out
_TILT_DIGITS = 6
_HALVINGS = 10

_NOT_FOUND = (
    "the best geometry could not be computed from these public rows; shares in proportion to "
    "variance^(-1/4) were taken, which are close to it."
)
_NO_FOCUS = "no geometry for the focus could be computed from these public rows: there is none."


@dataclass(frozen=True)
class Optimum:
    """Looks for the best geometry of these components at the noise of one report."""

    components: Components
    noise: float
    advance: Advance

    def shape(self, focus: NDArray[np.intp]) -> Shape:
        """For every coefficient alike, or half for those in focus and half for the others."""
        components = self.components
        count = len(components.columns)
        start = by_need(components.spectrum, components.room)
        plain = self._best(start, np.full(count, 1.0 / count), focus[:0])
        if plain is None:
            return Shape(published(start, components.room), notes=(_NOT_FOUND,))
        others = np.setdiff1d(np.arange(count), focus)
        if len(focus) == 0 or len(others) == 0:
            return plain
        return self._focused(plain, focus, others)

    def variances(self, shape: Shape) -> Floats:
        """What a geometry promises of every coefficient, up to a constant."""
        tilts = np.array(shape.tilts).reshape(len(shape.tilts), len(shape.shares))
        measure = Measure(self.components, self._directions(tilts), self.noise)
        held = self.components.held
        return measure.variances(np.concatenate([held, shape.shares, np.ones(len(tilts))]))

    def _focused(self, plain: Shape, focus: NDArray[np.intp], others: NDArray[np.intp]) -> Shape:
        """With less weight on the focus, until the others pay no more than they may."""
        start = np.array(plain.shares)
        alike = len(focus) / len(start)
        preferred = LEAST_PREFERENCE * len(focus)
        heaviest = weight = max(FOCUS_WEIGHT, preferred / (preferred + len(others)))
        for _ in range(_HALVINGS):
            importance = np.full(len(start), (1.0 - weight) / len(others))
            importance[focus] = weight / len(focus)
            found = self._best(start, importance, focus)
            if found is None:
                break
            ratios = np.sqrt(self.variances(found) / self.variances(plain))
            if ratios[others].max() <= WORST_PRICE:
                lighter = weight if weight < heaviest else None
                note = price_in_words(ratios[focus], ratios[others], lighter)
                return Shape(found.shares, found.tilts, (note,))
            weight = (weight + alike) / 2
        return Shape(plain.shares, notes=(_NO_FOCUS,))

    def _best(self, start: Floats, importance: Floats, focus: NDArray[np.intp]) -> Shape | None:
        """Few rows bring the amounts near the best, all rows to it."""
        components = self.components
        rows = components.coefficients[focus][:, len(components.held) :]
        tilts = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        if len(focus):
            added = np.full(len(focus), _TILTED * components.room / len(focus))
            start = np.append((1.0 - _TILTED) * start, added)
        amounts: Floats | None = start
        for few in (components.thinned(_COARSE_ROWS), components):
            measure = Measure(few, self._directions(tilts), self.noise)
            if amounts is not None:
                amounts = descend(measure, components.held, amounts, importance, self.advance)
        return None if amounts is None else _shape(amounts, tilts, components.room)

    def _directions(self, tilts: Floats) -> Floats:
        """An axis for every component, then the tilts."""
        width = self.components.rows.shape[1]
        padded = np.zeros((len(tilts), width))
        padded[:, width - tilts.shape[1] :] = tilts
        return np.concatenate([np.eye(width), padded])


def _shape(amounts: Floats, tilts: Floats, room: float) -> Shape:
    """As it is published: few digits, and no direction with next to nothing."""
    count = tilts.shape[1]
    kept = np.append(np.ones(count, dtype=bool), amounts[count:] >= _SMALLEST_TILT * room)
    parts = np.array(published(amounts[kept], room))
    scaled = np.sqrt(parts[count:, None]) * tilts[kept[count:]]
    return Shape(
        tuple(parts[:count].tolist()),
        tuple(tuple(round(float(x), _TILT_DIGITS) + 0.0 for x in row) for row in scaled),
    )


def price_in_words(focus: Floats, others: Floats, lighter: float | None) -> str:
    """What a focus brings and costs in planned standard errors, as multiples of those without."""
    low, high = f"{focus.min():.2g}", f"{focus.max():.2g}"
    brought = low if low == high else f"{low} to {high}"
    bounded = f" (its weight is {lighter:.2g}, or they would pay more)" if lighter else ""
    return (
        f"focus: planned standard error {brought} times what it would be without; "
        f"those of the others at most {np.ceil(others.max() * 100) / 100:g} times{bounded}."
    )
