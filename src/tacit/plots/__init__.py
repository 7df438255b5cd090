"""Two pictures: coefficients with their intervals, and what a plan can reach."""

from tacit.plots.curve import plan_curve, plan_figure
from tacit.plots.forest_plot import forest, forest_figure

__all__ = ["forest", "forest_figure", "plan_curve", "plan_figure"]
