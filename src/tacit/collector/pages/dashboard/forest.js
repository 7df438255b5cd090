// The forest plot: one line of it in each row of a table, all on one axis.

import { drawn, element } from "../shared/element.js";
import { figure, ticks, whole } from "../shared/numbers.js";

const WIDE = 3; // times the ninth decile of widths: beyond, an interval would squeeze all others
const MIDDLE = { y1: "50%", y2: "50%" };

/** Rows of the table, intercepts last and not drawn, and the axis below them. */
export function forest(coefficients) {
  const slopes = coefficients.filter((row) => !row.intercept);
  const intercepts = coefficients.filter((row) => row.intercept);
  const axis = axisOf(slopes.filter((row) => row.low !== null && row.high !== null));
  const lines = [];
  let group = "";
  for (const row of slopes) {
    if (row.group !== group) lines.push(groupRow(row.group));
    group = row.group;
    lines.push(tableRow(row, row.shown, row.low === null || row.high === null ? "" : plotted(row, axis)));
  }
  for (const row of intercepts) lines.push(tableRow(row, row.name, "not drawn"));
  return { lines, axis: drawnAxis(axis) };
}

/** Zero and every interval but those that dwarf all others, with round numbers between. */
function axisOf(rows) {
  const widths = rows.map(widthOf).sort((a, b) => a - b);
  const usual = WIDE * widths[Math.floor(0.9 * (widths.length - 1))];
  const shown = rows.filter((row) => widthOf(row) <= usual);
  const low = Math.min(0, ...shown.map((row) => row.low * row.scale));
  const high = Math.max(0, ...shown.map((row) => row.high * row.scale));
  const margin = 0.05 * (high - low) || 1;
  return { low: low - margin, high: high + margin, marks: ticks(low - margin, high + margin, 6) };
}

function widthOf(row) {
  return (row.high - row.low) * row.scale;
}

/** Where a number lies between the ends of the axis, so that a line is as wide as its cell. */
function place(value, { low, high }) {
  const share = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return `${(100 * share).toFixed(3)}%`;
}

/** Thin: the interval. Thick: without privacy noise. Hollow: zero lies inside. Arrow: it goes on. */
function plotted(row, axis) {
  const at = (value) => place(value * row.scale, axis);
  const within = (value) => value * row.scale >= axis.low && value * row.scale <= axis.high;
  const svg = drawn("svg", { class: "strip", width: "100%", height: "100%", "aria-hidden": "true" });
  for (const mark of axis.marks) svg.append(gridLine(mark, axis, "100%"));
  const without = (Math.sqrt(1 - row.privacy_share) * (row.high - row.low)) / 2;
  const [left, right] = [row.estimate - without, row.estimate + without];
  svg.append(
    drawn("line", { class: "interval", x1: at(row.low), x2: at(row.high), ...MIDDLE }),
    drawn("line", { class: "without", x1: at(left), x2: at(right), ...MIDDLE }),
  );
  const kind = row.low <= 0 && row.high >= 0 ? "point hollow" : "point";
  if (within(row.estimate)) {
    svg.append(drawn("circle", { class: kind, cx: at(row.estimate), cy: "50%", r: 5 }));
  }
  if (!within(row.low)) svg.append(arrow("0%", "M9,-5 L0,0 L9,5 Z"));
  if (!within(row.high)) svg.append(arrow("100%", "M-8,-5 L1,0 L-8,5 Z"));
  return svg;
}

function arrow(x, path) {
  const where = { x, y: "50%", overflow: "visible", width: 1, height: 1 };
  return drawn("svg", where, drawn("path", { class: "arrow", d: path }));
}

function gridLine(mark, axis, length) {
  const x = place(mark, axis);
  return drawn("line", { class: mark === 0 ? "zero" : "grid", x1: x, x2: x, y1: 0, y2: length });
}

function drawnAxis(axis) {
  const svg = drawn("svg", { class: "strip", width: "100%", height: 24 });
  for (const mark of axis.marks) {
    const where = { class: "tick", x: place(mark, axis), y: 18, "text-anchor": "middle" };
    svg.append(gridLine(mark, axis, 5), drawn("text", where, figure(mark)));
  }
  return svg;
}

// Roles are stated because a narrow screen lays rows out as blocks, which hides them otherwise.

function groupRow(name) {
  const head = element("th", { colspan: 6, scope: "rowgroup", role: "rowheader" }, name);
  return element("tr", { class: "group", role: "row" }, head);
}

function tableRow(row, name, plot) {
  const share = row.privacy_share === null ? "–" : `${whole(100 * row.privacy_share)}%`;
  return element("tr", { role: "row" },
    element("th", { scope: "row", role: "rowheader" }, name),
    element("td", { class: "plot", role: "cell" }, plot),
    number(figure(row.estimate)),
    number(`[${figure(row.low)}, ${figure(row.high)}]`),
    number(figure(row.standard_error, 2), "std. error"),
    number(share, "privacy"));
}

function number(told, label = "") {
  return element("td", { class: "number", role: "cell", "data-label": label || false }, told);
}
