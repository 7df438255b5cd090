// The study file: its bytes, its id, and what its content must be.
import { StudyError } from "./errors.js";
import { TAG_BYTES } from "./expand.js";
import { checkFeature } from "./features.js";
import { checkFields, insist, isName } from "./fields.js";
import { checkLabel } from "./labels.js";
import { checkMechanism } from "./mechanism.js";
import { checkPurpose, PURPOSES } from "./purpose.js";
import { deepFreeze, readSealed } from "./sealed.js";
import { checkTransform } from "./transform.js";
import { isModerate, isObject, isPositive, isText, isWhole, listOf } from "./values.js";

const VERSION = 3;
const LARGEST_EPSILON = 12; // a device would try tens of thousands of seeds beyond this

/**
 * @typedef {{id: string, tag: Uint8Array, title: string, source: string,
 *   features: Feature[], label: Label,
 *   epsilon: number, reportsPerPerson: number, coin: bigint,
 *   purpose: "coefficients" | "predictions", focus: string[], people: number | null,
 *   mechanism: {kind: string, dimension: number, cap: number, coin: string},
 *   transform: Transform,
 *   guarantee: {epsilon: number, factor: number, bestGuess: number},
 *   dropped: Object<string, string>, notes: string[]}} Study
 *   The fields of the file, and what follows from them; frozen.
 */

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
  purpose: (value) => PURPOSES.includes(value),
  focus: listOf(isName),
  people: (value) => value === null || isWhole(value),
  simulation: (value) => value === false,
  mechanism: isObject,
  transform: isObject,
  public_rows: isWhole,
  effective_rows: isWhole,
  weights: (value) => value === null || isName(value),
  margins: areMargins,
  fingerprint: (value) => isText(value) && /^[0-9a-f]{64}$/.test(value),
  dropped: (value) => isObject(value) && Object.values(value).every(isText),
  notes: listOf(isText),
};

/** Known means, and shares of levels: for people to read, no device computes with them. */
function areMargins(value) {
  return isObject(value) && Object.values(value).every((one) => isModerate(one) || areShares(one));
}

function areShares(value) {
  if (!isObject(value) || !Object.values(value).every((share) => isModerate(share) && share >= 0)) {
    return false;
  }
  const sum = Object.values(value).reduce((one, other) => one + other, 0);
  return Math.abs(sum - 1) <= 1e-9;
}

/** Every study that was read here: frozen, and of the content that its id is the hash of. */
const genuine = new WeakSet();

/**
 * Read a study file. Its id is the hash of the very bytes of its body, which are sliced out.
 * @param {string | Uint8Array | ArrayBuffer} data
 * @returns {Promise<Study>}
 */
export async function readStudy(data) {
  const { content, id, digest } = await readSealed(data, "study");
  checkStudy(content);
  const study = deepFreeze(withConsequences(content, id, digest));
  genuine.add(study);
  return study;
}

/** Refuse a copy: what was altered on the way would be randomized by, and debited wrongly. */
export function requireGenuine(study) {
  if (!genuine.has(study)) {
    throw new StudyError("use the very study that readStudy gave: a copy could have been altered");
  }
}

/** Everything that a hand-made study with a right hash could still get wrong. */
function checkStudy(content) {
  if (isObject(content) && content.version > VERSION) {
    throw new StudyError("the study was made by a newer tacit than this page; reload the page");
  }
  if (isObject(content) && content.simulation === true) {
    throw new StudyError("the study was made for simulation, not for devices");
  }
  checkFields(content, STUDY, "the study");
  content.features.forEach(checkFeature);
  checkLabel(content.label);
  checkTransform(content);
  checkPurpose(content);
  checkRows(content);
  checkMechanism(content);
}

/** What the public rows count: not more than they are, by a column that is not asked for. */
function checkRows({ features, label, public_rows, effective_rows, weights, margins }) {
  insist(effective_rows <= public_rows, "the public rows count more than they are");
  const asked = [label.column, ...features.map(({ name }) => name)];
  insist(!asked.includes(weights), "the weights are asked for");
  const apart = [label.column, weights].some((name) => Object.hasOwn(margins, name));
  insist(!apart, "a margin is of the label or of the weights");
}

/** The tag is handed out as a copy, because bytes cannot be frozen. */
function withConsequences(content, id, digest) {
  const total = content.epsilon * content.reports_per_person;
  return {
    ...content,
    id,
    get tag() {
      return digest.slice(0, TAG_BYTES);
    },
    coin: BigInt(`0x${content.mechanism.coin}`),
    reportsPerPerson: content.reports_per_person,
    guarantee: {
      epsilon: total,
      factor: Math.exp(total), // how much likelier one answer can make what is sent than another
      bestGuess: 1 / (1 + Math.exp(-total)), // of whoever would guess right with 1/2 before
    },
  };
}
