// From a seed to a point on the sphere, to the last bit as in Python (privacy/expand.py).
import { keystream } from "./chacha.js";
import { ConfigurationError } from "./errors.js";

export const SEED_BYTES = 16;
export const TAG_BYTES = 16;
const TURN = (2 * Math.PI) / 2 ** 32;
const LN2 = 0.6931471805599453;
const SQRT_HALF = Math.sqrt(0.5);
const POWERS = [1]; // of 1/2, by halving: exact
for (let k = 0; k < 32; k++) POWERS.push(POWERS[k] / 2);
const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));
const LOG = Array.from({ length: 11 }, (_, k) => 2 / (2 * k + 1));
const SIN = Array.from({ length: 8 }, (_, k) => (k % 2 ? -1 : 1) / factorial(2 * k + 1));
const COS = Array.from({ length: 9 }, (_, k) => (k % 2 ? -1 : 1) / factorial(2 * k));

/**
 * The unit vector of a seed: ChaCha20 words under the key (seed, tag), Box-Muller, normalise.
 * The order of operations is part of the specification (privacy/expand.py).
 * @param {Uint8Array} seed @param {Uint8Array} tag @param {number} dimension
 * @returns {Float64Array}
 */
export function expand(seed, tag, dimension) {
  if (seed.length !== SEED_BYTES || tag.length !== TAG_BYTES) {
    throw new ConfigurationError("a seed and a tag have 16 bytes each");
  }
  const vector = new Float64Array(dimension);
  const words = keystream(seed, tag, dimension + (dimension % 2));
  let squares = 0;
  for (let i = 0; i < dimension; i += 2) {
    const radius = Math.sqrt(-2 * logUniform(words[i]));
    const [cos, sin] = cosSinTurn(words[i + 1]);
    vector[i] = radius * cos;
    squares += vector[i] * vector[i];
    if (i + 1 === dimension) break;
    vector[i + 1] = radius * sin;
    squares += vector[i + 1] * vector[i + 1];
  }
  const length = Math.sqrt(squares);
  for (let i = 0; i < dimension; i++) vector[i] /= length;
  return vector;
}

/** log((w + 1/2) / 2^32) by the series of atanh around a mantissa near 1. */
function logUniform(word) {
  const exponent = 32 - Math.clz32(word);
  let mantissa = (word + 0.5) * POWERS[exponent];
  const low = Number(mantissa < SQRT_HALF);
  mantissa += mantissa * low;
  const s = (mantissa - 1) / (mantissa + 1);
  return polynomial(LOG, s * s) * s + (exponent - low - 32) * LN2;
}

/** Cosine and sine of (w + 1/2) / 2^32 of a turn; the quadrant is split off in integers. */
function cosSinTurn(word) {
  const quadrant = (word + 0x20000000) >>> 30;
  const offset = (word - (quadrant << 30)) | 0;
  const angle = (offset + 0.5) * TURN;
  const square = angle * angle;
  const sin = polynomial(SIN, square) * angle;
  const cos = polynomial(COS, square);
  if (quadrant === 0) return [cos, sin];
  if (quadrant === 1) return [-sin, cos];
  return quadrant === 2 ? [-cos, -sin] : [sin, -cos];
}

/** Horner's rule, highest power first. */
function polynomial(coefficients, x) {
  let result = coefficients[coefficients.length - 1];
  for (let k = coefficients.length - 2; k >= 0; k--) result = result * x + coefficients[k];
  return result;
}
