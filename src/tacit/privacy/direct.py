"""What the sphere mechanism's reports expand to, drawn from their law directly. Simulation only.

A report is uniform on the sphere but for the cap, which is 1 / c times as likely: with probability
(1 - c) q / A it comes from the cap, otherwise from anywhere (the letters are those of sphere.py).
"""

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.privacy.geometry import cap_height


@dataclass(frozen=True)
class DrawnPoints:
    """Points `stretch across + along vectors`, of which `turn` is taken off the first axis."""

    across: Floats
    stretch: Floats
    vectors: Floats
    along: Floats
    turn: Floats

    def points(self) -> Floats:
        """Each of them, (n, d)."""
        found = self.across * self.stretch[:, None]
        found += self.vectors * self.along[:, None]
        found[:, 0] -= self.turn
        return found

    def sum(self) -> Floats:
        """All of them together (d,), without making each."""
        total = self.stretch @ self.across + self.along @ self.vectors
        total[0] -= self.turn.sum()
        return np.asarray(total)


def draw(
    vectors: Floats, cap: float, cap_rate: float, favoured: float, generator: np.random.Generator
) -> DrawnPoints:
    """A point for each unit vector (n, d): from its cap at the rate `favoured`, else anywhere."""
    across = generator.standard_normal(vectors.shape)
    anywhere = across[:, 0] / np.sqrt(np.einsum("nd,nd->n", across, across))
    # This component along the vector has either sign alike and says nothing of the others. Where
    # the cap is favoured it serves without its sign if it is high enough, or is drawn again.
    in_cap = generator.random(len(anywhere)) < favoured
    along = np.where(in_cap, np.abs(anywhere), anywhere)
    low = np.flatnonzero(in_cap & (along < cap))
    along[low] = cap_height(vectors.shape[1], cap_rate * (1.0 - generator.random(len(low))))
    # Given that component, every direction across the vector is alike.
    across[:, 0] = 0.0
    lengths = np.sqrt(np.einsum("nd,nd->n", across, across))
    width = np.sqrt(np.maximum(1.0 - along**2, 0.0))
    stretch = np.divide(width, lengths, out=np.zeros_like(width), where=lengths > 0.0)
    # Reflect by the mirror v + sign(v_0) e_0, which takes the first axis to v, up to sign.
    first = vectors[:, 0]
    turn = stretch * np.einsum("nd,nd->n", across, vectors) / (1.0 + np.abs(first))
    return DrawnPoints(across, stretch, vectors, along - turn, np.copysign(turn, turn * first))
