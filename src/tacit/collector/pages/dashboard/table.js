// The table of coefficients: what is known first, then what it takes to know the rest.

import { element } from "../shared/element.js";
import { figure } from "../shared/numbers.js";
import { axisOf, scaleOf, strip } from "./forest.js";
import { interval, pValue, takes, zValue } from "./words.js";

const COLUMNS = 8;

/**
 * Rows of the table and the axis below them.
 * @param {Row[]} coefficients
 * @param {number} reach standard errors from an estimate to an end
 * @param {Map<string, ?number>} needed people that each coefficient takes, by its name
 * @param {number} people so far
 */
export function coefficientTable(coefficients, reach, needed, people) {
  const axis = axisOf(coefficients.filter((row) => !row.intercept));
  const plot = (row) => (row.intercept ? "not drawn" : strip(row, axis, reach));
  const lines = [];
  let group = "";
  for (const row of coefficients.filter((row) => row.known).sort(byClarity(coefficients))) {
    if (row.group !== group) lines.push(headingRow(row.group));
    group = row.group;
    lines.push(tableRow(row, row.shown, plot(row)));
  }
  const unknown = coefficients.filter((row) => !row.known).sort(byNeed(needed));
  if (unknown.length) lines.push(headingRow("Not known yet", "group later"));
  for (const row of unknown) {
    const name = row.group ? `${row.group}: ${row.shown}` : row.shown;
    const words = needed.has(row.name) ? takes(needed.get(row.name), people) : "";
    lines.push(tableRow(row, name, plot(row), words));
  }
  return { lines, axis: scaleOf(axis) };
}

/** Classes as they come; in each those in focus first, then by z; intercepts last. */
function byClarity(coefficients) {
  const groups = [...new Set(coefficients.map((row) => row.group))];
  const order = (row) => [groups.indexOf(row.group), row.intercept, !row.focused, -Math.abs(row.z)];
  return (one, other) => firstDifference(order(one), order(other));
}

/** Those in focus first, then what takes fewest people. */
function byNeed(needed) {
  const order = (row) => [row.intercept, !row.focused, needed.get(row.name) ?? Number.MAX_VALUE];
  return (one, other) => firstDifference(order(one), order(other));
}

function firstDifference(ones, others) {
  return ones.map((one, at) => one - others[at]).find((each) => each !== 0) ?? 0;
}

// Roles are stated because a narrow screen lays rows out as blocks, which hides them otherwise.

function headingRow(name, kind = "group") {
  const head = element("th", { colspan: COLUMNS, scope: "rowgroup", role: "rowheader" }, name);
  return element("tr", { class: kind, role: "row" }, head);
}

function tableRow(row, name, plot, words = "") {
  const marks = row.focused ? [" ", element("span", { class: "chip" }, "focus")] : [];
  const below = words ? [element("small", { class: "takes" }, words)] : [];
  return element("tr", { role: "row" },
    element("th", { scope: "row", role: "rowheader" }, name, ...marks, ...below),
    element("td", { class: "plot", role: "cell" }, plot),
    cell(figureOr(row.estimate)),
    cell(interval(row.low, row.high)),
    cell(row.known ? figureOr(row.standard_error, 2) : dash(), "std. error"),
    cell(figureOr(row.raw_error, 2), "raw rows"),
    cell(row.z === null ? dash() : zValue(row.z), "z"),
    cell(row.p === null ? dash() : pValue(row.p), "p"));
}

function cell(told, label = "") {
  return element("td", { class: "number", role: "cell", "data-label": label || false }, told);
}

function figureOr(number, digits = 3) {
  return number === null ? dash() : figure(number, digits);
}

/** A dash to the eye, words to the ear. */
function dash() {
  return element("span", {},
    element("span", { "aria-hidden": "true" }, "–"),
    element("span", { class: "sr-only" }, "not known"));
}
