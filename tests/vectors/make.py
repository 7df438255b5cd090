"""Studies, records and labels with what every device must make of them, and what it must refuse.

Coded columns and weights are written down by hand, z is exact rational arithmetic rounded once:
nothing here comes from the package. `python -m tests.vectors.make` writes the files.
"""

import hashlib
import json
import math
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import mpmath as mp

from tests.privacy import reference
from tests.vectors.tables import (
    ANSWERS,
    COLUMNS,
    DROPPED,
    FEATURES,
    LABELS,
    MISSING,
    USUAL,
    WEIGHTS,
    Case,
)

# of the study that the bad ones are made from
FEW = [FEATURES[1] | {"name": "age"}, FEATURES[2] | {"indicator": False}, FEATURES[3]]
FEW[2] = FEW[2] | {"levels": ["north", "true"], "indicator": False}
FEW_COLUMNS = ["age", "age missing", "smoker", "region: true"]


def transform(columns: list[str], intercept: bool) -> Case:
    """Numbers with few digits and no structure."""
    q = len(columns)
    total = Fraction(9, 10) if intercept else Fraction(1)
    return {
        "columns": columns,
        "center": [round(((7 * j) % 5 - 2) * 0.37, 2) if intercept else 0.0 for j in range(q)],
        "matrix": [[((11 * i + 7 * j) % 23 - 11) / 64 for j in range(q)] for i in range(q)],
        "spectrum": [round(2.0 / (1 + i), 9) for i in range(q)],
        "shares": [round(float(total / q), 10) for _ in range(q)],
        "tilts": [],
        "intercept": intercept,
    }


@cache
def mechanism(dimension: int, epsilon: float) -> Case:
    """From the slow reference."""
    with mp.workdps(reference.DIGITS):
        eps = mp.mpf(epsilon)
        best = reference.best_cap(dimension, eps) if dimension > 1 else mp.tanh(eps / 2)
        coin = reference.coin_threshold(eps)
    stated = {"dimension": dimension, "cap": float(best), "coin": f"{coin:016x}"}
    return {"kind": "sphere"} | stated


def content(label: str = "binary", epsilon: float = 2.0, **fields: Any) -> Case:
    """What a study file holds."""
    fields = {"features": FEATURES, "transform": transform(COLUMNS, True), **fields}
    parts: Case = fields["transform"]
    p, classes = len(parts["columns"]) + parts["intercept"], len(LABELS[label].get("levels", "01"))
    return {
        "version": 3,
        "title": "Vectors — ünïcode",
        "source": "made up",
        "features": fields["features"],
        "label": LABELS[label],
        "epsilon": epsilon,
        "minimum_batch": 100,
        "reports_per_person": fields.get("reports_per_person", 1),
        "purpose": fields.get("purpose", "coefficients"),
        "focus": fields.get("focus", []),
        "people": fields.get("people"),
        "simulation": False,
        "mechanism": mechanism(p * (classes - 1), epsilon),
        "transform": parts,
        "public_rows": 400,
        "effective_rows": fields.get("effective_rows", 400),
        "weights": fields.get("weights"),
        "margins": fields.get("margins", {}),
        "fingerprint": "0123456789abcdef" * 4,
        "dropped": {DROPPED: "fewer than 10 public rows", "shoe": "constant", "2": "b", "1": "a"},
        "notes": ["a \"note\" with \\ and \t"],
    }  # fmt: skip


def wrapped(body: str, identity: str | None = None) -> str:
    """A study file: the id, then the body it is the hash of."""
    identity = identity or hashlib.sha256(body.encode()).hexdigest()
    return f'{{"id":"{identity}","study":{body}}}\n'


def body_of(value: Any) -> str:
    """Canonical JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def small() -> Case:
    """The study that the bad ones are made from."""
    return content(features=FEW, transform=transform(FEW_COLUMNS, True))


def studies() -> dict[str, Case]:
    """Studies by name: each label, extremes of epsilon, of dimension and of length."""
    one = {"features": [FEATURES[0]], "transform": transform(["age"], False)}
    two = {"features": [FEATURES[0]], "transform": transform(["age"], True)}
    alone = {"features": [], "transform": transform([], True)}
    few = {"reports_per_person": 3}
    shares = {"north": 0.25, "south": 0.75}
    counted = {"effective_rows": 321, "weights": "w", "margins": {"age": 41.2, "region": shares}}
    tilted = transform(["age", "age missing"], True)
    tilted |= {"shares": [0.5, 0.15], "tilts": [[0.3, -0.4]]}
    focused = {"features": [FEW[0]], "transform": tilted, "focus": ["age"], "people": 10_000}
    return {label: content(label) for label in LABELS} | {
        "one column": content("binary", 1.5, **one),
        "no column": content("binary", 0.5, **alone),
        "classes of one column": content("categorical", 4.0, **one),
        "small": small(),
        "three reports": content("binary", 3.0, **two, **few),
        "weighted": content("binary", 3.0, **two, **counted),
        "focused": content("binary", 1.0, **focused),
        "for predictions": content("binary", 1.0, purpose="predictions", people=2**53 - 1),
        "weakest": content("count", 12.0),
        "strongest": content("count", 1e-20),
    }


COIN = mechanism(5, 2.0)["coin"]

# what a device must refuse although the hash is right: where, and what stands there instead
FORGED: list[tuple[str, Any]] = [
    ("version", 0), ("version", 2), ("version", 4), ("version", "3"), ("version", True),
    ("title", None), ("source", " "),
    ("epsilon", 3.0), ("epsilon", 12.5), ("epsilon", -1.0), ("epsilon", None),
    ("epsilon", "2.0"), ("minimum_batch", 0), ("reports_per_person", 0.5),
    ("reports_per_person", -1), ("public_rows", 4), ("fingerprint", "abc"), ("simulation", 1),
    ("effective_rows", 0), ("effective_rows", 401), ("effective_rows", 99.5), ("weights", " "),
    ("weights", 1), ("weights", "age"), ("weights", "y"), ("margins", []), ("margins", None),
    ("margins", {"y": 0.5}), ("margins", {"age": "41"}), ("margins", {"age": True}),
    ("margins", {"age": 1e101}), ("margins", {"region": {}}),
    ("margins", {"region": {"north": 0.5, "south": 0.4}}),
    ("margins", {"region": {"north": -0.5, "south": 1.5}}),
    ("purpose", "anything"), ("purpose", None), ("purpose", "predictions"), ("focus", ["height"]),
    ("focus", "age"), ("focus", ["age", "age"]), ("focus", ["intercept"]), ("focus", [1]),
    ("people", 0), ("people", 1.5), ("people", "many"),
    ("unknown", 1), ("notes", "x"), ("dropped", {"x": 1}), ("dropped", []),
    ("features", {}), ("features", []), ("features.0.kind", "auto"),
    ("features.0.kind", "categorical"), ("features.0.name", "shoe"), ("features.0.name", "y"),
    ("features.0.name", ""), ("features.0.name", "smoker"), ("features.0.levels", ["u"]),
    ("features.0.spread", -1.0), ("features.0.spread", 1e306), ("features.0.fill", None),
    ("features.0.unit", 1), ("features.0.indicator", 1), ("features.0.indicator", False),
    ("features.1.fill", 0.5), ("features.2.levels", []), ("features.2.levels", ["true", "true"]),
    ("features.2.levels", ["north", "true "]), ("features.2.merged", [""]),
    ("features.2.extra", 1), ("label.kind", "ordinal"), ("label.kind", "constructor"),
    ("label.column", "age"), ("label.column", ""), ("label.positive", ""), ("label.positive", 1),
    ("label.positive", "false"), ("label.negative", "yes"), ("label.negative", "TRUE"),
    ("label.question", None), ("mechanism.kind", "circle"), ("mechanism.kind", None),
    ("mechanism.dimension", 4), ("mechanism.dimension", 5.5),
    ("mechanism.cap", 0.1), ("mechanism.cap", 1.0), ("mechanism.cap", None),
    ("mechanism.coin", "ffffffffffffffff"), ("mechanism.coin", f"{int(COIN, 16) - 1:016x}"),
    ("mechanism.coin", COIN.upper()), ("mechanism.coin", "0"), ("mechanism.coin", 2),
    ("transform.columns", FEW_COLUMNS[::-1]), ("transform.columns.0", "height"),
    ("transform.columns", FEW_COLUMNS[:-1]), ("transform.center", []),
    ("transform.center.0", None), ("transform.matrix.0", [1.0, 2.0]),
    ("transform.matrix.0.0", 1e300), ("transform.matrix.0.0", "1"), ("transform.shares.0", 0.5),
    ("transform.shares.0", 0.0), ("transform.tilts", [[0.5, 0.5, 0.0, 0.0]]),
    ("transform.tilts", [[0.001]]), ("transform.tilts", None), ("transform.tilts", [[None] * 4]),
    ("transform.spectrum.0", 0.0), ("transform.intercept", False),
    ("transform.intercept", 1),
]  # fmt: skip


def forged(path: str, value: Any) -> str:
    """A file with a right hash and wrong content."""
    changed = json.loads(json.dumps(small()))
    *parents, last = path.split(".")
    inner = changed
    for key in parents:
        inner = inner[int(key) if isinstance(inner, list) else key]
    inner[int(last) if isinstance(inner, list) else last] = value
    return wrapped(body_of(changed))


def bad_studies() -> list[Case]:
    """Files that no device may take, with what is wrong."""
    body = body_of(small())
    good = wrapped(body)
    spaced = json.dumps(small(), ensure_ascii=False)
    files = {
        "altered": good.replace('"epsilon":2.0', '"epsilon":9.0'),
        "altered in a text": good.replace("made up", "made op"),
        "of another id": wrapped(body, "0" * 64),
        "of an id in capitals": wrapped(body, hashlib.sha256(body.encode()).hexdigest().upper()),
        "truncated": good[:-1],
        "empty": "",
        "not JSON": "not json",
        "reformatted": json.dumps(json.loads(good)) + "\n",
        "preceded by a mark": "\ufeff" + good,
        "followed by a space": good + " ",
        "under another key": good.replace('"study":', '"model":'),
        "with spaces": wrapped(spaced),
        "a list": wrapped("[]"),
        "an empty object": wrapped("{}"),
        "nothing": wrapped("null"),
        "half a body": wrapped(body[: len(body) // 2]),
        "of two epsilons": wrapped(body.replace('"epsilon":2.0', '"epsilon":9.0,"epsilon":2.0')),
        "in another order": wrapped(body_of(dict(reversed(small().items())))),
        "with another escape": wrapped(body.replace("made up", "made\\u0020up")),
    }
    cases = [{"why": why, "file": file} for why, file in files.items()]
    return cases + [
        {"why": f"{path}: {value!r}", "file": forged(path, value)} for path, value in FORGED
    ]


def z_of(design: list[float], study: Case) -> list[float]:
    """Exact sums of products, rounded once."""
    parts = study["transform"]
    centred = [Fraction(x) - Fraction(c) for x, c in zip(design, parts["center"], strict=True)]
    first = [math.sqrt(0.1)] if parts["intercept"] else []
    return first + [
        float(sum((Fraction(m) * x for m, x in zip(row, centred, strict=True)), Fraction(0)))
        for row in parts["matrix"]
    ]


def encoding(name: str, answer: Any, columns: list[float], replaced: bool) -> Case:
    """A record that is usual but for one answer."""
    given = USUAL | {name: (answer, columns, replaced)}
    return {
        "study": "binary",
        "record": {each: case[0] for each, case in given.items()},
        "replaced": [each for each, case in given.items() if case[2]],
        "z": z_of([value for case in given.values() for value in case[1]], studies()["binary"]),
    }


def encodings() -> Case:
    """Every answer of the table, wild ones all at once, and records with wrong names."""
    good = [encoding(name, *case) for name, cases in ANSWERS.items() for case in cases]
    nothing = {"study": "no column", "record": {"shoe": 43}, "replaced": [], "z": [math.sqrt(0.1)]}
    zero = {"study": "one column", "record": {"age": 0}, "replaced": [], "z": [0.0]}
    known = good[0] | {"record": good[0]["record"] | {"y": "secret", "shoe": 43, DROPPED: None}}
    usual = good[0]["record"]
    refused = [
        {"study": "binary", "record": record}
        for record in (
            {},
            {name: answer for name, answer in usual.items() if name != "age"},
            usual | {"Age": 41},
            usual | {"plan: 0.5": 1},
        )
    ]
    return {"good": [*good, nothing, zero, known], "refused": refused}


def labels() -> Case:
    """Weights of every label of the table, and labels that are missing."""
    good = [
        {"study": study, "label": label, "weights": weights}
        for study, cases in WEIGHTS.items()
        for label, weights in cases
    ]
    missing = [{"study": study, "label": label} for study in LABELS for label in MISSING]
    return {"good": good, "missing": missing}


def study_files() -> Case:
    """Good study files with what follows from them, and bad ones."""
    good = [
        {
            "name": name,
            "file": wrapped(body_of(study)),
            "id": hashlib.sha256(body_of(study).encode()).hexdigest(),
            "coin": str(int(study["mechanism"]["coin"], 16)),
            "total_epsilon": study["epsilon"] * study["reports_per_person"],
        }
        for name, study in studies().items()
    ]
    return {"good": good, "bad": bad_studies()}


def files() -> dict[Path, str]:
    """Every file of vectors with its text."""
    made = {"studies": study_files(), "encoding": encodings(), "labels": labels()}
    return {reference.VECTORS / f"{name}.json": reference.text_of(x) for name, x in made.items()}


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
