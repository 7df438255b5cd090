// What public values must be, and bytes as hexadecimal digits.

const LEAST = 1e-100; // magnitudes of stated numbers, so that nothing made of them
const MOST = 1e100; // reaches the edge of floats, whatever is answered

export const isText = (value) => typeof value === "string";
export const isFlag = (value) => typeof value === "boolean";
export const isWhole = (value) => Number.isSafeInteger(value) && value >= 1;
export const isPositive = (value) => Number.isFinite(value) && value > 0;
export const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const isDistinct = (list) => new Set(list).size === list.length;
export const listOf = (fits) => (value) => Array.isArray(value) && value.every(fits);

/** A number far from the edge of floats: zero, or of a magnitude from LEAST to MOST. */
export function isModerate(value) {
  const size = Math.abs(value);
  return Number.isFinite(value) && (size === 0 || (size >= LEAST && size <= MOST));
}

export function sameList(one, other) {
  return one.length === other.length && one.every((value, place) => value === other[place]);
}

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} digits an even number of them */
export function unhex(digits) {
  return Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
}
