// The report of one label: all that leaves the device in a label-private study.
import { draw } from "./entropy.js";
import { drawLabel } from "./labelmechanism.js";
import { weightsOf } from "./labels.js";
import { requireGenuineLabelStudy } from "./labelstudy.js";

const nextWord = () => new DataView(draw(8).buffer).getBigUint64(0, true);

/**
 * The report of one label: an integer as 8 bytes, little-endian with sign.
 *
 * Every call is another report and costs another epsilon: keep the bytes and resend those. A wild
 * label is replaced; a missing one has no report.
 * @param {LabelStudy} study @param {unknown} label @returns {Uint8Array} 8 bytes
 */
export function randomizeLabel(study, label) {
  requireGenuineLabelStudy(study);
  const number = drawLabel(study, weightsOf(study.label, label), nextWord);
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt(number), true);
  return bytes;
}
