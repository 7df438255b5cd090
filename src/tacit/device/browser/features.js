// What is asked besides the label, and how an answer becomes columns of the design.
import { fold, isMissing, number, text } from "./answers.js";
import { areAnswers, checkFields, insist, isName } from "./fields.js";
import { isFlag, isModerate, isText } from "./values.js";

const WILD = 1e6; // public standard deviations beyond which a number is taken for an error
const TRUTH = new Map([["1", 1], ["true", 1], ["yes", 1], ["y", 1],
  ["0", 0], ["false", 0], ["no", 0], ["n", 0]]);

/**
 * @typedef {{name: string, kind: "numeric"|"binary"|"categorical", question: string,
 *   unit: string, levels: string[], merged: string[], fill: number, spread: number,
 *   indicator: boolean}} Feature
 */
const FEATURE = {
  name: isName,
  kind: (value) => ["numeric", "binary", "categorical"].includes(value),
  question: isText,
  unit: isText,
  levels: areAnswers,
  merged: areAnswers,
  fill: isModerate,
  spread: (value) => isModerate(value) && value >= 0,
  indicator: isFlag,
};

/** @param {Feature} feature as it stands in the file */
export function checkFeature(feature) {
  checkFields(feature, FEATURE, "a feature");
  const isCategorical = feature.kind === "categorical";
  insist(isCategorical === feature.levels.length > 0, `levels of ${feature.name} do not fit`);
  insist(feature.kind !== "binary" || [0, 1].includes(feature.fill), `${feature.name} is not 0/1`);
}

/** Names of the design columns a feature is coded into. @param {Feature} feature */
export function columnNames({ name, kind, levels, indicator }) {
  const own = kind === "categorical" ? levels.slice(1).map((level) => `${name}: ${level}`) : [name];
  return indicator ? [...own, `${name} missing`] : own;
}

/** No column of a feature is farther from zero, whatever is answered. @param {Feature} feature */
export const reachOf = ({ fill, spread }) => Math.abs(fill) + WILD * spread + 1;

/**
 * The design columns of one answer, and whether it was replaced.
 * @param {Feature} feature @param {unknown} answer
 */
export function columnsOf(feature, answer) {
  const { columns, replaced, flagged } =
    feature.kind === "categorical" ? levelColumns(feature, answer) : numberColumn(feature, answer);
  return { columns: feature.indicator ? [...columns, Number(flagged)] : columns, replaced };
}

/** A number that is missing, infinite or wild is the fill; no sum can overflow. */
function numberColumn({ kind, fill, spread }, answer) {
  const isBinary = kind === "binary";
  const found = isBinary ? TRUTH.get(fold(text(answer))) ?? NaN : number(answer);
  const reach = WILD * spread;
  const sane = isBinary ? found >= 0 : found >= fill - reach && found <= fill + reach;
  return { columns: [sane ? found : fill], replaced: !sane, flagged: !sane };
}

/** Reference coding. A level the study does not know is "other", or else the baseline. */
function levelColumns({ levels }, answer) {
  const missing = isMissing(answer);
  const known = missing ? -1 : levels.indexOf(text(answer));
  const index = known >= 0 ? known : missing ? 0 : Math.max(levels.indexOf("other"), 0);
  const columns = levels.slice(1).map((_, place) => Number(place + 1 === index));
  return { columns, replaced: known < 0, flagged: missing };
}
