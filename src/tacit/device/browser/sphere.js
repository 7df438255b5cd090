// The sphere mechanism: what a study must state for it, and the accept rule.
import { expand } from "./expand.js";
import { exponential, PLACES } from "./exponential.js";
import { checkFields, insist } from "./fields.js";
import { isText, isWhole } from "./values.js";

const CAP_TOLERANCE = 1e-9; // a wrong cap would cost accuracy, not privacy
const SPHERE = {
  kind: isText,
  dimension: isWhole,
  cap: (value) => Number.isFinite(value) && value >= 0 && value < 1,
  coin: (value) => isText(value) && /^[0-9a-f]{16,17}$/.test(value),
};

/** The coin carries the guarantee and is derived anew, exactly; the cap to its tolerance. */
export function checkSphere(mechanism, dimension, epsilon) {
  checkFields(mechanism, SPHERE, "the mechanism");
  insist(mechanism.dimension === dimension, `dimension must be ${dimension}`);
  const exact = coinThreshold(epsilon).toString(16).padStart(16, "0");
  insist(mechanism.coin === exact, `the coin is not that of epsilon ${epsilon}`);
  const excess = meanLength(dimension, epsilon, mechanism.cap) - mechanism.cap;
  insist(Math.abs(excess) <= CAP_TOLERANCE, `the cap is not that of epsilon ${epsilon}`);
}

/** ceil(e^-eps 2^64), exact. */
export function coinThreshold(epsilon) {
  const grown = exponential(epsilon);
  return ((1n << (PLACES + 64n)) + grown - 1n) / grown;
}

/** The mean of the output along the input; the best cap equals it (privacy/sphere.py). */
export function meanLength(dimension, epsilon, cap) {
  if (dimension === 1) return Math.tanh(epsilon / 2);
  const { rate, moment } = capIntegrals(dimension - 2, cap);
  const gain = Math.expm1(epsilon);
  return (moment * gain) / (1 + gain * rate);
}

/** The share of the sphere in the cap, and its mean height times that share. */
function capIntegrals(n, cap) {
  const cosine = Math.sqrt((1 - cap) * (1 + cap));
  const first = n % 2; // integrals of cos^k, k = first, first + 2, ..., n
  let whole = first ? 2 : Math.PI;
  let rate = (first ? 1 - cap : Math.acos(cap)) / whole;
  let power = cosine ** (first + 1);
  for (let k = first + 2; k <= n; k += 2) {
    whole *= (k - 1) / k;
    rate -= (power * cap) / (k * whole);
    power *= cosine * cosine;
  }
  return { rate, moment: power / ((n + 1) * whole) };
}

/**
 * The accept rule for a unit vector: cap or coin, both always computed.
 * @param {Study} study @param {Float64Array} vector @param {Uint8Array} seed
 * @param {bigint} coinWord 64 random bits @returns {boolean}
 */
export function accepts(study, vector, seed, coinWord) {
  const point = expand(seed, study.tag, study.mechanism.dimension);
  let height = 0;
  for (let i = 0; i < point.length; i++) height += point[i] * vector[i];
  const inCap = Number(height >= study.mechanism.cap);
  const byCoin = Number(coinWord < study.coin);
  return (inCap | byCoin) === 1;
}
