// What is shown of a study. Only what changed is drawn again: nothing flickers, selections stay.

import { arrivals, everyDay, forecast } from "./charts.js";
import { byId, element, fill } from "./element.js";
import { forest } from "./forest.js";
import { ending } from "./link.js";
import { below100, figure, whole } from "./numbers.js";

const opened = new Map(); // reports of each study when this page first saw it
const painted = new Map(); // what each part was last drawn from
let shown = null;

/** The study on the page, as the collector last told it. */
export function shownStudy() {
  return shown;
}

export function showNothing() {
  shown = null;
  painted.clear();
}

/** Put text into a node, unless it is there already. */
export function say(id, text) {
  const node = byId(id);
  if (node.textContent !== text) node.textContent = text;
}

export function whenChanged(name, value, redraw) {
  const text = JSON.stringify(value) ?? "";
  if (painted.get(name) === text) return;
  painted.set(name, text);
  redraw();
}

export function show(found) {
  if (shown?.id !== found.id) startOver(found);
  shown = found;
  showHead(found);
  showPeople(found);
  showTiles(found);
  const estimated = [found.coefficients, found.reason, found.notes];
  whenChanged("coefficients", estimated, () => showCoefficients(found));
  say("estimated", estimatedFrom(found));
  whenChanged("guarantee", found.guarantee, () => showGuarantee(found.guarantee));
  whenChanged("refusals", [found.refusals, found.quarantined], () => showRefusals(found));
  listDays(found);
  showExpected(found);
  drawCharts();
}

function startOver(found) {
  painted.clear();
  if (!opened.has(found.id)) opened.set(found.id, found.count);
  for (const id of ["invite-said", "download-said", "close-said"]) say(id, "");
  byId("address").value = joinAddress(found.id);
}

function joinAddress(study) {
  const base = new URL(".", location.href).href;
  return `${base}join${ending({ study, collector: base.replace(/\/$/, "") })}`;
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

function showHead(found) {
  const title = found.title || `Study ${found.id.slice(0, 12)}`;
  document.title = `${title} · tacit`;
  say("title", title);
  say("confirm-title", title);
  say("label", found.label);
  say("id", found.id.slice(0, 12));
  byId("id").title = found.id;
  say("state", found.open ? "open" : "closed");
  byId("state").classList.toggle("good", found.open);
  byId("coded").hidden = !found.needs_code;
  byId("codes").hidden = !(found.needs_code && found.open);
  byId("close").hidden = !found.open;
  const ending = "Closing ends collection for ever. Downloads stay.";
  say("close-note", found.open ? ending : "This study is closed. It takes no more reports.");
}

function showPeople(found) {
  const goal = found.planned ?? Math.max(found.minimum_batch / found.reports_per_person, 1);
  say("count", whole(found.people));
  say("of-plan", found.planned ? `of ${whole(found.planned)} planned` : "no number planned");
  byId("bar").hidden = !found.planned && found.people >= goal;
  byId("bar").max = goal;
  byId("bar").value = Math.min(found.people, goal);
  const parts = [];
  if (found.planned) parts.push(`${shareOf(found.people, found.planned)} of the plan`);
  if (found.reports_per_person > 1) parts.push(`${whole(found.count)} reports, ${found.reports_per_person} each`);
  if (found.count < found.minimum_batch) parts.push(`minimum batch ${whole(found.minimum_batch)}`);
  parts.push(`+${whole(Math.max(0, found.count - opened.get(found.id)))} since you opened this page`);
  say("people-note", parts.join(" · "));
}

function shareOf(part, all) {
  const share = (100 * part) / all;
  return `${share < 10 ? figure(share, 2) : whole(share)}%`;
}

function showTiles(found) {
  const hardest = found.standard_errors?.find(({ name }) => name === found.forecast.name);
  say("tile-error", hardest ? figure(hardest.now, 2) : "–");
  const goal = hardest?.at_plan ? `; ${figure(hardest.at_plan, 2)} at the plan` : "";
  say("tile-error-note", hardest ? `expected of ${hardest.name}${goal}` : "needs public rows");
  say("tile-epsilon", `ε = ${figure(found.epsilon)}`);
  const guess = below100(100 / (1 + Math.exp(-found.epsilon)));
  say("tile-guess", `a 50% guess becomes at most ${guess}%`);
  const refused = Object.values(found.refusals).reduce((sum, count) => sum + count, 0);
  say("tile-refused", whole(refused));
  say("tile-refused-note", `${found.quarantined ? whole(found.quarantined) : "none"} damaged in storage`);
}

function estimatedFrom(found) {
  if (found.coefficients === null) return "";
  const all = found.estimated_at === found.count ? "all" : "the first";
  return `From ${all} ${whole(found.estimated_at)} reports and ${whole(found.public_rows)} public rows.`;
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

function showExpected(found) {
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
function showGuarantee(statement) {
  const lines = statement.split("\n").map((line) => line.match(/^([^:]+): (.*)$/)?.slice(1) ?? ["", line]);
  const [promise, beyond] = [[], []];
  for (const [head, rest] of lines) {
    if (head === "Not protected") beyond.push(element("li", {}, rest));
    else if (head === "Assumed") beyond.push(element("li", {}, `Assumed: ${rest}`));
    else promise.push(element("p", {}, element("b", {}, head && `${head}: `), rest));
  }
  fill("guarantee", ...promise);
  fill("caveats", ...beyond);
}

function showRefusals({ refusals, quarantined }) {
  const reasons = Object.entries(refusals).sort((a, b) => b[1] - a[1]);
  byId("refusals-table").hidden = !reasons.length;
  byId("no-refusals").hidden = reasons.length > 0;
  fill("refusals", ...reasons.map(([reason, count]) => numbersRow([reason, whole(count)])));
  const damaged = `${whole(quarantined)} reports were damaged in storage. They are set aside and not counted.`;
  say("quarantined", quarantined ? damaged : "");
}

/** Days that can be had as a file; a choice made stays. */
function listDays(found) {
  const closed = found.days.filter(({ day }) => !found.open || day < today()).reverse();
  const none = found.days.length ? "the first day is not over" : "no reports yet";
  whenChanged("closed days", [closed, none], () => {
    const kept = byId("day").value;
    const told = ({ day, count }) => `${day} (${whole(count)} reports)`;
    const options = closed.map((each) => element("option", { value: each.day }, told(each)));
    fill("day", ...(options.length ? options : [element("option", { value: "" }, none)]));
    if (closed.some(({ day }) => day === kept)) byId("day").value = kept;
    byId("segment").querySelector("button").disabled = !closed.length;
  });
}

export function drawCharts() {
  if (shown) drawArrivals(shown);
  if (shown) drawForecast(shown);
}

function drawArrivals(found) {
  const plan = found.planned && found.planned * found.reports_per_person;
  const days = everyDay(found.days, found.open ? today() : "1970-01-01");
  const since = `Since ${days[0]?.day}. The collector keeps no time finer than a day.`;
  say("arrivals-note", days.length ? since : "Nothing has arrived yet.");
  const host = byId("arrivals");
  whenChanged("arrivals", [days, plan, host.clientWidth], () => arrivals(host, days, plan));
}

function drawForecast(found) {
  const host = byId("forecast");
  const drawnFrom = [found.forecast, found.people, found.planned, host.clientWidth];
  whenChanged("forecast", drawnFrom, () => {
    if (found.forecast) forecast(host, found.forecast, found.people, found.planned);
    else host.replaceChildren();
  });
}
