"""What both pictures share: ink, text, and a file written whole or not at all."""

import io
import os
import textwrap
import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from tacit.errors import ConfigurationError
from tacit.study.files import write_atomically

INK = "#222222"
MUTED = "#6b6b6b"
FAINT = "#d9d9d9"
TEXT = 9.0
SMALL = 7.5
LINE = 0.165  # inches from one line of small text to the next

_DOTS_PER_INCH = 160


def write(
    figure: Any, text: str, x: float, y: float, *, size: float = TEXT, color: str = INK, **how: Any
) -> None:
    """Text at a point of an axes or a figure; names of columns are never read as formulas."""
    figure.text(x, y, text, fontsize=size, color=color, parse_math=False, **how)


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a PNG or SVG; the same figure gives the same bytes."""
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in ("png", "svg"):
        raise ConfigurationError(f"a plot's name must end in .png or .svg, got {os.fspath(path)!r}")
    drawn = io.BytesIO()
    with warnings.catch_warnings(), mpl.rc_context({"svg.hashsalt": "tacit"}):
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(
            drawn,
            format=kind,
            dpi=_DOTS_PER_INCH,
            bbox_inches="tight",
            pad_inches=0.15,
            facecolor="white",
            metadata={"Date": None} if kind == "svg" else None,
        )
    write_atomically(path, drawn.getvalue())


def bare(axes: Any, *spines: str) -> None:
    """Leave only the named sides of the frame."""
    for name, spine in axes.spines.items():
        spine.set_visible(name in spines)
        spine.set_color(MUTED)
    axes.tick_params(colors=MUTED, labelcolor=INK, labelsize=SMALL, which="both")


def wrapped(text: str, inches: float) -> list[str]:
    """Lines of small text that fit a width."""
    return textwrap.wrap(text, max(40, int(inches / 0.053)))


def shortened(text: str, longest: int) -> str:
    """Cut in the middle, where names of levels differ least."""
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[:half]}…{text[-half:]}"
