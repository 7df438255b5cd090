"""The forest plot: every coefficient with its interval, on one axis.

Coefficients in their own units differ by orders of magnitude, so the picture shows a number's
coefficient per public standard deviation, and a level's or an answer's as it is. The figures at
the right are those of the table.
"""

import os
import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy import special

from tacit.inference import Fit, Summary
from tacit.inference.result import ASSUMPTION, LEVEL
from tacit.inference.wording import Drawn, drawn_terms, meaning
from tacit.plots import draw
from tacit.privacy.words import number_up
from tacit.study import purpose
from tacit.study.public import rows_in_words

MOST_ROWS = 160
_ROW = 0.26  # inches
_WIDTH = 4.6  # inches of the axes
_LONGEST_NAME = 48
_WIDE = 3.0  # times the ninth decile of widths: beyond, an interval would squeeze all others
_PER_DEVIATION = (
    " Numbers are drawn per public standard deviation; the figures at the right are per unit."
)
_CLASS_INKS = ("#0072b2", "#d55e00", "#009e73", "#8b4a8b", "#7a6a00", "#1b1b1b")
_CLASS_MARKS = "osD^vP"


@dataclass(frozen=True)
class _Row:
    """One line of the picture; `group` counts the classes of a categorical label."""

    name: str
    group: int
    focused: bool
    scale: float
    estimate: float
    low: float
    high: float
    raw: float
    z: float

    @property
    def drawn(self) -> tuple[float, float, float]:
        """Low end, estimate and high end on the axis."""
        return self.low * self.scale, self.estimate * self.scale, self.high * self.scale

    @property
    def clarity(self) -> float:
        """How clearly it differs from zero."""
        return abs(self.z)


def forest(
    fit: Fit,
    *paths: str | os.PathLike[str],
    level: float = LEVEL,
    intervals: str = "profile",
) -> None:
    """Write the forest plot to every path, as PNG or SVG by its name."""
    figure = forest_figure(fit, level=level, intervals=intervals)
    for path in paths:
        draw.save(figure, path)


def forest_figure(fit: Fit, *, level: float = LEVEL, intervals: str = "profile") -> Figure:
    """The forest plot; an interval without an end has an arrow there."""
    rows, intercepts = _rows(
        fit.summary(level, intervals=intervals), drawn_terms(fit.study, fit.terms)
    )
    shown = _clearest(rows)
    heights, headings = _places(fit, shown)
    deep = max(heights, default=0.0) + 1.0
    names = max([len(row.name) for row in shown] + [11])
    left, right = 0.25 + 0.074 * names, 2.9
    size = left + _WIDTH + right, 0.9 + _ROW * deep + 1.8
    figure = Figure(figsize=size)
    axes = figure.add_axes((left / size[0], 1.8 / size[1], _WIDTH / size[0], _ROW * deep / size[1]))
    axes.set_ylim(deep - 0.5, -0.5)
    _frame(axes, fit, _limits(shown))
    reach = float(special.ndtri(0.5 + level / 2))
    for row, height in zip(shown, heights, strict=True):
        _draw_row(axes, row, height, reach)
    for text, height in headings:
        draw.write(axes, text, -0.03, height, ha="right", va="center", weight="bold",
                   transform=axes.get_yaxis_transform())  # fmt: skip
    _write_numbers(axes, shown, heights, level)
    _write_around(axes, fit, left, size[0], deep)
    small = _small_print(fit, level, intercepts, len(rows) - len(shown))
    _write_small(axes, small, left, size[0] - 0.4, deep)
    return figure


def _rows(summary: Summary, drawn: list[Drawn]) -> tuple[list[_Row], list[_Row]]:
    """Slopes, and intercepts, which stay out of the picture unless there is nothing else."""
    slopes: list[_Row] = []
    intercepts: list[_Row] = []
    groups = list(dict.fromkeys(wording.group for wording in drawn))
    for wording, entry in zip(drawn, summary.rows(), strict=True):
        row = _Row(
            name=draw.shortened(wording.shown, _LONGEST_NAME),
            group=groups.index(wording.group),
            focused=wording.focused,
            scale=wording.scale,
            estimate=entry["coef"],
            low=entry["low"],
            high=entry["high"],
            raw=entry["raw_se"],
            z=entry["z"],
        )
        (intercepts if wording.intercept else slopes).append(row)
    return (slopes, intercepts) if slopes else (intercepts, [])


def _clearest(rows: list[_Row]) -> list[_Row]:
    """All rows, or as many as a page holds of those farthest from zero, in their order."""
    if len(rows) <= MOST_ROWS:
        return rows
    least = sorted(row.clarity for row in rows)[-MOST_ROWS]
    return [row for row in rows if row.clarity >= least][:MOST_ROWS]


def _places(fit: Fit, rows: list[_Row]) -> tuple[list[float], list[tuple[str, float]]]:
    """Height of every row, and headings with theirs where the label has several classes."""
    groups = fit.study.label.groups
    if len(groups) == 1 and not groups[0]:
        return [float(place) for place in range(len(rows))], []
    heights: list[float] = []
    headings: list[tuple[str, float]] = []
    height, last = 0.0, -1
    for row in rows:
        if row.group != last:
            height += 0.5 if headings else 0.0
            headings.append((draw.shortened(groups[row.group], 40), height))
            height, last = height + 1.0, row.group
        heights.append(height)
        height += 1.0
    return heights, headings


def _limits(rows: list[_Row]) -> tuple[float, float]:
    """Both ends of the axis: zero and every interval, but for those that dwarf all others."""
    ends = np.array([row.drawn for row in rows])
    widths = ends[:, 2] - ends[:, 0]
    finite = widths[np.isfinite(widths)]
    if finite.size:
        usual = ends[widths <= _WIDE * np.quantile(finite, 0.9)]
    else:
        usual = np.where(np.isfinite(ends), ends, 0.0)
    low, high = min(0.0, usual[:, 0].min()), max(0.0, usual[:, 2].max())
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def _frame(axes: Any, fit: Fit, limits: tuple[float, float]) -> None:
    axes.set_xlim(*limits)
    axes.set_yticks([])
    draw.bare(axes, "bottom")
    axes.grid(axis="x", color=draw.FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.axvline(0.0, color=draw.INK, linewidth=0.9)
    axes.set_xlabel(meaning(fit.study), fontsize=draw.TEXT, color=draw.INK, parse_math=False)


def _draw_row(axes: Any, row: _Row, height: float, reach: float) -> None:
    """Thin: the interval. Thick: what raw rows would give. Hollow: zero lies inside."""
    ink = _CLASS_INKS[row.group % len(_CLASS_INKS)]
    left, right = axes.get_xlim()
    low, middle, high = row.drawn
    within = np.clip([low, high], left, right)
    axes.plot(within, [height, height], color=ink, linewidth=1.1, solid_capstyle="butt")
    if np.isfinite(middle):
        raw = np.nan_to_num(row.raw) * row.scale * reach
        axes.plot([middle - raw, middle + raw], [height, height], color=ink, linewidth=4.5,
                  alpha=0.45, solid_capstyle="butt")  # fmt: skip
        hollow = row.low <= 0.0 <= row.high
        axes.plot(middle, height, _CLASS_MARKS[row.group % len(_CLASS_MARKS)], color=ink,
                  markersize=5, markerfacecolor="white" if hollow else ink)  # fmt: skip
    for end, outside, mark in ((left, low < left, "<"), (right, high > right, ">")):
        if outside:
            axes.plot(end, height, mark, color=ink, markersize=6, clip_on=False)
    draw.write(axes, row.name, -0.03, height, ha="right", va="center",
               weight="bold" if row.focused else "normal",
               transform=axes.get_yaxis_transform())  # fmt: skip


def _write_numbers(axes: Any, rows: list[_Row], heights: list[float], level: float) -> None:
    """Three columns at the right, in the units of the table."""
    estimate, interval, raw = 1.16, 1.185, 1.6
    across = axes.get_yaxis_transform()
    for x, side, text in (
        (estimate, "right", "estimate"),
        (interval, "left", f"{100 * level:g}% interval"),
        (raw, "right", "raw rows"),
    ):
        draw.write(axes, text, x, -1.0, size=draw.SMALL, color=draw.MUTED, ha=side, va="center",
                   transform=across)  # fmt: skip
    for row, height in zip(rows, heights, strict=True):
        for x, side, text, ink in (
            (estimate, "right", f"{row.estimate:.3g}", draw.INK),
            (interval, "left", f"[{row.low:.3g}, {row.high:.3g}]", draw.INK),
            (raw, "right", "" if np.isnan(row.raw) else f"{row.raw:.2g}", draw.MUTED),
        ):
            draw.write(axes, text, x, height, color=ink, ha=side, va="center", transform=across)


def _write_around(axes: Any, fit: Fit, left: float, width: float, deep: float) -> None:
    """Title and facts above the picture, from the left edge of the page."""
    edge = -left / _WIDTH
    line = 1.0 / (_ROW * deep)
    title = fit.study.title or f"study {fit.study.id[:12]}"
    facts = (
        f"{fit.model.name} model · {fit.people:,} people · epsilon "
        f"{number_up(fit.guarantee.total_epsilon)} · "
        f"{rows_in_words(fit.public_rows, fit.effective_rows)}"
    )
    for text, inches, size, ink, weight in (
        ("\n".join(textwrap.wrap(title, int(width / 0.115))), 0.62, 12.0, draw.INK, "bold"),
        (facts, 0.42, draw.TEXT, draw.MUTED, "normal"),
    ):
        draw.write(axes, text, edge, 1.0 + inches * line, size=size, color=ink, weight=weight,
                   ha="left", va="bottom", transform=axes.transAxes)  # fmt: skip


def _small_print(fit: Fit, level: float, undrawn: list[_Row], hidden: int) -> list[str]:
    marked = " Bold: in focus." if fit.study.focus else ""
    numeric = any(feature.kind == "numeric" for feature in fit.study.features)
    told = [
        purpose.in_words(fit.study) + marked,
        f"Thin line: {100 * level:g}% interval. Thick: as wide as the raw rows would have made it. "
        "Hollow: zero lies inside. Arrow: the interval goes on.",
        "Raw rows: the standard error that the people's rows themselves would have given."
        + (_PER_DEVIATION if numeric else ""),
    ]
    if undrawn:
        listed = ", ".join(f"{r.estimate:.3g} [{r.low:.3g}, {r.high:.3g}]" for r in undrawn)
        told.append(f"Not drawn: {'intercepts' if len(undrawn) > 1 else 'intercept'} {listed}.")
    if hidden:
        told.append(f"{hidden} coefficients nearer to zero than these are in the table only.")
    return [*told, ASSUMPTION]


def _write_small(axes: Any, paragraphs: list[str], left: float, width: float, deep: float) -> None:
    lines = [line for text in paragraphs for line in draw.wrapped(text, width)]
    for place, text in enumerate(lines):
        inches = 0.62 + place * draw.LINE
        draw.write(axes, text, -left / _WIDTH, -inches / (_ROW * deep), size=draw.SMALL,
                   color=draw.MUTED, ha="left", va="top", transform=axes.transAxes)  # fmt: skip
