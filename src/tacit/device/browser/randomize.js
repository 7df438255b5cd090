// The report of one record: the only thing that may leave the device.
import { draw, uniform } from "./entropy.js";
import { SEED_BYTES } from "./expand.js";
import { encode, labelWeights } from "./record.js";
import { accepts } from "./sphere.js";
import { labelledVector, normalised } from "./vector.js";

const TRIALS = 64; // of one step, whatever the record: how long a step takes says nothing

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

/**
 * The report of one record.
 *
 * Every call is another report and costs another epsilon: use `Device`, which keeps the bytes
 * and resends those.
 * @param {Study} study @param {Record} record
 * @param {unknown} label @returns {Uint8Array} 16 bytes
 */
export function randomize(study, record, label) {
  const z = encode(study, record);
  const vector = normalised(labelledVector(z, labelWeights(study, label), uniform()));
  let seed = null;
  while (seed === null) seed = tryStep(study, vector);
  return seed.slice();
}
