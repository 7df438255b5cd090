"""What every round, and every estimator of the papers, hands to the contract suite."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.protocol import Records, Round

MEMBERS = {name for name in (*vars(Round), *Round.__annotations__) if not name.startswith("_")}


@dataclass(frozen=True)
class Example:
    """One round at a small size, and records to try it on.

    `make(calibration, epsilon, delta)` is the round. `draw(rng, n)` makes n records, extreme ones
    among them; `extremes()` two whose inputs are as far apart as the mechanism allows (not `tight`:
    no two records are). `joint(round)` is the noise of everything that the protocol asks of one
    person, where it asks more than this. `draws` is how many reports a statistical test takes.
    `absent`: without a label there is no report, and the docs say so.
    """

    name: str
    make: Callable[[Any, float, float], Round]
    draw: Callable[[np.random.Generator, int], Records]
    extremes: Callable[[], Records]
    tight: bool = True
    joint: Callable[[Any], Any] | None = None
    draws: int = 2000
    absent: bool = False

    def round(self, epsilon: float, delta: float = 1e-6) -> Any:
        """With exact calibration."""
        return self.make("exact", epsilon, delta)


@dataclass(frozen=True)
class EstimatorExample:
    """One estimator: made anew by `make(**parameters)`, fitted by `fit(estimator)` on small data.

    `answer(estimator)` is what it learned. `bad` lists parameters that must be refused with an
    error of the tree that shows them: ({"radius": -1.0}, "radius=-1.0").
    """

    name: str
    make: Callable[..., Any]
    fit: Callable[[Any], Any]
    answer: Callable[[Any], Floats]
    bad: tuple[tuple[dict[str, Any], str], ...]


def stated(name: str) -> list[Any]:
    """What every module `examples_*` of this folder states under a name."""
    folder = __name__.rpartition(".")[0]
    modules = [one.name for one in walk_packages(import_module(folder).__path__, folder + ".")]
    examples = [import_module(one) for one in modules if ".examples_" in one]
    return [example for module in examples for example in getattr(module, name, [])]


def rounds_within(package: ModuleType) -> Iterator[type]:
    """Every class of the package that has the members of a round, inherited or not."""
    for found in walk_packages(package.__path__, package.__name__ + "."):
        if found.name.endswith("__main__"):
            continue
        module = import_module(found.name)
        for thing in vars(module).values():
            if isinstance(thing, type) and thing.__module__ == module.__name__ and is_round(thing):
                yield thing


def is_round(kind: type) -> bool:
    """By its members, not by its name or its place."""
    held = {*dir(kind), *getattr(kind, "__dataclass_fields__", {})}
    return held >= MEMBERS and kind is not Round


def filled(records: Records, value: Any) -> Records:
    """The same records with this value in every place."""
    return tuple(_filled(column, value) for column in records)


def _filled(column: Any, value: Any) -> Any:
    whole = np.empty(np.shape(column), dtype=object)
    for place, old in np.ndenumerate(column):
        whole[place] = _filled(old, value) if isinstance(old, np.ndarray) else value
    return whole
