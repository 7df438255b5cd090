// Fields of the study file: each must be what its name promises.
import { strip, text } from "./answers.js";
import { StudyError } from "./errors.js";
import { isDistinct, isObject, isText, listOf, sameList } from "./values.js";

export const HELP = "get the original file again; it cannot be edited by hand";

export const isName = (value) => isText(value) && strip(value) !== "";
export const isAnswer = (value) => isText(value) && value !== "" && text(value) === value;
export const areAnswers = (value) => listOf(isAnswer)(value) && isDistinct(value);

/** Refuse a study of which something does not hold. */
export function insist(fits, complaint) {
  if (!fits) throw new StudyError(`the study file contradicts itself: ${complaint}; ${HELP}`);
}

/**
 * Refuse other fields than those, or another order, or a value that does not fit.
 * @param {object} value
 * @param {Object<string, (value: unknown) => boolean>} fields what each must fulfil, in order
 * @param {string} where
 */
export function checkFields(value, fields, where) {
  const names = Object.keys(fields);
  insist(isObject(value) && sameList(Object.keys(value), names), `${where} has other fields`);
  for (const name of names) insist(fields[name](value[name]), `${name} of ${where} is wrong`);
}
