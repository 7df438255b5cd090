// Parts of a study: what was estimated, what to expect, what is promised, what was refused.
import { byId, element, fill } from "../shared/element.js";
import { figure, whole } from "../shared/numbers.js";
import { forest } from "./forest.js";
import { say, whenChanged } from "./painted.js";

export function showEstimated(found) {
  const estimated = [found.coefficients, found.reason, found.notes];
  whenChanged("coefficients", estimated, () => showCoefficients(found));
  say("estimated", estimatedFrom(found));
}

function estimatedFrom(found) {
  if (found.coefficients === null) return "";
  const all = found.estimated_at === found.count ? "all" : "the first";
  const rows = `${whole(found.public_rows)} public rows`;
  const equal = found.effective_rows === found.public_rows;
  const worth = equal ? "" : ` worth ${whole(found.effective_rows)} equal ones`;
  return `From ${all} ${whole(found.estimated_at)} reports and ${rows}${worth}.`;
}

function showCoefficients(found) {
  const missing = found.coefficients === null;
  for (const id of ["forest", "legend"]) byId(id).hidden = missing;
  byId("reason").hidden = !missing;
  say("reason", sentence(found.reason ?? ""));
  say("meaning", found.meaning);
  say("level", `${figure(100 * found.level)}% interval`);
  const { lines, axis } = forest(found.coefficients ?? []);
  fill("rows", ...lines);
  fill("axis", axis);
  fill("notes", ...found.notes.map((note) => element("p", {}, sentence(note))));
}

/** Messages for programmers begin small and end bare. */
function sentence(text) {
  return text && `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

export function showExpected(found) {
  const expected = found.standard_errors;
  byId("errors-box").hidden = !expected;
  say("precision-note", expected
    ? `${found.forecast.name}, the coefficient that is hardest to tell: its expected standard error.`
    : "There is no forecast without the study’s public rows: pass them to tacit serve --public.");
  const rows = (expected ?? []).map((row) => [row.name, figure(row.now), figure(row.at_plan)]);
  whenChanged("errors", rows, () => fill("errors", ...rows.map(numbersRow)));
}

function numbersRow([name, ...numbers]) {
  const cells = numbers.map((each) => element("td", { class: "number" }, each));
  return element("tr", {}, element("th", { scope: "row" }, name), ...cells);
}

/** The promise itself in full sight, what goes beyond it one step away. */
export function showGuarantee({ guarantee }) {
  whenChanged("guarantee", guarantee, () => {
    const { promise, not_protected: open, assumed } = guarantee;
    const said = promise.map(({ head, text }) => element("p", {}, element("b", {}, `${head}: `), text));
    fill("guarantee", ...said);
    const beyond = [...open, ...assumed.map((each) => `Assumed: ${each}`)];
    fill("caveats", ...beyond.map((each) => element("li", {}, each)));
  });
}

export function showRefusals({ refusals, quarantined }) {
  whenChanged("refusals", [refusals, quarantined], () => {
    const reasons = Object.entries(refusals).sort((a, b) => b[1] - a[1]);
    byId("refusals-table").hidden = !reasons.length;
    byId("no-refusals").hidden = reasons.length > 0;
    fill("refusals", ...reasons.map(([reason, count]) => numbersRow([reason, whole(count)])));
    const damaged = `${whole(quarantined)} reports were damaged in storage. They are set aside and not counted.`;
    say("quarantined", quarantined ? damaged : "");
  });
}
