// What the reports say so far.

import { byId, element, fill } from "../shared/element.js";
import { figure, whole } from "../shared/numbers.js";
import { neededOf } from "./outlook.js";
import { say, whenChanged } from "./painted.js";
import { coefficientTable } from "./table.js";
import { notKnown, takesAll } from "./words.js";

export function showEstimated(found) {
  const { coefficients, reason, notes, people, outlook } = found;
  const words = [...neededOf(found)].map(([name, needed]) => [name, needed, needed <= people]);
  whenChanged("coefficients", [coefficients, reason, notes, words, outlook?.width], () => showCoefficients(found));
  say("estimated", estimatedFrom(found));
  showKnown(found);
}

function estimatedFrom(found) {
  if (found.coefficients === null) return "";
  const all = found.estimated_at === found.count ? "all" : "the first";
  return `From ${all} ${whole(found.estimated_at)} reports and ${whole(found.public_rows)} public rows.`;
}

/** In the tile: how many coefficients are known. */
function showKnown({ coefficients, minimum_batch: batch, reason, outlook }) {
  const missing = coefficients?.filter((row) => !row.known).length;
  say("tile-known", coefficients ? `${coefficients.length - missing} of ${coefficients.length}` : "–");
  const waiting = outlook || !reason ? `first estimate at ${whole(Math.max(1, batch))} reports` : "needs public rows";
  const done = missing ? `coefficients; ${missing} not yet` : "coefficients";
  say("tile-known-note", coefficients ? done : waiting);
}

function showCoefficients(found) {
  const missing = found.coefficients === null;
  for (const id of ["forest", "legend"]) byId(id).hidden = missing;
  byId("reason").hidden = !missing;
  say("reason", sentence(found.reason ?? ""));
  say("unknown", missing ? "" : whatIsNotKnown(found));
  say("meaning", found.meaning);
  say("level", `${figure(100 * found.level)}% interval`);
  const { lines, axis } = coefficientTable(found.coefficients ?? [], found.reach, neededOf(found), found.people);
  fill("rows", ...lines);
  fill("axis", axis);
  fill("notes", ...found.notes.map((note) => element("p", {}, sentence(note))));
}

/** In words: what is not known yet, and how many people it takes. */
function whatIsNotKnown(found) {
  const { coefficients, people, planned, outlook } = found;
  const missing = coefficients.filter((row) => !row.known);
  if (!missing.length) return "";
  const told = notKnown(missing.length, coefficients.length, outlook?.width);
  const needed = neededOf(found);
  return outlook ? `${told} ${takesAll(missing.map(({ name }) => needed.get(name)), people, planned)}` : told;
}

/** Messages for programmers begin small and end bare. */
function sentence(told) {
  return told && `${told[0].toUpperCase()}${told.slice(1)}${told.endsWith(".") ? "" : "."}`;
}
