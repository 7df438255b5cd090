// What a study is for: what its file must say of it.
import { columnNames } from "./features.js";
import { insist } from "./fields.js";
import { isDistinct } from "./values.js";

export const PURPOSES = ["coefficients", "predictions"];

/** Refuse a purpose that lacks something, or a focus on what the study does not have. */
export function checkPurpose({ purpose, focus, people, features, transform }) {
  const predicts = purpose === "predictions";
  insist(!predicts || people !== null, "predictions are for a number of people");
  insist(!predicts || focus.length === 0, "predictions have no focus");
  const known = new Set(transform.columns);
  for (const feature of features) {
    const names = columnNames(feature);
    const own = feature.indicator ? names.slice(0, -1) : names;
    if (own.some((name) => known.has(name))) known.add(feature.name);
  }
  insist(isDistinct(focus) && focus.every((name) => known.has(name)), "the focus is unknown");
}
