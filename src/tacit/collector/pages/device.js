/**
 * The device side of tacit for browsers: the one place where a person's record is seen.
 *
 * Same study file, same answers as the Python package, whose function names are used here:
 * `tacit.study` (reading answers), `tacit.privacy` (expansion, sphere), `tacit.device`.
 * Shared test vectors hold both to it: expansion is equal to the last bit, because it uses only
 * additions, multiplications, divisions and square roots in a stated order. Encoding agrees to
 * about 1e-12, because sums of products may be added up in another order there; that can change
 * a decision only for a seed whose height is within rounding of the edge of the cap, and the
 * guarantee holds for any unit vector, so for the rounded one as well.
 *
 * Nothing here behaves differently because of a private value. A missing or wild value is
 * replaced and still reports. What raises: wrong or absent names, which are public, and a
 * missing label, since there is nothing to report. Random numbers come from
 * crypto.getRandomValues alone. Only `Device.send` uses the network, and sends 16 bytes a report.
 */

export class TacitError extends Error {
  name = this.constructor.name;
}
/** The study file was altered, is of another version, or contradicts itself. */
export class StudyError extends TacitError {}
/** A name, option or number given by the program around this file is wrong. */
export class ConfigurationError extends TacitError {}
/** A record has no label, so there is nothing to report. */
export class MissingLabelError extends TacitError {}
/** Another report would exceed what the study asks for or what the owner allows in all. */
export class BudgetError extends TacitError {}
/** The ledger is damaged or cannot be written: nothing is randomized until that is clear. */
export class LedgerError extends TacitError {}

/**
 * @typedef {{name: string, kind: "numeric"|"binary"|"categorical", question: string,
 *   unit: string, levels: string[], merged: string[], fill: number, spread: number,
 *   indicator: boolean}} Feature
 * @typedef {{kind: "binary"|"categorical"|"count"|"bounded", column: string, question: string,
 *   positive?: string, negative?: ?string, levels?: string[], cap?: number, low?: number,
 *   high?: number, unit?: string}} Label
 * @typedef {{columns: string[], center: number[], matrix: number[][], spectrum: number[],
 *   shares: number[], intercept: boolean}} Transform
 * @typedef {{id: string, tag: Uint8Array, title: string, source: string, features: Feature[],
 *   label: Label, epsilon: number, reportsPerPerson: number, coin: bigint,
 *   mechanism: {dimension: number, cap: number, coin: string}, transform: Transform,
 *   guarantee: {epsilon: number, factor: number, bestGuess: number},
 *   dropped: Object<string, string>, notes: string[]}} Study
 *   The fields of the file, and what follows from them; frozen.
 * @typedef {Object<string, unknown>} Record  An answer for every feature; null where missing.
 */

// ---------------------------------------------------------------- the study file

const VERSION = 1;
const HELP = "get the original file again; it cannot be edited by hand";

/**
 * Read a study file. Its id is the hash of the very bytes of its body, which are sliced out.
 * @param {string | Uint8Array | ArrayBuffer} data
 * @returns {Promise<Study>}
 */
export async function readStudy(data) {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
  const { id, body } = unwrap(bytes);
  if (!globalThis.crypto?.subtle) {
    throw new StudyError("this page cannot check the study file: open it over https");
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  if (hex(digest) !== id) {
    throw new StudyError(`the study file was altered: its content is not that of its id; ${HELP}`);
  }
  const content = decode(body);
  checkStudy(content);
  const total = content.epsilon * content.reports_per_person;
  return deepFreeze({
    ...content,
    id,
    tag: digest.slice(0, TAG_BYTES),
    coin: BigInt(`0x${content.mechanism.coin}`),
    reportsPerPerson: content.reports_per_person,
    guarantee: {
      epsilon: total,
      factor: Math.exp(total), // how much likelier one answer can make what is sent than another
      bestGuess: 1 / (1 + Math.exp(-total)), // of whoever would guess right with 1/2 before
    },
  });
}

/** The id and the body of {"id":"<64 hex>","study":<body>} and a newline. */
function unwrap(bytes) {
  const head = String.fromCharCode(...bytes.subarray(0, 81));
  const tail = String.fromCharCode(...bytes.subarray(-2));
  const opening = /^\{"id":"([0-9a-f]{64})","study":$/.exec(head);
  if (!opening || tail !== "}\n") {
    throw new StudyError(`not a study file as tacit writes it (${bytes.length} bytes); ${HELP}`);
  }
  return { id: opening[1], body: bytes.subarray(81, -2) };
}

/** The content of a body: JSON without a space to spare or a key that is repeated. */
function decode(body) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    const content = JSON.parse(text);
    const tokens = /"(?:[^"\\]+|\\.)*"|-?\d[-+.\deE]*/g;
    const shortest = text.replace(tokens, (token) => (token[0] === '"' ? token : +token));
    if (shortest.length === JSON.stringify(content).length) return content;
  } catch {
    // said below: not UTF-8, or not JSON
  }
  throw new StudyError(`the study file is malformed; ${HELP}`);
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (digits) => Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));

function deepFreeze(value) {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

// ---------------------------------------------------------------- what a study must be

const WILD = 1e6; // public standard deviations beyond which a number is taken for an error
const INTERCEPT_SHARE = 0.1; // of the squared length of z, on average over the public rows
const LARGEST_EPSILON = 12; // a device would try tens of thousands of seeds beyond this
const LARGEST_COUNT = 1e9;
const LARGEST_LENGTH = 1e100;
const CAP_TOLERANCE = 1e-9; // a wrong cap would cost accuracy, not privacy

const isText = (value) => typeof value === "string";
const isName = (value) => isText(value) && strip(value) !== "";
const isAnswer = (value) => isText(value) && value !== "" && text(value) === value;
const isFlag = (value) => typeof value === "boolean";
const isWhole = (value) => Number.isSafeInteger(value) && value >= 1;
const isPositive = (value) => Number.isFinite(value) && value > 0;
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isDistinct = (list) => new Set(list).size === list.length;
const listOf = (fits) => (value) => Array.isArray(value) && value.every(fits);
const areAnswers = (value) => listOf(isAnswer)(value) && isDistinct(value);

/** Names of the fields in their order, each with what it must fulfil. */
const STUDY = {
  version: (value) => value === VERSION,
  title: isText,
  source: isName,
  features: Array.isArray,
  label: isObject,
  epsilon: (value) => isPositive(value) && value <= LARGEST_EPSILON,
  minimum_batch: isWhole,
  reports_per_person: isWhole,
  simulation: (value) => value === false,
  mechanism: isObject,
  transform: isObject,
  public_rows: isWhole,
  fingerprint: (value) => isText(value) && /^[0-9a-f]{64}$/.test(value),
  dropped: (value) => isObject(value) && Object.values(value).every(isText),
  notes: listOf(isText),
};
const FEATURE = {
  name: isName,
  kind: (value) => ["numeric", "binary", "categorical"].includes(value),
  question: isText,
  unit: isText,
  levels: areAnswers,
  merged: areAnswers,
  fill: Number.isFinite,
  spread: (value) => value >= 0 && Number.isFinite(WILD * value),
  indicator: isFlag,
};
const MECHANISM = {
  dimension: isWhole,
  cap: (value) => Number.isFinite(value) && value >= 0 && value < 1,
  coin: (value) => isText(value) && /^[0-9a-f]{16,17}$/.test(value),
};
const TRANSFORM = {
  columns: (value) => listOf(isText)(value) && isDistinct(value),
  center: listOf(Number.isFinite),
  matrix: listOf(listOf(Number.isFinite)),
  spectrum: listOf(isPositive),
  shares: listOf(isPositive),
  intercept: isFlag,
};
const LABELS = new Map([
  ["binary", { kind: isText, column: isName, positive: isAnswer,
    negative: (value) => value === null || isAnswer(value), question: isText }],
  ["categorical", { kind: isText, column: isName,
    levels: (value) => areAnswers(value) && value.length >= 2 && isDistinct(value.map(key)),
    question: isText }],
  ["count", { kind: isText, column: isName,
    cap: (value) => isWhole(value) && value <= LARGEST_COUNT, question: isText, unit: isText }],
  ["bounded", { kind: isText, column: isName, low: Number.isFinite, high: Number.isFinite,
    question: isText, unit: isText }],
]);

/** Everything that a hand-made study with a right hash could still get wrong. */
function checkStudy(study) {
  if (isObject(study) && study.version > VERSION) {
    throw new StudyError("the study was made by a newer tacit than this page; reload the page");
  }
  if (isObject(study) && study.simulation === true) {
    throw new StudyError("the study was made for simulation, not for devices");
  }
  checkFields(study, STUDY, "the study");
  study.features.forEach(checkFeature);
  checkLabel(study.label);
  checkTransform(study);
  checkReach(study);
  checkMechanism(study);
}

function checkFields(value, fields, where) {
  const names = Object.keys(fields);
  insist(isObject(value) && sameList(Object.keys(value), names), `${where} has other fields`);
  for (const name of names) insist(fields[name](value[name]), `${name} of ${where} is wrong`);
}

function insist(fits, complaint) {
  if (!fits) throw new StudyError(`the study file contradicts itself: ${complaint}; ${HELP}`);
}

const sameList = (one, other) => one.length === other.length && one.every((v, i) => v === other[i]);

function checkFeature(feature) {
  checkFields(feature, FEATURE, "a feature");
  const isCategorical = feature.kind === "categorical";
  insist(isCategorical === feature.levels.length > 0, `levels of ${feature.name} do not fit`);
  insist(feature.kind !== "binary" || [0, 1].includes(feature.fill), `${feature.name} is not 0/1`);
}

function checkLabel(label) {
  insist(LABELS.has(label.kind), "the label is of no known kind");
  checkFields(label, LABELS.get(label.kind), "the label");
  const { kind, positive, negative, low, high } = label;
  insist(kind !== "binary" || negative === null || key(positive) !== key(negative), "one answer");
  insist(kind !== "bounded" || (low < high && Number.isFinite(high - low)), "no range");
}

function checkTransform({ features, label, transform, public_rows }) {
  checkFields(transform, TRANSFORM, "the transform");
  const { columns, center, matrix, spectrum, shares, intercept } = transform;
  const q = columns.length;
  const fits = [center, matrix, spectrum, shares, ...matrix].every((part) => part.length === q);
  insist(fits && q + intercept > 0, `the parts of the transform do not fit ${q} columns`);
  const total = intercept ? 1 - INTERCEPT_SHARE : 1;
  const sum = shares.reduce((one, other) => one + other, 0);
  insist(q === 0 || Math.abs(sum - total) <= q * 1e-9, "the shares do not sum to the whole");
  const coded = features.flatMap(columnNames);
  insist(isDistinct([...features.map(({ name }) => name), label.column]), "names repeat");
  insist(isDistinct(coded) && !(intercept && columns.includes("intercept")), "columns repeat");
  const kept = coded.filter((name) => columns.includes(name));
  insist(sameList(kept, columns), "the transform is not of these features");
  insist(public_rows > q, "there are fewer public rows than columns");
}

/** No answer may drive z out of the range of floats: what follows would depend on it. */
function checkReach({ features, transform }) {
  const reach = new Map();
  for (const feature of features) {
    const farthest = Math.abs(feature.fill) + WILD * feature.spread + 1;
    columnNames(feature).forEach((name) => reach.set(name, farthest));
  }
  const { columns, center, matrix } = transform;
  const largest = columns.map((name, j) => reach.get(name) + Math.abs(center[j]));
  for (const row of matrix) {
    const length = Math.hypot(...row.map((value, j) => value * largest[j]));
    insist(length < LARGEST_LENGTH, "the matrix of the transform is out of proportion");
  }
}

/** The coin carries the guarantee and is derived anew, exactly; the cap to its tolerance. */
function checkMechanism({ mechanism, transform, label, epsilon }) {
  checkFields(mechanism, MECHANISM, "the mechanism");
  const { dimension, cap, coin } = mechanism;
  const expected = (transform.columns.length + transform.intercept) * (classCount(label) - 1);
  insist(dimension === expected, `dimension must be ${expected}`);
  const exact = coinThreshold(epsilon).toString(16).padStart(16, "0");
  insist(coin === exact, `the coin is not that of epsilon ${epsilon}`);
  const excess = meanLength(dimension, epsilon, cap) - cap;
  insist(Math.abs(excess) <= CAP_TOLERANCE, `the cap is not that of epsilon ${epsilon}`);
}

/** ceil(e^-eps 2^64), exact: the series of e^eps in integers of 256 binary places. */
function coinThreshold(epsilon) {
  const places = 256n;
  const one = 1n << places;
  const x = BigInt(Math.floor(epsilon * 2 ** 200)) << (places - 200n);
  let [sum, term] = [one, one];
  for (let k = 1n; term > 0n; k++) {
    term = ((term * x) >> places) / k;
    sum += term;
  }
  return ((one << 64n) + sum - 1n) / sum;
}

/** The mean of the output along the input; the best cap equals it (privacy/sphere.py). */
function meanLength(dimension, epsilon, cap) {
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

// ---------------------------------------------------------------- what an answer means

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
const TRUTH = new Map([["1", 1], ["true", 1], ["yes", 1], ["y", 1],
  ["0", 0], ["false", 0], ["no", 0], ["n", 0]]);

/** Python's strip, which knows other spaces than trim does. */
function strip(value) {
  let [start, end] = [0, value.length];
  while (start < end && SPACES.has(value[start])) start += 1;
  while (start < end && SPACES.has(value[end - 1])) end -= 1;
  return value.slice(start, end);
}

/** Equal for texts that differ in case only, as far as the words above are concerned. */
const fold = (value) => value.toUpperCase().toLowerCase();

/** null, undefined, NaN and blank text. */
function isMissing(value) {
  if (value === null || value === undefined) return true;
  return isText(value) ? strip(value) === "" : Number.isNaN(value);
}

/** The canonical text of an answer: true is "true", 1 and 1.0 are "1", text is stripped. */
function text(value) {
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

/** As a float: numeric text is parsed, booleans are 0 and 1, anything else is NaN. */
function number(value) {
  if (typeof value === "number") return value;
  if (isFlag(value)) return Number(value);
  if (!isText(value) || /[\x1c-\x1f]/.test(value)) return NaN;
  const written = strip(value).replace(/\p{Nd}/gu, latinDigit);
  if (INFINITE.test(written)) return written[0] === "-" ? -Infinity : Infinity;
  return NUMERAL.test(written) ? Number(written.replaceAll("_", "")) : NaN;
}

/** The digit 0-9 of any script: scripts have them in runs of ten that start with their zero. */
function latinDigit(digit) {
  const code = digit.codePointAt(0);
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}

// ---------------------------------------------------------------- from answers to z

/** Names of the design columns a feature is coded into. */
function columnNames({ name, kind, levels, indicator }) {
  const own = kind === "categorical" ? levels.slice(1).map((level) => `${name}: ${level}`) : [name];
  return indicator ? [...own, `${name} missing`] : own;
}

/** The design columns of one answer, and whether it was replaced. */
function code(feature, value) {
  const { columns, replaced, flagged } =
    feature.kind === "categorical" ? codeCategorical(feature, value) : codeNumber(feature, value);
  return { columns: feature.indicator ? [...columns, Number(flagged)] : columns, replaced };
}

/** A number that is missing, infinite or wild is the fill; no sum can overflow. */
function codeNumber({ kind, fill, spread }, value) {
  const isBinary = kind === "binary";
  const found = isBinary ? TRUTH.get(fold(text(value))) ?? NaN : number(value);
  const reach = WILD * spread;
  const sane = isBinary ? found >= 0 : found >= fill - reach && found <= fill + reach;
  return { columns: [sane ? found : fill], replaced: !sane, flagged: !sane };
}

/** Reference coding. A level the study does not know is "other", or else the baseline. */
function codeCategorical({ levels }, value) {
  const missing = isMissing(value);
  const known = missing ? -1 : levels.indexOf(text(value));
  const index = known >= 0 ? known : missing ? 0 : Math.max(levels.indexOf("other"), 0);
  const columns = levels.slice(1).map((_, place) => Number(place + 1 === index));
  return { columns, replaced: known < 0, flagged: missing };
}

/** Refuse a record that lacks a feature's name or has one the study does not know. */
function checkRecord(study, record) {
  if (!isObject(record)) throw new ConfigurationError("a record is an object of named answers");
  const names = study.features.map(({ name }) => name);
  const absent = names.filter((name) => !Object.hasOwn(record, name));
  if (absent.length) {
    throw new ConfigurationError(
      `the record has no ${absent.join(", ")}; every feature must be named, also where missing`,
    );
  }
  const known = new Set([...names, ...Object.keys(study.dropped), study.label.column]);
  const unknown = Object.keys(record).filter((name) => !known.has(name));
  if (unknown.length) {
    throw new ConfigurationError(`the study has no feature ${unknown.join(", ")}; use its names`);
  }
}

/**
 * z: the intercept's share, then matrix (x - center), x the coded answers that are kept.
 * @param {Study} study @param {Record} record @returns {Float64Array}
 */
export function encode(study, record) {
  checkRecord(study, record);
  const { columns, center, matrix, intercept } = study.transform;
  const coded = new Map();
  for (const feature of study.features) {
    const values = code(feature, record[feature.name]).columns;
    columnNames(feature).forEach((name, place) => coded.set(name, values[place]));
  }
  const design = columns.map((name, j) => coded.get(name) - center[j]);
  const scores = matrix.map((row) => row.reduce((sum, value, j) => sum + value * design[j], 0));
  return Float64Array.from(intercept ? [Math.sqrt(INTERCEPT_SHARE), ...scores] : scores);
}

// ---------------------------------------------------------------- labels

const SAME = new Map([["true", "1"], ["false", "0"]]); // one answer, however it was stored
const key = (answer) => SAME.get(answer) ?? answer;

/** K: the number of codes. */
const classCount = (label) => (label.kind === "categorical" ? label.levels.length : 2);

/**
 * Probabilities of the K codes. A wild label is replaced; a missing one has no report.
 * @param {Study} study @param {unknown} label @returns {number[]}
 */
export function labelWeights(study, label) {
  if (isMissing(label)) {
    throw new MissingLabelError(
      `label ${study.label.column} is missing: no report is made without a label. ` +
        "Leave this record out; taking part is visible",
    );
  }
  if (study.label.kind === "count" || study.label.kind === "bounded") {
    const [low, high] = limits(study.label);
    const share = (Math.min(Math.max(number(label), low), high) - low) / (high - low);
    return Number.isNaN(share) ? [0.5, 0.5] : [1 - share, share];
  }
  const place = placeOf(study.label, key(text(label)));
  const count = classCount(study.label);
  return Array.from({ length: count }, (_, k) => (place < 0 ? 1 / count : Number(k === place)));
}

/** The numbers that the codes -1 and +1 stand for. */
const limits = ({ kind, cap, low, high }) => (kind === "count" ? [0, cap] : [low, high]);

/** Index of the answer's class, -1 where it is none of them. */
function placeOf({ kind, levels, positive, negative }, answer) {
  if (kind === "categorical") return levels.map(key).indexOf(answer);
  if (answer === key(positive)) return 1;
  return negative === null || answer === key(negative) ? 0 : -1;
}

/** The K unit vectors of a regular simplex in K - 1 dimensions; K = 2 gives -1 and +1. */
function codes(count) {
  const vectors = Array.from({ length: count }, () => new Array(count - 1).fill(0));
  for (let k = 0; k < count - 1; k++) {
    const later = count - 1 - k;
    const own = Math.sqrt((count * later) / ((count - 1) * (count - k)));
    vectors[k][k] = -own;
    for (let j = k + 1; j < count; j++) vectors[j][k] = own / later;
  }
  return vectors;
}

/** z (x) g, with a code g drawn by the weights; of a zero z, evenly, so that the mean is zero. */
function codedVector(z, weights, uniform) {
  const empty = z.every((value) => value === 0);
  let [drawn, below] = [0, 0];
  for (const weight of weights.slice(0, -1)) {
    below += empty ? 1 / weights.length : weight;
    drawn += Number(uniform >= below);
  }
  const chosen = codes(weights.length)[drawn];
  const base = z.map((value, i) => (empty && i === 0 ? 1 : value));
  const vector = new Float64Array(z.length * chosen.length);
  return vector.map((_, at) => base[Math.floor(at / chosen.length)] * chosen[at % chosen.length]);
}

/** Scaled to length 1; what has no direction (zero, infinite, NaN) becomes the first axis. */
function normalised(vector) {
  const peak = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scaled = vector.map((value) => value / peak);
  const length = Math.sqrt(scaled.reduce((sum, value) => sum + value * value, 0));
  const directed = Number.isFinite(peak) && peak > 0;
  return scaled.map((value, i) => (directed ? value / length : Number(i === 0)));
}

// ---------------------------------------------------------------- from a seed to a point

const SEED_BYTES = 16;
const TAG_BYTES = 16;
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

/** The first `count` words: blocks 0, 1, ... under a nonce of zero. */
function keystream(seed, tag, count) {
  const state = Int32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, // "expand 32-byte k"
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  for (let i = 0; i < 16; i++) {
    state[4 + (i >> 2)] |= seed[i] << (8 * (i & 3)); // little-endian words
    state[8 + (i >> 2)] |= tag[i] << (8 * (i & 3));
  }
  const words = new Uint32Array(16 * Math.ceil(count / 16));
  for (let start = 0; start < count; start += 16, state[12] += 1) block(state, words, start);
  return words;
}

/** The ChaCha20 block function (RFC 8439, section 2.3), into `words` from `start` on. */
function block(state, words, start) {
  const x = state.slice();
  for (let round = 0; round < 10; round++) {
    quarterRound(x, 0, 4, 8, 12);
    quarterRound(x, 1, 5, 9, 13);
    quarterRound(x, 2, 6, 10, 14);
    quarterRound(x, 3, 7, 11, 15);
    quarterRound(x, 0, 5, 10, 15);
    quarterRound(x, 1, 6, 11, 12);
    quarterRound(x, 2, 7, 8, 13);
    quarterRound(x, 3, 4, 9, 14);
  }
  for (let i = 0; i < 16; i++) words[start + i] = x[i] + state[i];
}

function quarterRound(x, a, b, c, d) {
  x[a] += x[b];
  x[d] = rotate(x[d] ^ x[a], 16);
  x[c] += x[d];
  x[b] = rotate(x[b] ^ x[c], 12);
  x[a] += x[b];
  x[d] = rotate(x[d] ^ x[a], 8);
  x[c] += x[d];
  x[b] = rotate(x[b] ^ x[c], 7);
}

const rotate = (word, left) => (word << left) | (word >>> (32 - left));

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

// ---------------------------------------------------------------- the sphere mechanism

const TRIALS = 64; // of one step, whatever the record: how long a step takes says nothing

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

/** One step: the first accepted of TRIALS seeds, or null. All of them are tried. */
function tryStep(study, vector) {
  const seeds = draw(SEED_BYTES * TRIALS);
  const words = new DataView(draw(8 * TRIALS).buffer);
  let chosen = null;
  for (let trial = TRIALS - 1; trial >= 0; trial--) {
    const seed = seeds.subarray(SEED_BYTES * trial, SEED_BYTES * (trial + 1));
    chosen = accepts(study, vector, seed, words.getBigUint64(8 * trial, true)) ? seed : chosen;
  }
  return chosen;
}

/** Fresh random bytes of the system, which throws beyond 65,536 at once. */
const draw = (count) => crypto.getRandomValues(new Uint8Array(count));

/** A multiple of 2^-53 in [0, 1). */
function uniform() {
  const word = new DataView(draw(8).buffer);
  return (word.getUint32(4, true) * 2 ** 21 + (word.getUint32(0, true) >>> 11)) * 2 ** -53;
}

/**
 * The report of one record; the only thing that may leave the device.
 *
 * Every call is another report and costs another epsilon: use `Device`, which keeps the bytes
 * and resends those.
 * @param {Study} study @param {Record} record @param {unknown} label
 * @returns {Uint8Array} 16 bytes
 */
export function randomize(study, record, label) {
  const z = encode(study, record);
  const vector = normalised(codedVector(z, labelWeights(study, label), uniform()));
  let seed = null;
  while (seed === null) seed = tryStep(study, vector);
  return seed.slice();
}

/**
 * How the study reads a record. It depends on private values: show it to their owner only.
 * @param {Study} study @param {Record} record @param {unknown} label
 * @returns {{replaced: string[], labelWeights: number[]}}
 */
export function preview(study, record, label) {
  checkRecord(study, record);
  const replaced = study.features.filter((feature) => code(feature, record[feature.name]).replaced);
  return {
    replaced: replaced.map(({ name }) => name),
    labelWeights: labelWeights(study, label),
  };
}

// ---------------------------------------------------------------- the ledger

/** What a person spends in all unless they decide otherwise: one study at epsilon 8, or several. */
export const DEFAULT_LIFETIME = 8;

const LIFETIME_KEY = "tacit/1/lifetime";
const REPORT_KEY = "tacit/1/report/";
const STATES = ["debited", "ready", "sent", "refused"];
const ROUNDING = 1e-9; // ten reports of 0.1 are 1

/**
 * @typedef {{mark: string, study: string, epsilon: number, state: string, seed: string,
 *   code: string, status: number, reason: string}} Entry  One debit and its report; no answer.
 *   "debited": paid for, no bytes yet; "ready": its bytes wait to be sent; "sent"; "refused".
 */

/**
 * What this browser has spent on this site: one storage item for each report, never removed.
 *
 * Cleared storage, another browser or a private window has a ledger of its own: what was spent
 * elsewhere is then forgotten, and no limit can hold it back. Where the collector must be sure
 * of one report a person, it gives out codes.
 *
 * Two tabs take turns, but a browser may bring what one has stored to the other only a moment
 * after its turn has come (Chromium, between processes). What both do at the same moment is all
 * debited, and may together exceed the limit or the study's number of reports.
 */
export class Ledger {
  #storage;

  /** @param {Storage} [storage] */
  constructor(storage = siteStorage()) {
    this.#storage = storage;
  }

  /** @returns {Entry[]} in no order */
  get entries() {
    const keys = Array.from({ length: this.#storage.length }, (_, i) => this.#storage.key(i));
    return keys.filter((name) => name.startsWith(REPORT_KEY)).map((name) => this.#read(name));
  }

  /** The epsilons of all debits, added up. */
  get spent() {
    return this.entries.reduce((sum, { epsilon }) => sum + epsilon, 0);
  }

  /** The most that all debits together may cost; its owner sets it. */
  get lifetime() {
    const stored = this.#storage.getItem(LIFETIME_KEY);
    const limit = stored === null ? DEFAULT_LIFETIME : parseFloat(stored);
    if (!(limit >= 0)) throw damaged(LIFETIME_KEY);
    return limit;
  }

  set lifetime(limit) {
    if (!Number.isFinite(limit) || limit < 0) {
      throw new ConfigurationError(`lifetime must be a finite number from 0, got ${limit}`);
    }
    this.#write(LIFETIME_KEY, String(limit));
  }

  /** The entries of one study. @param {Study} study @returns {Entry[]} */
  of(study) {
    return this.entries.filter((entry) => entry.study === study.id);
  }

  /**
   * Debit, randomize, keep the bytes: each stored before the next, and nothing sent. A debit
   * that was interrupted is used again: nothing of it ever left the device.
   * @param {Study} study @param {() => Uint8Array} randomizeOnce @returns {Promise<Uint8Array>}
   */
  report(study, randomizeOnce) {
    return alone(() => {
      const entry = this.#debit(study);
      const seed = randomizeOnce();
      this.#store({ ...entry, state: "ready", seed: hex(seed) });
      return seed;
    });
  }

  /** Note what became of a report; one that was sent stays so. @param {Entry} entry */
  settle({ mark }, changes) {
    const entry = this.#read(REPORT_KEY + mark);
    if (entry.state !== "sent") this.#store({ ...entry, ...changes });
  }

  #store(entry) {
    this.#write(REPORT_KEY + entry.mark, JSON.stringify(entry));
    return entry;
  }

  /** A debit without bytes, an interrupted one first; or an error, and no debit. */
  #debit(study) {
    const made = this.of(study);
    const begun = made.find((entry) => entry.state === "debited");
    if (!begun && made.length >= study.reportsPerPerson) {
      throw new BudgetError(
        `this browser has made the ${made.length} report(s) that the study takes of a person; ` +
          "they can be sent again, which costs nothing, but no other can be made",
      );
    }
    const { spent, lifetime } = this;
    if (spent + (begun ? 0 : study.epsilon) > lifetime + ROUNDING) {
      throw new BudgetError(
        `a report of this study costs epsilon ${study.epsilon}, and ${spent} of the ${lifetime} ` +
          "that this browser allows in all is spent; only its owner may allow more",
      );
    }
    const entry = { mark: hex(draw(8)), study: study.id, epsilon: study.epsilon, state: "debited" };
    return begun ?? this.#store({ ...entry, seed: "", code: "", status: 0, reason: "" });
  }

  #write(name, value) {
    try {
      this.#storage.setItem(name, value);
    } catch (error) {
      throw new LedgerError(`the ledger cannot be written (${error.name}); nothing was randomized`);
    }
    if (this.#storage.getItem(name) !== value) throw damaged(name);
  }

  #read(name) {
    try {
      const entry = JSON.parse(this.#storage.getItem(name));
      const seeded = entry.state === "debited" ? /^$/ : /^[0-9a-f]{32}$/;
      const whole = REPORT_KEY + entry.mark === name && STATES.includes(entry.state);
      const paid = isPositive(entry.epsilon) && /^[0-9a-f]{64}$/.test(entry.study);
      if (whole && paid && seeded.test(entry.seed)) return entry;
    } catch {
      // said below: not JSON, or not an entry
    }
    throw damaged(name);
  }
}

function damaged(name) {
  return new LedgerError(
    `item ${name} of the ledger is damaged, so nothing is randomized; clear this site's storage ` +
      "to start anew, knowing that what was spent is then forgotten",
  );
}

function siteStorage() {
  try {
    return localStorage;
  } catch {
    throw new LedgerError("this browser stores nothing for this page; allow it, or use another");
  }
}

/** One tab at a time: `action` never waits, and reads the storage as this tab knows it. */
const alone = (action) => navigator.locks.request("tacit/1", action);

// ---------------------------------------------------------------- sending

const PERMANENT = [400, 403, 404, 409, 410, 413];
const ATTEMPTS = 5;
const FIRST_WAIT = 1000; // milliseconds; doubled every time
const LONGEST_WAIT = 60_000; // a collector that asks for more is left alone until the next call
const PATIENCE = 30_000;

/** One person's part in a study: makes its reports under the ledger and sends them. */
export class Device {
  #code;
  #url;

  /**
   * @param {Study} study
   * @param {{collector?: string, ledger?: Ledger, code?: ?string}} [options] the collector's
   *   address (this page's by default); a participation code, which serves one report
   */
  constructor(study, { collector = globalThis.location?.origin, ledger, code } = {}) {
    this.study = study;
    this.ledger = ledger ?? new Ledger();
    this.#code = code ?? "";
    this.#url = `${String(collector).replace(/\/+$/, "")}/studies/${study.id}/reports`;
  }

  /**
   * Make one report and keep it; `send` sends it. Wrong names and a missing label cost nothing.
   * @param {Record} record @param {unknown} label @returns {Promise<Uint8Array>} its 16 bytes
   */
  async report(record, label) {
    preview(this.study, record, label);
    return this.ledger.report(this.study, () => randomize(this.study, record, label));
  }

  /**
   * Send the study's reports that wait: the same bytes, however often it takes.
   * @returns {Promise<{sent: number, waiting: number, refused: number}>} what became of them;
   *   `ledger.of(study)` has status and reason of each
   */
  async send() {
    this.#assignCode();
    const due = this.ledger.of(this.study).filter(({ state }) => state === "ready");
    for (const entry of due) await this.#deliver(entry);
    const marks = new Set(due.map(({ mark }) => mark));
    const became = this.ledger.of(this.study).filter(({ mark }) => marks.has(mark));
    const count = (wanted) => became.filter(({ state }) => state === wanted).length;
    return { sent: count("sent"), waiting: count("ready"), refused: count("refused") };
  }

  /** The code goes to one report, once: to one that has none, or whose own was refused. */
  #assignCode() {
    if (!this.#code) return;
    const made = this.ledger.of(this.study);
    const needsCode = ({ state, code, status }) =>
      state === "ready" ? !code : state === "refused" && status === 403;
    const bearer = made.find(({ code }) => code === this.#code) ?? made.find(needsCode);
    if (!bearer) return;
    this.ledger.settle(bearer, { state: "ready", code: this.#code });
    this.#code = "";
  }

  async #deliver(entry) {
    for (let attempt = 1, wait = FIRST_WAIT; ; attempt++, wait *= 2) {
      const { pause, ...verdict } = await this.#post(entry);
      this.ledger.settle(entry, verdict);
      const longer = Math.max(wait * (0.5 + uniform() / 2), pause);
      if (verdict.state !== "ready" || attempt === ATTEMPTS || longer > LONGEST_WAIT) return;
      await new Promise((resolve) => setTimeout(resolve, longer));
    }
  }

  /** Only a collector's own words settle a report: a hotel's log-in page may not. */
  async #post({ seed, code }) {
    const headers = { "Content-Type": "application/octet-stream" };
    if (code) headers["Tacit-Code"] = code;
    try {
      const response = await fetch(this.#url, {
        method: "POST", headers, body: unhex(seed), credentials: "omit", redirect: "error",
        referrerPolicy: "no-referrer", cache: "no-store", signal: AbortSignal.timeout(PATIENCE),
      });
      const { status } = response;
      const answer = (await response.json().catch(() => null)) ?? {};
      if (status === 200 && answer.reports === 1) {
        return { state: "sent", status, reason: "", code: "", pause: 0 };
      }
      const pause = 1000 * (Number(response.headers.get("Retry-After")) || 0);
      const reason = isText(answer.error) ? answer.error : `the answer was ${status}`;
      const refused = PERMANENT.includes(status) && isText(answer.error);
      return refused
        ? { state: "refused", status, reason, code: "", pause }
        : { state: "ready", status, reason, pause };
    } catch (error) {
      return { state: "ready", status: 0, reason: `no connection (${error.name})`, pause: 0 };
    }
  }
}
