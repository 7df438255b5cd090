// What epsilon means, as 100 guesses between two possible answer sheets.
import { percentUp } from "../shared/bounds.js";
import { drawn, element } from "../shared/element.js";

const ROW = 10;
const GUESSES = 100;

/** A share as "73.2" of 100: never less than it is. */
export function ofHundred(share) {
  return percentUp(share).replace("%", "");
}

/** Two fields of 100 dots: guesses that are right before the report, and at most after it. */
export function guessingPicture(bestGuess) {
  const after = ofHundred(bestGuess);
  return element(
    "figure",
    {
      class: "guesses",
      role: "img",
      "aria-label":
        `Two fields of 100 dots, one dot for each guess. Before your report 50 guesses are ` +
        `right. After it, at most ${after}.`,
    },
    panel("Before", "50", GUESSES / 2),
    panel("After, at most", after, Math.ceil(after)),
  );
}

function panel(heading, number, right) {
  const dots = Array.from({ length: GUESSES }, (_, place) =>
    drawn("circle", {
      cx: String(6 + 12 * (place % ROW)),
      cy: String(6 + 12 * Math.floor(place / ROW)),
      r: "4.5",
      class: place >= right ? "wrong" : place < GUESSES / 2 ? "chance" : "gain",
    }),
  );
  return element(
    "div",
    { class: "panel" },
    element("span", { class: "small muted" }, heading),
    element("strong", { class: "count" }, number, element("span", { class: "small" }, " of 100")),
    drawn("svg", { viewBox: "0 0 120 120", "aria-hidden": "true" }, ...dots),
  );
}

/** How strong that is, in a sentence. */
export function strength(epsilon) {
  if (epsilon <= 1) return "That is strong protection.";
  if (epsilon <= 4) return "That is moderate protection.";
  return (
    "That is weak protection: the bound says little about a guess between two given answer " +
    "sheets. Take part only if you could live with your answers becoming known."
  );
}
