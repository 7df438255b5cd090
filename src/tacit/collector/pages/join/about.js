// What a person reads before answering: who asks what, what it gives away, what it costs.
import { numberUp, timesUp } from "../shared/bounds.js";
import { byId, drawn, fill } from "../shared/element.js";
import { ending } from "../shared/link.js";
import { guessingPicture, ofHundred, strength } from "./picture.js";

/** Fill the first step, and what later steps repeat of it. */
export function describeStudy(study, { collector, code }) {
  const { label, features, guarantee, source, id } = study;
  const title = study.title || label.question || label.column;
  document.title = `${title} – private study`;
  fill("title", title);
  fill("topic", label.question || label.column);
  fill("made-for", madeFor(study));
  fill("how-many", howMany(features.length));
  fill("goes-to", hostOf(collector));
  fill("goes-to-again", hostOf(collector));
  fill("source", source);
  fill("study-id", id);
  fill("page-address", location.origin === "null" ? "https://…/join" : location.href.split("#")[0]);
  fill("copy-ending", ending({ study: id, collector, code }));
  fill("picture", guessingPicture(guarantee.bestGuess));
  fill("picture-again", guessingPicture(guarantee.bestGuess));
  fill("can-say", canSay(guarantee));
  fill("in-words", inWords(study));
  fill("factor", `, at most ${timesUp(guarantee.epsilon)} times`);
  fill("price", `epsilon ${numberUp(guarantee.epsilon)}`);
  const reports = study.reportsPerPerson;
  const bytes = reports === 1 ? "16 bytes" : `${reports} times 16 bytes`;
  fill("size", bytes);
  fill("watch-size", bytes);
  fill("lead-size", reports === 1 ? "one report of 16 bytes" : `${reports} reports of 16 bytes each`);
}

/** What was spent of the limit, as a bar and in words. */
export function showAccount(ledger) {
  const { spent, lifetime, entries } = ledger;
  const studies = new Set(entries.map(({ study }) => study)).size;
  const share = spent > 0 ? Math.min(1, spent / lifetime) : 0;
  const where = studies === 0 ? "" : studies === 1 ? ", in 1 study" : `, in ${studies} studies`;
  for (const id of ["account-before", "account"]) {
    fill(id, `Spent so far: epsilon ${numberUp(spent)} of ${lifetime}${where}.`);
    fill(
      `${id}-bar`,
      drawn("rect", { width: "100", height: "4" }),
      drawn("rect", { class: "spent", width: String(100 * share), height: "4" }),
    );
  }
  byId("limit").value = lifetime;
}

/** Without the scheme, which is https but on this very machine, and the path. */
function hostOf(collector) {
  return collector.split("/")[2];
}

function howMany(features) {
  if (features === 0) return "1";
  return `${features + 1}. You may leave out any but the last.`;
}

/** The purpose, in one sentence. */
function madeFor({ purpose, focus, people }) {
  const named = focus.map((name) => `“${name}”`).join(", ");
  const found =
    purpose === "predictions"
      ? "How to predict this answer from the others"
      : focus.length === 0
        ? "How each of the other answers goes with this one, all of them alike"
        : `How ${named} goes with this answer above all, then each of the others`;
  return people === null
    ? `${found}.`
    : `${found}. It is planned for ${people.toLocaleString("en")} people.`;
}

/** What the bytes give away, in the study's own numbers. */
function canSay(guarantee) {
  return (
    `They are at most ${timesUp(guarantee.epsilon)} times as likely under your answers as under any ` +
    `others. So whoever would be right 50 times in 100, guessing between your answers and others, ` +
    `is now right at most ${ofHundred(guarantee.bestGuess)} times.`
  );
}

function inWords({ guarantee, epsilon, reportsPerPerson }) {
  const reports =
    reportsPerPerson === 1 ? "" : `, ${reportsPerPerson} reports of ${numberUp(epsilon)} each`;
  return (
    `50 of 100 is what tossing a coin gets right. After your report it is at most ` +
    `${ofHundred(guarantee.bestGuess)}. ${strength(guarantee.epsilon)} Experts call it ` +
    `epsilon = ${numberUp(guarantee.epsilon)}${reports}.`
  );
}
