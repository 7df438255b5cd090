"""What a label model means for the corners that devices send.

A device sends `u (x) g`, with `g` one of K corners of a regular simplex (-1 and +1 for K = 2).
The likelihood needs three moments of `g` given the linear predictors: its mean, the slope of the
mean, and its second moment.
"""

from typing import Protocol

from tacit.arrays import Floats


class LabelModel(Protocol):
    """Moments of the corner sent, given predictors (m, k)."""

    @property
    def name(self) -> str:
        """The name of the model, for people."""
        ...

    @property
    def own(self) -> bool:
        """Whether its functions are the user's own, so that no name stands for them."""
        ...

    @property
    def width(self) -> int:
        """k: the number of predictors, K - 1."""
        ...

    @property
    def unit(self) -> float:
        """A large step of the predictor."""
        ...

    @property
    def origin(self) -> float:
        """The predictor from which iterations start."""
        ...

    @property
    def scores(self) -> Floats:
        """Matrix from predictors to what decides: (K, k) logits, or the one predictor (1, 1)."""
        ...

    @property
    def contrasts(self) -> Floats:
        """Matrix (c, k) from predictors to those whose coefficients a table shows."""
        ...

    def mean(self, predictor: Floats) -> Floats:
        """Expected corner, (m, k)."""
        ...

    def slope(self, predictor: Floats) -> Floats:
        """Derivative of the expected corner, (m, k, k)."""
        ...

    def second(self, predictor: Floats) -> Floats:
        """Expected outer product of the corner, (m, k, k)."""
        ...

    def predicted(self, predictor: Floats) -> Floats:
        """What predictions show: class probabilities (m, K), or the mean label (m,)."""
        ...
