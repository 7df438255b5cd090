// How a report is drawn: the kinds a study may name, and what each must state.
import { StudyError } from "./errors.js";
import { classCount } from "./labels.js";
import { checkSphere } from "./sphere.js";

/** Every kind that this device can run. */
const KINDS_OF_MECHANISM = new Map([["sphere", checkSphere]]);

/** What the mechanism states must follow from the rest of the study. */
export function checkMechanism({ mechanism, transform, label, epsilon }) {
  const check = KINDS_OF_MECHANISM.get(mechanism.kind);
  if (!check) {
    throw new StudyError(
      `the study's mechanism is ${JSON.stringify(mechanism.kind)}, which this page does not ` +
        `know (${[...KINDS_OF_MECHANISM.keys()].join(", ")}); reload the page for a newer one`,
    );
  }
  const dimension = (transform.columns.length + transform.intercept) * (classCount(label) - 1);
  check(mechanism, dimension, epsilon);
}
