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
export { TacitError, StudyError, ConfigurationError, MissingLabelError } from "./errors.js";
export { BudgetError, LedgerError } from "./errors.js";
export { readStudy } from "./study.js";
export { encode, labelWeights, preview } from "./record.js";
export { expand } from "./expand.js";
export { accepts } from "./sphere.js";
export { randomize } from "./randomize.js";
export { readLabelStudy } from "./labelstudy.js";
export { randomizeLabel } from "./labelreport.js";
export { DEFAULT_LIFETIME, Ledger } from "./ledger.js";
export { Device } from "./device.js";
