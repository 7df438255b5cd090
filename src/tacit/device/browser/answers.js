// What an answer means, as text and as a number, whatever type it came in.
import { isFlag, isText } from "./values.js";

const SPACES = new Set(
  "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" +
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a",
);
const DIGITS = "[0-9]+(?:_[0-9]+)*";
const NUMERAL = new RegExp(
  `^[+-]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:e[+-]?${DIGITS})?$`,
  "i",
);
const INFINITE = /^[+-]?inf(?:inity)?$/i;
const SAME = new Map([["true", "1"], ["false", "0"]]);

/** Python's strip, which knows other spaces than trim does. */
export function strip(value) {
  let [start, end] = [0, value.length];
  while (start < end && SPACES.has(value[start])) start += 1;
  while (start < end && SPACES.has(value[end - 1])) end -= 1;
  return value.slice(start, end);
}

/** Equal for texts that differ in case only, as far as the words above are concerned. */
export const fold = (value) => value.toUpperCase().toLowerCase();

/** null, undefined, NaN and blank text. */
export function isMissing(value) {
  if (value === null || value === undefined) return true;
  return isText(value) ? strip(value) === "" : Number.isNaN(value);
}

/** The canonical text of an answer: true is "true", 1 and 1.0 are "1", text is stripped. */
export function text(value) {
  if (typeof value === "number") return numberText(value);
  if (!isText(value)) return isFlag(value) ? String(value) : ""; // no level is called ""
  const stripped = strip(value);
  const folded = fold(stripped);
  return folded === "true" || folded === "false" ? folded : stripped;
}

/** As Python prints it. */
function numberText(value) {
  if (Number.isInteger(value)) return BigInt(value).toString();
  if (!Number.isFinite(value)) return value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
  if (Math.abs(value) >= 1e-4) return String(value);
  return value.toExponential().replace(/-(\d)$/, "-0$1");
}

/** One answer, however it was stored: what `text` gives, true and false as 1 and 0. */
export const key = (answer) => SAME.get(answer) ?? answer;

/** As a float: numeric text is parsed, booleans are 0 and 1, anything else is NaN. */
export function number(value) {
  if (typeof value === "number") return value;
  if (isFlag(value)) return Number(value);
  if (!isText(value) || /[\x1c-\x1f]/.test(value)) return NaN;
  const written = strip(value).replace(/\p{Nd}/gu, latinDigit);
  if (INFINITE.test(written)) return written[0] === "-" ? -Infinity : Infinity;
  return NUMERAL.test(written) ? Number(written.replaceAll("_", "")) : NaN;
}

/** The digit 0-9 of any script: scripts have them in runs of ten that start with their zero. */
function latinDigit(digit) {
  const point = digit.codePointAt(0);
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(point - before - 1))) before += 1;
  return String(before % 10);
}
