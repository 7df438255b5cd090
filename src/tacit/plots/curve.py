"""The plan's curve: standard error against people, for several epsilons."""

import math
import os
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.inference import Plan
from tacit.plots import draw
from tacit.privacy.words import number_up
from tacit.study.public import rows_in_words

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)

_MOST_PANELS = 6
_REACH = 30.0  # the axis shows a thirtieth to thirty times the people planned
_NEAR = 1.3  # of two epsilons: their curves would lie on each other
_DASHES = ((5, 1.5), (3, 1.5, 1, 1.5), (1, 1.2), (7, 2, 1, 2, 1, 2), (9, 3), (10, 2, 3, 2))


def plan_curve(plan: Plan, path: str | os.PathLike[str], *, coefficient: str | None = None) -> None:
    """Write the plan's curve as PNG or SVG by the path's name."""
    draw.save(plan_figure(plan, coefficient=coefficient), path)


def plan_figure(plan: Plan, *, coefficient: str | None = None) -> Figure:
    """One panel for each of the first six coefficients, or one for `coefficient`."""
    chosen = _chosen(plan, coefficient)
    across = min(3, len(chosen))
    down = math.ceil(len(chosen) / across)
    panel = (5.6, 3.9) if len(chosen) == 1 else (3.1, 2.4)
    width, height = panel[0] * across, panel[1] * down + 1.3
    lines = _lines(plan, width)
    below = draw.LINE * (len(lines) + 1)
    figure = Figure(figsize=(width, height + below), layout="constrained")
    above, under = figure.subfigures(2, 1, squeeze=False, height_ratios=(height, below))[:, 0]
    grid = above.subplots(down, across, squeeze=False, sharex=True)
    curves = _curves(plan)
    for place, panel_axes in enumerate(grid.flat):
        if place >= len(chosen):
            panel_axes.remove()
            continue
        _panel(panel_axes, plan, chosen[place], curves)
        last = place + across >= len(chosen)
        panel_axes.tick_params(labelbottom=last)
        if last:
            panel_axes.set_xlabel("people", fontsize=draw.TEXT)
        if place % across == 0:
            panel_axes.set_ylabel("standard error", fontsize=draw.TEXT)
    _words(figure, plan, len(chosen), coefficient)
    handles, labels = grid.flat[0].get_legend_handles_labels()
    above.legend(handles, labels, loc="outside lower center", ncols=2 * across + 1,
                 frameon=False, fontsize=draw.TEXT, handlelength=2.6)  # fmt: skip
    draw.write(under, "\n".join(lines), 0.02, 0.95, size=draw.SMALL, color=draw.MUTED, va="top")
    return figure


def _chosen(plan: Plan, coefficient: str | None) -> list[int]:
    if coefficient is not None:
        if coefficient not in plan.names:
            raise ConfigurationError(
                f"coefficient={coefficient!r} is not in the plan; it has {list(plan.names)}"
            )
        return [plan.names.index(coefficient)]
    slopes = [i for i, name in enumerate(plan.names) if not name.endswith("intercept")]
    return (slopes or list(range(len(plan.names))))[:_MOST_PANELS]


def _beside(own: float) -> list[float]:
    """The study's epsilon among others that can be told apart from it."""
    others = [e for e in EPSILONS if max(e / own, own / e) > _NEAR]
    return sorted({own, *others})


@dataclass(frozen=True)
class _Curve:
    """Standard errors of every coefficient, (3, counts, c), at one epsilon."""

    epsilon: float
    own: bool
    people: Floats
    errors: Floats


def _curves(plan: Plan) -> list[_Curve]:
    people = np.geomspace(plan.people / _REACH, plan.people * _REACH, 61)
    people = people[people >= 1.0]
    own = plan.mechanism.epsilon
    return [
        _Curve(epsilon, epsilon == own, people, plan.quantiles(people, epsilon))
        for epsilon in _beside(own)
    ]


def _panel(axes: Any, plan: Plan, place: int, curves: list[_Curve]) -> None:
    inks = mpl.colormaps["viridis"](np.linspace(0.0, 0.82, len(curves)))
    for curve, ink, dash in zip(curves, inks, cycle(_DASHES), strict=False):
        low, errors, high = curve.errors[:, :, place]
        if curve.own and len(plan.expected) > 1:
            axes.fill_between(curve.people, low, high, color=ink, alpha=0.15, linewidth=0,
                              label="10% to 90%")  # fmt: skip
        label = f"epsilon {number_up(curve.epsilon)}" + " (this study)" * curve.own
        axes.plot(curve.people, errors, color=ink, linestyle="-" if curve.own else (0, dash),
                  linewidth=2.6 if curve.own else 1.3, label=label)  # fmt: skip
    expected = plan.standard_errors()[place]
    axes.plot(plan.people, expected, "o", color=draw.INK, markersize=5, zorder=5)
    axes.axvline(plan.people, color=draw.MUTED, linewidth=0.8, linestyle=":")
    if plan.target_se is not None:
        axes.axhline(plan.target_se, color=draw.MUTED, linewidth=0.8, linestyle=":")
    _scale(axes, plan.names[place], expected)


def _scale(axes: Any, name: str, expected: float) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda count, _: _short(count)))
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda error, _: f"{error:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(color=draw.FAINT, linewidth=0.6)
    draw.bare(axes, "bottom", "left")
    shown = f"{draw.shortened(name, 26)}, expected {expected:.2g}"
    axes.set_title(shown, fontsize=draw.TEXT, loc="left", parse_math=False)


def _words(figure: Figure, plan: Plan, panels: int, coefficient: str | None) -> None:
    head = (
        f"Standard errors to expect: {plan.people:,} people at epsilon "
        f"{number_up(plan.mechanism.epsilon)}, "
        f"{rows_in_words(plan.public_rows, plan.effective_rows)}"
    )
    slopes = sum(not name.endswith("intercept") for name in plan.names)
    if coefficient is None and slopes > panels:
        head += f"\n(the first {panels} of {slopes} coefficients)"
    figure.suptitle(head, fontsize=10.5, color=draw.INK)


def _lines(plan: Plan, inches: float) -> list[str]:
    """What stands below: what is supposed, and the levels that are too rare."""
    return [line for note in plan.notes() for line in draw.wrapped(note, inches)]


def _short(count: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:g}{letter}"
    return f"{count:g}"
