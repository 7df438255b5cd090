"""Label-private studies, and the integer that every device must make of a label and its words.

Slow and exact: sets are listed, chances are fractions, thresholds come from mpmath. Nothing here
comes from the package. `python -m tests.vectors.label_private` writes the file.
"""

import hashlib
import itertools
import json
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath as mp

from tests.privacy import reference
from tests.vectors.tables import FEATURES, LABELS, MISSING, WEIGHTS, Case

WORD = 2**64
UNEVEN = 1 - Fraction(1, 2**36)
FILE = reference.VECTORS / "label_private.json"
# mechanisms by name: label, epsilon, kind and sizes
STATED: dict[str, tuple[str, float, Case]] = {
    "one of two": ("binary", 1.0, {"kind": "subset", "classes": 2, "size": 1}),
    "one of three": ("categorical", 3.0, {"kind": "subset", "classes": 3, "size": 1}),
    "three of ten": ("ten", 1.0, {"kind": "subset", "classes": 10, "size": 3}),
    "two points": ("count", 1.0, {"kind": "window", "cells": 2, "width": 1}),
    "piecewise": ("bounded", 3.0, {"kind": "window", "cells": 2**24, "width": 2_345_678}),
    "staircase": ("bounded", 6.0, {"kind": "staircase", "cells": 2**20, "split": 110_401}),
    "largest epsilon": ("count", 20.0, {"kind": "staircase", "cells": 6, "split": 1}),
    "small epsilon": ("binary", 0.001, {"kind": "subset", "classes": 2, "size": 1}),
}
TEN = {"kind": "categorical", "column": "y", "levels": list("abcdefghij"), "question": ""}
ANSWERS: dict[str, list[tuple[Any, list[float]]]] = {
    **WEIGHTS,
    "ten": [(level, [float(other == level) for other in "abcdefghij"]) for level in "abj"],
}


def fraction_of(grown: Any) -> Fraction:
    """An mpmath number, exactly."""
    sign, mantissa, exponent = map(int, grown._mpf_[:3])
    return (-1 if sign else 1) * Fraction(mantissa) * Fraction(2) ** exponent


def thresholds(stated: Case, epsilon: float) -> dict[str, int]:
    """The integers that carry the guarantee, rounded to its side."""
    with mp.workdps(120):
        ratio = fraction_of(mp.exp(mp.mpf(epsilon))) * UNEVEN
    if stated["kind"] == "subset":
        odds = ratio * Fraction(stated["size"], stated["classes"] - stated["size"])
    elif stated["kind"] == "window":
        odds = ratio * Fraction(stated["width"], stated["cells"] - stated["width"])
    else:
        coin = math.ceil(WORD / ratio)
        lower = stated["cells"] - stated["split"]
        odds = Fraction(stated["split"], lower) * UNEVEN * WORD / coin
        return {"coin": coin, "threshold": math.floor(odds / (1 + odds) * WORD)}
    return {"threshold": math.floor(odds / (1 + odds) * WORD)}


def content(name: str) -> Case:
    """What the file of a label study holds."""
    label, epsilon, stated = STATED[name]
    found = {key: f"{value:016x}" for key, value in thresholds(stated, epsilon).items()}
    return {
        "features": FEATURES,
        "label": LABELS.get(label, TEN),
        "epsilon": epsilon,
        "title": "Labels — ünïcode",
        "intercept": True,
        "mechanism": stated | found,
        "dropped": {"shoe": "constant"},
        "notes": [],
        "version": 1,
    }


def file_of(body: Case) -> str:
    """The id, then the body it is the hash of."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return f'{{"id":"{hashlib.sha256(text.encode()).hexdigest()}","label_study":{text}}}\n'


def share(word: int) -> Fraction:
    """A uniform number of 53 bits."""
    return Fraction(word >> 11, 2**53)


def drawn(stated: Case, epsilon: float, weights: list[float], words: list[int]) -> int:
    """The report, from the words in their order."""
    given = iter(words)
    chances = thresholds(stated, epsilon)
    if stated["kind"] == "subset":
        return _set(stated, chances["threshold"], weights, given)
    value = 2.0 * weights[1] - 1.0
    if stated["kind"] == "window":
        width = int(stated["width"])
        rest = int(stated["cells"]) - width
        position = (value + 1) / 2 * rest
    else:
        position = value * (stated["cells"] / 2)
    start = math.floor(position) + (share(next(given)) < Fraction(position) - math.floor(position))
    if stated["kind"] == "window":
        favoured, word = next(given) < chances["threshold"], next(given)
        if favoured:
            return start + word * width // WORD
        among = word * rest // WORD
        return among if among < start else among + width
    return _noisy(stated, epsilon, chances, start, given)


def _set(stated: Case, threshold: int, weights: list[float], words: Iterator[int]) -> int:
    """The place of the set in the list of all, sorted by the last class, then the one before."""
    classes, size = int(stated["classes"]), int(stated["size"])
    luck, reached, own = share(next(words)), 0.0, 0
    for weight in weights[:-1]:
        reached += weight
        own += luck >= Fraction(reached)
    held = {own} if next(words) < threshold else set()
    for left, other in enumerate(c for c in range(classes) if c != own):
        if next(words) * (classes - 1 - left) // WORD < size - len(held):
            held.add(other)
    sets: list[tuple[int, ...]] = sorted(
        itertools.combinations(range(classes), size), key=lambda found: found[::-1]
    )
    return sets.index(tuple(sorted(held)))


def _noisy(
    stated: Case, epsilon: float, chances: dict[str, int], start: int, words: Iterator[int]
) -> int:
    """The start with a noise of so many steps, a place within one, and a side."""
    cells, split = int(stated["cells"]), int(stated["split"])
    count = math.ceil(40 / epsilon) + 2
    tosses = [next(words) < chances["coin"] for _ in range(count)]
    step = tosses.index(False) if False in tosses else count
    upper, word = next(words) < chances["threshold"], next(words)
    within = word * split // WORD if upper else split + word * (cells - split) // WORD
    size = step * cells + within
    noisy = start - size - 1 if next(words) < WORD // 2 else start + size
    largest = (count - 2) * cells
    return max(-largest - 1, min(noisy, largest))


def words_for(stated: Case, epsilon: float, source: random.Random) -> list[int]:
    """As many words as a report takes: near the ends, and anywhere."""
    count = {"subset": stated.get("classes", 0) + 1, "window": 3}.get(
        stated["kind"], math.ceil(40 / epsilon) + 6
    )
    edges = [0, WORD - 1, *thresholds(stated, epsilon).values()]
    edges += [edge - 1 for edge in edges if edge]
    anywhere = [source.getrandbits(64) for _ in range(count)]
    return [source.choice([word, word, source.choice(edges)]) for word in anywhere]


def vectors() -> Case:
    """Studies, reports, labels without one, and files that no device may take."""
    source, good = random.Random(8), []
    for name, (label, epsilon, stated) in STATED.items():
        for answer, weights in ANSWERS[label]:
            for _ in range(2):
                words = words_for(stated, epsilon, source)
                number = drawn(stated, epsilon, weights, words)
                shown = [f"{word:016x}" for word in words]
                good.append({"study": name, "label": answer, "words": shown, "number": number})
    files = [{"name": name, "file": file_of(content(name))} for name in STATED]
    missing = [{"study": name, "label": label} for name in STATED for label in MISSING]
    return {"studies": files, "good": good, "missing": missing, "bad": bad()}


FORGED: list[tuple[str, str, Any]] = [
    ("one of two", "version", 2), ("one of two", "epsilon", 1.1), ("one of two", "epsilon", 0),
    ("one of two", "epsilon", 21), ("one of two", "title", None), ("one of two", "intercept", 1),
    ("one of two", "extra", 1), ("one of two", "features.0.kind", "auto"),
    ("one of two", "features.0.name", "report"), ("one of two", "features.0.name", "y"),
    ("one of two", "label.kind", "ordinal"), ("one of two", "mechanism.kind", "sphere"),
    ("one of two", "mechanism.classes", 3), ("one of two", "mechanism.size", 0),
    ("one of two", "mechanism.threshold", "f" * 16), ("three of ten", "mechanism.size", 6),
    ("three of ten", "mechanism.size", 1), ("two points", "mechanism.cells", 3),
    ("two points", "label", LABELS["binary"]), ("piecewise", "mechanism.width", 2**24),
    ("piecewise", "mechanism.cells", 2**25), ("staircase", "mechanism.coin", "0" * 16),
    ("staircase", "mechanism.cells", 7), ("staircase", "mechanism.split", 1),
]  # fmt: skip


def bad() -> list[Case]:
    """Files with a right hash and wrong content, and some with a wrong hash."""
    good = file_of(content("one of two"))
    found = [
        {"why": "altered", "file": good.replace("ünï", "uni")},
        {"why": "of the other sort", "file": good.replace("label_study", "study")},
        {"why": "truncated", "file": good[:-1]},
    ]
    for name, path, value in FORGED:
        changed = json.loads(json.dumps(content(name)))
        *parents, last = path.split(".")
        inner = changed
        for key in parents:
            inner = inner[int(key) if isinstance(inner, list) else key]
        inner[last] = value
        found.append({"why": f"{name}: {path}: {value!r}", "file": file_of(changed)})
    return found


def files() -> dict[Path, str]:
    """The file of vectors with its text."""
    return {FILE: reference.text_of(vectors())}


if __name__ == "__main__":
    FILE.write_text(reference.text_of(vectors()), encoding="utf-8")
