// The forest plot: one line of it in each row of a table, all on one axis.

import { drawn } from "../shared/element.js";
import { figure, ticks } from "../shared/numbers.js";

const WIDE = 3; // times the ninth decile of widths: beyond, an interval would squeeze all others
const MIDDLE = { y1: "50%", y2: "50%" };

/**
 * @typedef {{low: number, high: number, marks: number[]}} Axis
 * @typedef {object} Row a coefficient as the collector tells it; an end that nothing sets is null
 * @property {string} name
 * @property {string} shown
 * @property {string} group
 * @property {boolean} intercept
 * @property {boolean} focused
 * @property {boolean} known
 * @property {number} scale
 * @property {?number} estimate
 * @property {?number} low
 * @property {?number} high
 * @property {?number} standard_error
 * @property {?number} z
 * @property {?number} p
 * @property {?number} raw_error
 */

/**
 * Zero and every known interval but those that dwarf all others, with round numbers between. Where
 * none is known, what there is of them.
 * @param {Row[]} rows
 * @returns {Axis}
 */
export function axisOf(rows) {
  const known = rows.filter((row) => row.known);
  const widths = known.map(widthOf).sort((a, b) => a - b);
  const usual = WIDE * widths[Math.floor(0.9 * (widths.length - 1))];
  const shown = known.length ? known.filter((row) => widthOf(row) <= usual) : rows;
  const told = shown.flatMap(({ low, estimate, high, scale }) =>
    [low, estimate, high].filter((value) => value !== null).map((value) => value * scale));
  const [low, high] = [Math.min(0, ...told), Math.max(0, ...told)];
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

/**
 * Thin: the interval. Thick: what raw rows would give. Hollow: zero lies inside. Arrow: it goes on.
 * @param {Row} row
 * @param {Axis} axis
 * @param {number} reach standard errors from an estimate to an end
 */
export function strip(row, axis, reach) {
  const [low, high] = [(row.low ?? -Infinity) * row.scale, (row.high ?? Infinity) * row.scale];
  const svg = drawn("svg", { class: "strip", width: "100%", height: "100%", "aria-hidden": "true" });
  for (const mark of axis.marks) svg.append(gridLine(mark, axis, "100%"));
  svg.append(line("interval", low, high, axis));
  if (row.estimate !== null) drawEstimate(svg, row, axis, reach);
  if (low < axis.low) svg.append(arrow("0%", "M9,-5 L0,0 L9,5 Z"));
  if (high > axis.high) svg.append(arrow("100%", "M-8,-5 L1,0 L-8,5 Z"));
  return svg;
}

function drawEstimate(svg, row, axis, reach) {
  const middle = row.estimate * row.scale;
  if (middle < axis.low || middle > axis.high) return;
  const raw = (row.raw_error ?? 0) * row.scale * reach;
  if (raw) svg.append(line("raw", middle - raw, middle + raw, axis));
  const hollow = (row.low ?? -Infinity) <= 0 && (row.high ?? Infinity) >= 0;
  const kind = hollow ? "point hollow" : "point";
  svg.append(drawn("circle", { class: kind, cx: place(middle, axis), cy: "50%", r: 4.5 }));
}

function line(kind, from, to, axis) {
  return drawn("line", { class: kind, x1: place(from, axis), x2: place(to, axis), ...MIDDLE });
}

function arrow(x, path) {
  const where = { x, y: "50%", overflow: "visible", width: 1, height: 1 };
  return drawn("svg", where, drawn("path", { class: "arrow", d: path }));
}

function gridLine(mark, axis, length) {
  const x = place(mark, axis);
  return drawn("line", { class: mark === 0 ? "zero" : "grid", x1: x, x2: x, y1: 0, y2: length });
}

/** The axis below the rows. @param {Axis} axis */
export function scaleOf(axis) {
  const svg = drawn("svg", { class: "strip", width: "100%", height: 24 });
  for (const mark of axis.marks) {
    const where = { class: "tick", x: place(mark, axis), y: 18, "text-anchor": "middle" };
    svg.append(gridLine(mark, axis, 5), drawn("text", where, figure(mark)));
  }
  return svg;
}
