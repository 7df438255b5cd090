// The linear map from coded answers to z, as a study states it.
import { columnNames, reachOf } from "./features.js";
import { checkFields, insist } from "./fields.js";
import { isDistinct, isFlag, isModerate, isText, listOf, sameList } from "./values.js";

const INTERCEPT_SHARE = 0.1; // of the squared length of z, on average over the public rows
const SUM_DUST = 1e-4; // by which rounding may change the sum of all parts
const LARGEST_LENGTH = 1e100;

/**
 * @typedef {{columns: string[], center: number[], matrix: number[][], spectrum: number[],
 *   shares: number[], tilts: number[][], intercept: boolean}} Transform
 */
const TRANSFORM = {
  columns: (value) => listOf(isText)(value) && isDistinct(value),
  center: listOf(isModerate),
  matrix: listOf(listOf(isModerate)),
  spectrum: listOf((value) => isModerate(value) && value > 0),
  shares: listOf((value) => isModerate(value) && value > 0),
  tilts: listOf(listOf(isModerate)),
  intercept: isFlag,
};

/** Refuse a transform that is not of these features, or that answers could drive out of range. */
export function checkTransform({ features, label, transform, public_rows }) {
  checkFields(transform, TRANSFORM, "the transform");
  const { columns, center, matrix, spectrum, shares, tilts, intercept } = transform;
  const q = columns.length;
  const parts = [center, matrix, spectrum, shares, ...matrix, ...tilts];
  const fits = parts.every((part) => part.length === q);
  insist(fits && q + intercept > 0, `the parts of the transform do not fit ${q} columns`);
  const total = intercept ? 1 - INTERCEPT_SHARE : 1;
  const squares = tilts.flat().map((value) => value * value);
  const sum = [...shares, ...squares].reduce((one, other) => one + other, 0);
  insist(q === 0 || Math.abs(sum - total) <= SUM_DUST, "the shares do not sum to the whole");
  const coded = features.flatMap(columnNames);
  insist(isDistinct([...features.map(({ name }) => name), label.column]), "names repeat");
  insist(isDistinct(coded) && !(intercept && columns.includes("intercept")), "columns repeat");
  const kept = coded.filter((name) => columns.includes(name));
  insist(sameList(kept, columns), "the transform is not of these features");
  insist(public_rows > q, "there are fewer public rows than columns");
  checkReach(features, transform);
}

/** No answer may drive z out of the range of floats: what follows would depend on it. */
function checkReach(features, { columns, center, matrix }) {
  const reach = new Map();
  for (const feature of features) {
    columnNames(feature).forEach((name) => reach.set(name, reachOf(feature)));
  }
  const largest = columns.map((name, j) => reach.get(name) + Math.abs(center[j]));
  for (const row of matrix) {
    const length = Math.hypot(...row.map((value, j) => value * largest[j]));
    insist(length < LARGEST_LENGTH, "the matrix of the transform is out of proportion");
  }
}

/**
 * z: the intercept's share, then matrix (x - center), x the coded answers that are kept.
 * @param {Transform} transform @param {Map<string, number>} coded columns by name
 * @returns {Float64Array}
 */
export function transformed({ columns, center, matrix, intercept }, coded) {
  const design = columns.map((name, j) => coded.get(name) - center[j]);
  const scores = matrix.map((row) => row.reduce((sum, value, j) => sum + value * design[j], 0));
  return Float64Array.from(intercept ? [Math.sqrt(INTERCEPT_SHARE), ...scores] : scores);
}
