// What the plan says: precision to expect, people it takes, levels too rare.

import { byId, element, fill } from "../shared/element.js";
import { figure, whole } from "../shared/numbers.js";
import { forecast } from "./forecast.js";
import { say, whenChanged } from "./painted.js";
import { numbersRow } from "./rows.js";
import { about } from "./words.js";

/** People for an interval that tells, of each coefficient by its name; null if none are enough. */
export function neededOf({ outlook }) {
  return new Map((outlook?.coefficients ?? []).map(({ name, people }) => [name, people]));
}

export function showOutlook(found) {
  const { outlook, planned } = found;
  byId("errors-box").hidden = !outlook;
  say("precision-note", outlook
    ? whatIsDrawn(outlook.forecast)
    : "There is no forecast without the study’s public rows: pass them to tacit serve --public.");
  say("supposed", outlook?.supposed ?? "");
  whenChanged("outlook", [outlook, planned], () => {
    fill("errors", ...(outlook?.coefficients ?? []).map(expectedRow));
    say("takes-note", outlook ? `People it takes: for a ${widthOfInterval(outlook)}, where numbers count per public standard deviation.` : "");
    showTooWide(outlook, planned);
  });
}

function whatIsDrawn({ name, focused }) {
  const which = focused ? "in focus" : "the hardest to tell of those within reach";
  return `${name}, ${which}: its expected standard error, and its range.`;
}

function widthOfInterval({ width }) {
  return `95% interval ${figure(width)} wide`;
}

function expectedRow({ name, now, at_plan: atPlan, people }) {
  return numbersRow([name, figure(now), figure(atPlan), people === null ? "no number" : about(people)]);
}

/** What merging levels would bring, before anything is collected. */
function showTooWide(outlook, planned) {
  const rows = outlook?.too_wide ?? [];
  byId("rare").hidden = !rows.length;
  if (!rows.length) return;
  const many = rows.length === 1 ? "One coefficient" : `${rows.length} coefficients`;
  say("rare-note", `${many} of rare levels would have 95% intervals more than ${figure(outlook.width)} wide with ${whole(planned)} people.`);
  fill("rare-rows", ...rows.map(rareRow));
}

function rareRow({ name, width, people, merged_with: other, merged_width: merged }) {
  const alone = people === null ? "no number" : about(people);
  return numbersRow([name, wide(width), alone, other === null ? "–" : `${wide(merged)} with ${other}`]);
}

function wide(width) {
  return width === null ? "endless" : figure(width, 2);
}

export function drawForecastOf(found) {
  const host = byId("forecast");
  const drawnFrom = [found.outlook?.forecast, found.people, found.planned, host.clientWidth];
  whenChanged("forecast", drawnFrom, () => {
    if (found.outlook) forecast(host, found.outlook.forecast, found.people, found.planned);
    else host.replaceChildren();
  });
}
