// The question a study is about: how each kind of label is asked and read.
import { choiceQuestion, numberQuestion, withUnit } from "./form.js";

/** Every kind: the rest of its question, and the number that an answer counts as. */
const ASKED = new Map([
  ["binary", {
    question: (asked, { positive, negative }) =>
      choiceQuestion({
        ...asked,
        options: [
          [positive, positive],
          negative === null ? [`not ${positive}`, "another answer"] : [negative, negative],
        ],
      }),
    counted: (label, value) => value,
  }],
  ["categorical", {
    question: (asked, { levels }) =>
      choiceQuestion({ ...asked, options: levels.map((level) => [level, level]) }),
    counted: (label, value) => value,
  }],
  ["count", {
    question: (asked, { cap, unit }) => {
      const hint = `A whole number from 0. More than ${cap} counts as ${cap}.`;
      return numberQuestion({ ...asked, unit, hint, whole: true });
    },
    counted: ({ cap }, value) => Math.min(Math.max(value, 0), cap),
  }],
  ["bounded", {
    question: (asked, { low, high, unit }) => {
      const hint = `From ${low} to ${high}. Beyond that, the nearer end counts.`;
      return numberQuestion({ ...asked, unit, hint, negative: low < 0 });
    },
    counted: ({ low, high }, value) => Math.min(Math.max(value, low), high),
  }],
]);

/** @param {Label} label @returns {Question} */
export function labelQuestion(label) {
  const asked = { id: "label", name: label.column, words: label.question || label.column };
  return ASKED.get(label.kind).question(asked, label);
}

/** What an answer beyond the stated range counts as, or null if it counts as it is. */
export function labelCountsAs(label, value) {
  const counted = ASKED.get(label.kind).counted(label, value);
  return counted === value ? null : withUnit(counted, label.unit);
}
