// The file of a label-private study: features are known anyway, the answer alone is randomized.
import { StudyError } from "./errors.js";
import { checkFeature, columnNames } from "./features.js";
import { checkFields, insist } from "./fields.js";
import { checkLabelMechanism } from "./labelmechanism.js";
import { checkLabel } from "./labels.js";
import { deepFreeze, readSealed } from "./sealed.js";
import { isDistinct, isFlag, isObject, isText, listOf } from "./values.js";

const LABEL_VERSION = 1;
const LEAST_EPSILON = 1e-6;
const MOST_EPSILON = 20;
const TAKEN = ["report", "study"]; // columns beside known features

/**
 * @typedef {{id: string, features: Feature[], label: Label, epsilon: number, title: string,
 *   intercept: boolean, mechanism: LabelMechanism, dropped: Object<string, string>,
 *   notes: string[]}} LabelStudy  The fields of the file and its id; frozen.
 */
const LABEL_STUDY = {
  features: Array.isArray,
  label: isObject,
  epsilon: (value) => Number.isFinite(value) && value >= LEAST_EPSILON && value <= MOST_EPSILON,
  title: isText,
  intercept: isFlag,
  mechanism: isObject,
  dropped: (value) => isObject(value) && Object.values(value).every(isText),
  notes: listOf(isText),
  version: (value) => value === LABEL_VERSION,
};

const genuineLabelStudies = new WeakSet();

/**
 * Read the file of a label-private study.
 * @param {string | Uint8Array | ArrayBuffer} data @returns {Promise<LabelStudy>}
 */
export async function readLabelStudy(data) {
  const { content, id } = await readSealed(data, "label_study");
  if (isObject(content) && content.version > LABEL_VERSION) {
    throw new StudyError("the study was made by a newer tacit than this page; reload the page");
  }
  checkFields(content, LABEL_STUDY, "the study");
  content.features.forEach(checkFeature);
  checkLabel(content.label);
  checkNames(content);
  checkLabelMechanism(content);
  const study = deepFreeze({ ...content, id });
  genuineLabelStudies.add(study);
  return study;
}

function checkNames({ features, label, intercept }) {
  insist(features.length > 0 || intercept, "it has neither features nor an intercept");
  const names = features.map(({ name }) => name);
  insist(isDistinct([...TAKEN, label.column, ...names]), "names repeat");
  insist(isDistinct([...(intercept ? ["intercept"] : []), ...features.flatMap(columnNames)]),
    "columns repeat");
}

/** Refuse a copy: what was altered on the way would be randomized by. */
export function requireGenuineLabelStudy(study) {
  if (genuineLabelStudies.has(study)) return;
  throw new StudyError("use the very study that readLabelStudy gave: a copy could be altered");
}
