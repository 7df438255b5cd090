// One person's answers as the study reads them.
import { ConfigurationError } from "./errors.js";
import { columnNames, columnsOf } from "./features.js";
import { weightsOf } from "./labels.js";
import { requireGenuine } from "./study.js";
import { transformed } from "./transform.js";
import { isObject } from "./values.js";

/**
 * @typedef {Object<string, unknown>} Record  An answer for every feature; null where missing.
 */

/** Refuse a record that lacks a feature's name or has one the study does not know. */
function checkRecord(study, record) {
  requireGenuine(study);
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
 * z, the coordinates of a record that the study uses.
 * @param {Study} study @param {Record} record @returns {Float64Array}
 */
export function encode(study, record) {
  checkRecord(study, record);
  const coded = new Map();
  for (const feature of study.features) {
    const { columns } = columnsOf(feature, record[feature.name]);
    columnNames(feature).forEach((name, place) => coded.set(name, columns[place]));
  }
  return transformed(study.transform, coded);
}

/**
 * Probabilities of the K classes. A wild label is replaced; a missing one has no report.
 * @param {Study} study @param {unknown} label @returns {number[]}
 */
export function labelWeights(study, label) {
  requireGenuine(study);
  return weightsOf(study.label, label);
}

/**
 * How the study reads a record. It depends on private values: show it to their owner only.
 * @param {Study} study @param {Record} record @param {unknown} label
 * @returns {{replaced: string[], labelWeights: number[]}}
 */
export function preview(study, record, label) {
  checkRecord(study, record);
  const replaced = study.features.filter(
    (feature) => columnsOf(feature, record[feature.name]).replaced,
  );
  return {
    replaced: replaced.map(({ name }) => name),
    labelWeights: labelWeights(study, label),
  };
}
