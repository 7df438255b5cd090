"""What people are told at most, from 50 digits: `python -m tests.vectors.bounds` writes the file.

Shares no line with the package. A case of `percent` has the epsilon and the probability it leads
to, as a float; one of `times` has the epsilon.
"""

from typing import Any

import mpmath as mp

from tests.privacy import reference

EPSILONS = [
    0.001, 0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.7, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 2.2, 2.3025,
    2.3026, 2.5, 3.0, 3.5, 4.0, 4.5, 4.605, 4.606, 5.0, 6.0, 6.9, 6.907, 6.908, 7.0, 7.6, 7.7, 8.0,
    9.0, 10.0, 11.0, 12.0, 15.0, 16.0, 20.0, 24.0,
]  # fmt: skip
LARGE = [27.6, 27.7, 30.0, 31.5, 36.0, 120.0, 709.5, 1200.0]


def percent(probability: mp.mpf) -> str:
    """One digit, or as many as it takes to stay below 100."""
    for digits in range(1, 20):
        shown = int(mp.ceil(probability * 100 * 10**digits))
        if shown < 100 * 10**digits:
            return f"{shown // 10**digits}.{shown % 10**digits:0{digits}d}%"
    raise ValueError("that is certain")


def times(epsilon: float) -> str:
    """Three digits, whole numbers from 1,000 on, powers of e from 1e12 on."""
    factor = mp.exp(mp.mpf(epsilon))
    if factor >= 10**12:
        return f"e^{epsilon:g}"
    if factor >= 1000:
        return f"{int(mp.ceil(factor)):,}"
    digits = 2 - int(mp.floor(mp.log10(factor)))
    shown = int(mp.ceil(factor * 10**digits))
    return f"{shown / 10**digits:g}" if shown < 10 ** (3 + digits) else f"{shown // 10**digits:,}"


def bounds() -> dict[str, list[dict[str, Any]]]:
    """Every case."""
    chances = [1 / (1 + mp.exp(-mp.mpf(epsilon))) for epsilon in EPSILONS]
    return {
        "percent": [
            {"epsilon": epsilon, "probability": float(chance), "shown": percent(chance)}
            for epsilon, chance in zip(EPSILONS, chances, strict=True)
        ],
        "times": [{"epsilon": e, "shown": times(e)} for e in EPSILONS + LARGE],
    }


def text() -> str:
    """The file."""
    with mp.workdps(reference.DIGITS):
        return reference.text_of(bounds())


if __name__ == "__main__":
    (reference.VECTORS / "bounds.json").write_text(text(), encoding="utf-8")
