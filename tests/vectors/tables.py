"""Answers and labels of every kind, and by hand what a device makes of them."""

from typing import Any

Case = dict[str, Any]

NAN, INFINITE, NEGATIVE = ({"float": name} for name in ("nan", "inf", "-inf"))  # not JSON
ABSURD: list[Any] = [[1, 2], {"a": 1}]
NO_LIST: list[Any] = [[]]
DROPPED = "plan: 10"  # a design column that the transform does not keep


def feature(name: str, kind: str, **fields: Any) -> Case:
    """A feature as the study file has it."""
    blank = {"question": "", "unit": "", "levels": [], "merged": [], "fill": 0.0, "spread": 0.0}
    return {"name": name, "kind": kind} | blank | {"indicator": False} | fields


FEATURES = [
    feature("age", "numeric", question='How "old"?\n½ 年 is enough', fill=45.5, spread=12.25),
    feature("income", "numeric", unit="€", fill=-30.0, spread=0.5, indicator=True),
    feature("smoker", "binary", fill=1.0, indicator=True),
    feature(
        "region",
        "categorical",
        levels=["north", "Éast", "true", "1", "other"],
        merged=["moor"],
        indicator=True,
    ),
    feature("plan", "categorical", levels=["basic", "0.5", "1e-05", "-2.5e-07", "10"]),
]
COLUMNS = ["age", "income", "income missing", "smoker", "smoker missing"]
COLUMNS += [f"region: {level}" for level in ("Éast", "true", "1", "other")]
COLUMNS += ["region missing", "plan: 0.5", "plan: 1e-05", "plan: -2.5e-07"]

# feature: (answer, design columns, replaced)
ANSWERS: dict[str, list[tuple[Any, list[float], bool]]] = {
    "age": [
        *((answer, [41.0], False) for answer in (41, 41.0, "41", " 41\n", "4_1.", "+41", "410e-1")),
        *((answer, [41.0], False) for answer in ("\u0664\u0661", "４１", "\u30004.1E+1\x85")),
        *((answer, [float(answer)], False) for answer in (True, False)),
        *((answer, [0.5], False) for answer in (0.5, ".5", "5_0.0e-2")),
        (-12249954.5, [-12249954.5], False),  # the farthest that is not wild
        (12250045.5, [12250045.5], False),
        *((answer, [45.5], True) for answer in (12250045.6, -12249954.6, 1e308, "1e400", "-inf")),
        *((answer, [45.5], True) for answer in (None, NAN, INFINITE, NEGATIVE, "", " \x1f", "nan")),
        *(
            (answer, [45.5], True)
            for answer in ("4,1", "0x29", "4 1", "_41", "4__1", "41\x1f", "e")
        ),
        *((answer, [45.5], True) for answer in ("\ufeff41", "41a", "²", "forty-one", *ABSURD)),
    ],
    "income": [
        (-30, [-30.0, 0.0], False),
        ("-499_970", [-499970.0, 0.0], False),
        *((answer, [-30.0, 1.0], True) for answer in (None, "", "?", 499971, INFINITE, *NO_LIST)),
    ],
    "smoker": [
        *((answer, [1.0, 0.0], False) for answer in (True, 1, 1.0, "1", "YES", " y ", "True")),
        *(
            (answer, [0.0, 0.0], False)
            for answer in (False, 0, -0.0, "No", "N", "FALSE", "fal\u017fe")
        ),
        *(
            (answer, [1.0, 1.0], True)
            for answer in (None, NAN, "", 2, 0.5, "1.0", "ja", "on", *ABSURD)
        ),
    ],
    "region": [
        ("north", [0.0, 0.0, 0.0, 0.0, 0.0], False),
        *((answer, [1.0, 0.0, 0.0, 0.0, 0.0], False) for answer in ("Éast", "\tÉast\u2003")),
        *((answer, [0.0, 1.0, 0.0, 0.0, 0.0], False) for answer in (True, "TRUE", " true")),
        *((answer, [0.0, 0.0, 1.0, 0.0, 0.0], False) for answer in (1, 1.0, "1")),
        ("other", [0.0, 0.0, 0.0, 1.0, 0.0], False),
        *(
            (answer, [0.0, 0.0, 0.0, 1.0, 0.0], True)
            for answer in ("moor", "North", "1.0", 0, False)
        ),
        *((answer, [0.0, 0.0, 0.0, 1.0, 0.0], True) for answer in (INFINITE, "__proto__", *ABSURD)),
        *((answer, [0.0, 0.0, 0.0, 0.0, 1.0], True) for answer in (None, NAN, "", "\u2028")),
    ],
    "plan": [
        ("basic", [0.0, 0.0, 0.0], False),
        *((answer, [1.0, 0.0, 0.0], False) for answer in (0.5, "0.5")),
        *((answer, [0.0, 1.0, 0.0], False) for answer in (0.00001, "1e-05")),
        *((answer, [0.0, 0.0, 1.0], False) for answer in (-2.5e-7, "-2.5e-07")),
        *((answer, [0.0, 0.0, 0.0], False) for answer in (10, 10.0, "10")),
        *((answer, [0.0, 0.0, 0.0], True) for answer in (None, "", "1e-5", 1e21, "other", "Basic")),
    ],
}
USUAL = {name: cases[0] for name, cases in ANSWERS.items()}

LABELS: dict[str, Case] = {
    "binary": {"kind": "binary", "column": "y", "positive": "yes", "negative": "0", "question": ""},
    "one-sided": {
        "kind": "binary",
        "column": "y",
        "positive": "true",
        "negative": None,
        "question": "",
    },
    "categorical": {
        "kind": "categorical",
        "column": "y",
        "levels": ["a", "true", "3"],
        "question": "",
    },
    "count": {"kind": "count", "column": "y", "cap": 8, "question": "", "unit": "visits"},
    "bounded": {
        "kind": "bounded",
        "column": "y",
        "low": -1.0,
        "high": 3.0,
        "question": "",
        "unit": "",
    },
}
EVEN = [0.5, 0.5]
WEIGHTS: dict[str, list[tuple[Any, list[float]]]] = {
    "binary": [
        *((answer, [0.0, 1.0]) for answer in ("yes", " yes\n")),
        *((answer, [1.0, 0.0]) for answer in ("0", 0, 0.0, False, "false", "False")),
        *((answer, EVEN) for answer in ("Yes", "no", 1, True, INFINITE, "0.0", *ABSURD)),
    ],
    "one-sided": [
        *((answer, [0.0, 1.0]) for answer in (True, "TRUE", 1, 1.0, "1")),
        *((answer, [1.0, 0.0]) for answer in (False, 0, 2, "yes", "1.0", INFINITE, *ABSURD)),
    ],
    "categorical": [
        ("a", [1.0, 0.0, 0.0]),
        *((answer, [0.0, 1.0, 0.0]) for answer in (True, "True", 1, "1")),
        *((answer, [0.0, 0.0, 1.0]) for answer in (3, 3.0, "3 ")),
        *((answer, [1 / 3, 1 / 3, 1 / 3]) for answer in ("A", "3.0", 0, False, NEGATIVE, *ABSURD)),
    ],
    "count": [
        *((answer, [0.75, 0.25]) for answer in (2, 2.0, "2", " 2e0")),
        *((answer, [0.0, 1.0]) for answer in (8, 9, 1e308, "1e400", INFINITE, "Infinity")),
        *((answer, [1.0, 0.0]) for answer in (0, -1, False, NEGATIVE, "-inf")),
        (True, [0.875, 0.125]),
        *((answer, EVEN) for answer in ("two", "nan", *ABSURD)),
    ],
    "bounded": [
        *((answer, [0.25, 0.75]) for answer in (2, "2.0")),
        *((answer, EVEN) for answer in (1, True, "??", "NaN", *ABSURD)),
        *((answer, [0.0, 1.0]) for answer in (3, 3.5, INFINITE)),
        *((answer, [1.0, 0.0]) for answer in (-1, "-1e9", NEGATIVE)),
    ],
}
MISSING = [None, NAN, "", " \t", "\u3000\x1c"]
