"""Which coefficients a model has: all of the study's, or fewer that stand for several of them."""

import msgspec
import numpy as np

from tacit.arrays import Floats
from tacit.inference.coefficients import coefficient_names
from tacit.study import Study


class Terms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Names in the order of the table, and which of the study's coefficients each stands for.

    Coefficients of the study that no term stands for are zero.
    """

    names: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, study: Study) -> "Terms":
        """Every coefficient by itself."""
        names = coefficient_names(study)
        return cls(names, tuple((place,) for place in range(len(names))))

    def matrix(self, count: int) -> Floats:
        """From terms to the study's `count` coefficients, (count, terms) of zeros and ones."""
        found = np.zeros((count, len(self.names)))
        for term, places in enumerate(self.members):
            found[list(places), term] = 1.0
        return found

    @property
    def of_place(self) -> dict[int, int]:
        """The term of each of the study's coefficients; those that are zero have none."""
        return {place: term for term, members in enumerate(self.members) for place in members}

    @property
    def firsts(self) -> list[int]:
        """Of each term, the first of the study's coefficients that it stands for."""
        return [first for first, *_ in self.members]

    def contrasts(self, count: int) -> Floats:
        """Each term as one of the study's `count` coefficients, (terms, count)."""
        return np.asarray(np.eye(count)[self.firsts])
