// What became of the reports, in words.
import { element } from "../shared/element.js";

const WORDS = {
  sending: ["Sending", "Your report is kept in this browser until the collector confirms it."],
  sent: [
    "Sent. Thank you.",
    "The collector has stored your report. Your answers are cleared from this page; they were kept " +
      "nowhere.",
  ],
  before: [
    "You have already taken part",
    "This browser has sent your report for this study. There is nothing left to do. A second " +
      "report would give away more, so none is made.",
  ],
  ready: [
    "Kept here, not sent yet",
    "The collector cannot be reached now. Your report is kept in this browser. It is sent again " +
      "when the connection is back, when you press the button, or when you next open this page. It " +
      "is always the same bytes, so trying again gives nothing more away. Your answers are cleared.",
  ],
  refused: [
    "The collector did not accept the report",
    "That is a fault of this page or of the collector, not yours. Your report was not counted.",
  ],
  403: [
    "The code was not accepted",
    "A code works once, and in its own study only. If you have used this one before, that report " +
      "counts and there is nothing left to do. If it was mistyped, write it again: the same bytes " +
      "are sent, and no new ones are made.",
  ],
  404: ["The collector does not know this study", "Your report was not counted."],
  410: ["The study has closed", "Your report came too late and was not counted."],
};

/** Heading and words for the state that matters most: waiting, then refused, then sent. */
export function outcomeWords(state, status) {
  return WORDS[state === "refused" && status in WORDS ? status : state];
}

/** Reports as hexadecimal digits, in groups of two bytes. */
export function bytesNodes(seeds) {
  return seeds.map((seed) =>
    element("p", { class: "bytes" }, ...seed.match(/..../g).map((pair) => element("span", {}, pair))),
  );
}
