// What is to be predicted, and how an answer to it becomes weights of classes.
import { isMissing, key, number, text } from "./answers.js";
import { MissingLabelError } from "./errors.js";
import { areAnswers, checkFields, insist, isAnswer, isName } from "./fields.js";
import { isDistinct, isModerate, isText, isWhole } from "./values.js";

const LARGEST_COUNT = 1e9;

/**
 * @typedef {{kind: string, column: string, question: string, positive?: string,
 *   negative?: ?string, levels?: string[], cap?: number, low?: number, high?: number,
 *   unit?: string}} Label
 * @typedef {object} Kind
 * @property {Object<string, (value: unknown) => boolean>} fields of the file, in order
 * @property {(label: Label) => boolean} fits  together
 * @property {(label: Label) => number} classCount
 * @property {(label: Label, answer: unknown) => number[]} weights  a wild answer is replaced
 */

/** Every kind of label, with all that the device knows of it. @type {Map<string, Kind>} */
const KINDS = new Map([
  ["binary", {
    fields: {
      kind: isText, column: isName, positive: isAnswer,
      negative: (value) => value === null || isAnswer(value), question: isText,
    },
    fits: ({ positive, negative }) => negative === null || key(positive) !== key(negative),
    classCount: () => 2,
    weights: ({ positive, negative }, answer) => {
      const given = key(text(answer));
      const isNo = negative === null || given === key(negative);
      return sure(2, given === key(positive) ? 1 : isNo ? 0 : -1);
    },
  }],
  ["categorical", {
    fields: {
      kind: isText, column: isName,
      levels: (value) => areAnswers(value) && value.length >= 2 && isDistinct(value.map(key)),
      question: isText,
    },
    fits: () => true,
    classCount: ({ levels }) => levels.length,
    weights: ({ levels }, answer) => {
      const place = levels.map(key).indexOf(key(text(answer)));
      return sure(levels.length, place);
    },
  }],
  ["count", {
    fields: {
      kind: isText, column: isName, cap: (value) => isWhole(value) && value <= LARGEST_COUNT,
      question: isText, unit: isText,
    },
    fits: () => true,
    classCount: () => 2,
    weights: ({ cap }, answer) => between(0, cap, answer),
  }],
  ["bounded", {
    fields: {
      kind: isText, column: isName, low: isModerate, high: isModerate,
      question: isText, unit: isText,
    },
    fits: ({ low, high }) => low < high,
    classCount: () => 2,
    weights: ({ low, high }, answer) => between(low, high, answer),
  }],
]);

/** All on one of several classes; alike on all where the answer is none of them (-1). */
function sure(count, place) {
  return Array.from({ length: count }, (_, k) => (place < 0 ? 1 / count : Number(k === place)));
}

/** In the proportion that has the number as its mean; in the middle where it is none. */
function between(low, high, answer) {
  const share = (Math.min(Math.max(number(answer), low), high) - low) / (high - low);
  return Number.isNaN(share) ? [0.5, 0.5] : [1 - share, share];
}

/** @param {Label} label as it stands in the file */
export function checkLabel(label) {
  const kind = KINDS.get(label.kind);
  insist(kind, "the label is of no known kind");
  checkFields(label, kind.fields, "the label");
  insist(kind.fits(label), "the label's answers or limits do not fit together");
}

/** K: the number of classes. @param {Label} label */
export const classCount = (label) => KINDS.get(label.kind).classCount(label);

/** How many classes the label names; none where it is a number. @param {Label} label */
export const classesOf = (label) =>
  ["binary", "categorical"].includes(label.kind) ? classCount(label) : 0;

/** Probabilities of the K classes. @param {Label} label @param {unknown} answer */
export function weightsOf(label, answer) {
  if (isMissing(answer)) {
    throw new MissingLabelError(
      `label ${label.column} is missing: no report is made without a label. ` +
        "Leave this record out; taking part is visible",
    );
  }
  return KINDS.get(label.kind).weights(label, answer);
}
