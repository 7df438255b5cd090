// What is shown of a study.
import { numberUp, percentUp } from "../shared/bounds.js";
import { byId } from "../shared/element.js";
import { ending } from "../shared/link.js";
import { figure, whole } from "../shared/numbers.js";
import { drawArrivals, listDays } from "./days.js";
import { showEstimated } from "./estimated.js";
import { drawForecastOf, showOutlook } from "./outlook.js";
import { paintAnew, say } from "./painted.js";
import { showGuarantee, showRefusals } from "./parts.js";

const opened = new Map(); // reports of each study when this page first saw it
let shown = null;

/** The study on the page, as the collector last told it. */
export function shownStudy() {
  return shown;
}

export function showNothing() {
  shown = null;
  paintAnew();
}

export function show(found) {
  if (shown?.id !== found.id) startOver(found);
  shown = found;
  for (const part of PARTS) part(found);
  drawCharts();
}

export function drawCharts() {
  if (shown) drawArrivals(shown);
  if (shown) drawForecastOf(shown);
}

function startOver(found) {
  paintAnew();
  if (!opened.has(found.id)) opened.set(found.id, found.count);
  for (const id of ["invite-said", "download-said", "close-said"]) say(id, "");
  byId("address").value = joinAddress(found.id);
}

function joinAddress(study) {
  const base = new URL(".", location.href).href;
  return `${base}join${ending({ study, collector: base.replace(/\/$/, "") })}`;
}

function showHead(found) {
  const title = found.title || `Study ${found.id.slice(0, 12)}`;
  document.title = `${title} · tacit`;
  say("title", title);
  say("confirm-title", title);
  say("purpose", found.purpose);
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
  say("tile-epsilon", `ε = ${numberUp(found.epsilon)}`);
  say("tile-guess", `a 50% guess becomes at most ${percentUp(found.guarantee.best_guess)}`);
  const refused = Object.values(found.refusals).reduce((sum, count) => sum + count, 0);
  say("tile-refused", whole(refused));
  say("tile-refused-note", `${found.quarantined ? whole(found.quarantined) : "none"} damaged in storage`);
}

const PARTS = [
  showHead, showPeople, showTiles, showEstimated, showGuarantee, showRefusals, listDays, showOutlook,
];
