// How a label becomes one integer: what a study must state for it, and the draws, word by word.
import { exponential, PLACES } from "./exponential.js";
import { checkFields, insist } from "./fields.js";
import { classesOf } from "./labels.js";
import { isText, isWhole } from "./values.js";

const WORD = 1n << 64n;
const ROOM = 1n << 36n; // words make whole numbers uneven by less than one in so many
const MOST_CLASSES = 4096;
const MOST_SETS = BigInt(2 ** 53);
const MOST_CELLS = 2 ** 24;

/** @typedef {{kind: string, threshold: string}} LabelMechanism with the sizes of its kind */
const isThreshold = (value) => isText(value) && /^[0-9a-f]{16}$/.test(value);
const hexOf = (threshold) => threshold.toString(16).padStart(16, "0");
const below = (word, limit) => Number((word * BigInt(limit)) >> 64n);
const share = (word) => Number(word >> 11n) * 2 ** -53;

/** e^eps with room for uneven whole numbers, over 2^256 2^36. */
const grown = (epsilon) => exponential(epsilon) * (ROOM - 1n);
const WHOLE = (1n << PLACES) * ROOM;

/** floor(2^64 odds / (1 + odds)). */
const thresholdOf = (above, under) => (WORD * above) / (above + under);

/** How many sets of so many there are among so many. */
export function choose(all, some) {
  let found = 1n;
  for (let k = 1n; k <= BigInt(some); k++) found = (found * (BigInt(all) - k + 1n)) / k;
  return found;
}

/** Every kind: its fields, what must hold, its thresholds, and its draw. */
const LABEL_KINDS = new Map([
  ["subset", {
    fields: { kind: isText, classes: isWhole, size: isWhole, threshold: isThreshold },
    fits: ({ classes, size }, meant) => classes === meant && classes <= MOST_CLASSES &&
      size <= Math.floor(classes / 2) && choose(classes, size) <= MOST_SETS,
    thresholds: ({ classes, size }, epsilon) => ({
      threshold: thresholdOf(grown(epsilon) * BigInt(size), WHOLE * BigInt(classes - size)),
    }),
    draw: drawSubset,
  }],
  ["window", {
    fields: { kind: isText, cells: isWhole, width: isWhole, threshold: isThreshold },
    fits: ({ cells, width }, meant) => meant === 0 && cells <= MOST_CELLS && width < cells,
    thresholds: ({ cells, width }, epsilon) => ({
      threshold: thresholdOf(grown(epsilon) * BigInt(width), WHOLE * BigInt(cells - width)),
    }),
    draw: drawWindow,
  }],
  ["staircase", {
    fields: {
      kind: isText, cells: isWhole, split: isWhole, coin: isThreshold, threshold: isThreshold,
    },
    fits: ({ cells, split }, meant) => meant === 0 && cells <= MOST_CELLS && cells % 2 === 0 &&
      split < cells,
    thresholds: ({ cells, split }, epsilon) => {
      const coin = (WORD * WHOLE + grown(epsilon) - 1n) / grown(epsilon);
      const above = BigInt(split) * (ROOM - 1n) * WORD;
      return { coin, threshold: thresholdOf(above, BigInt(cells - split) * ROOM * coin) };
    },
    draw: drawStaircase,
  }],
]);

/** The thresholds carry the guarantee and are derived anew, exactly. */
export function checkLabelMechanism({ mechanism, label, epsilon }) {
  const kind = LABEL_KINDS.get(mechanism.kind);
  insist(kind, `the mechanism ${JSON.stringify(mechanism.kind)} is of no known kind`);
  checkFields(mechanism, kind.fields, "the mechanism");
  insist(kind.fits(mechanism, classesOf(label)), "the mechanism is not one for the label");
  for (const [name, exact] of Object.entries(kind.thresholds(mechanism, epsilon))) {
    insist(mechanism[name] === hexOf(exact), `its ${name} is not that of epsilon ${epsilon}`);
  }
}

/**
 * The report of a label with these weights: an integer.
 * @param {LabelStudy} study @param {number[]} weights @param {() => bigint} next 64 random bits
 * @returns {number}
 */
export function drawLabel({ mechanism, epsilon }, weights, next) {
  return LABEL_KINDS.get(mechanism.kind).draw(mechanism, weights, next, epsilon);
}

const chanceOf = (threshold) => BigInt(`0x${threshold}`);

/** The place of a set of classes; as many words, whatever the class. */
function drawSubset({ classes, size, threshold }, weights, next) {
  // the class
  const luck = share(next());
  let [own, reached] = [0, 0];
  for (const weight of weights.slice(0, -1)) {
    reached += weight;
    own += Number(luck >= reached);
  }
  // whether it is in the set, and which others are
  const favoured = Number(next() < chanceOf(threshold));
  let needed = size - favoured;
  const others = Array.from({ length: classes - 1 }, (_, place) => {
    const taken = Number(below(next(), classes - 1 - place) < needed);
    needed -= taken;
    return taken;
  });
  const members = [...others.slice(0, own), favoured, ...others.slice(own)];
  // the place of the set among all
  let [rank, order] = [0n, 0];
  members.forEach((member, place) => {
    order += member;
    rank += BigInt(member) * choose(place, order);
  });
  return Number(rank);
}

/** Up or down to a whole number, so that the mean is right. */
function rounded(value, word) {
  const whole = Math.floor(value);
  return whole + Number(share(word) < value - whole);
}

/** A cell, one near the number more often. */
function drawWindow({ cells, width, threshold }, [, high], next) {
  const rest = cells - width;
  const start = rounded(((2 * high - 1 + 1) / 2) * rest, next());
  const favoured = next() < chanceOf(threshold);
  const word = next();
  const inside = start + below(word, width);
  const among = below(word, rest);
  const outside = among + Number(among >= start) * width;
  return [outside, inside][Number(favoured)];
}

/** The number with noise that falls in steps; all coins are tossed, whatever they show. */
function drawStaircase({ cells, split, coin, threshold }, [, high], next, epsilon) {
  const start = rounded((2 * high - 1) * (cells / 2), next());
  const steps = Math.ceil(40 / epsilon) + 2;
  let [step, going] = [0, 1];
  for (let toss = 0; toss < steps; toss++) {
    going &= Number(next() < chanceOf(coin));
    step += going;
  }
  const upper = next() < chanceOf(threshold);
  const word = next();
  const within = [split + below(word, cells - split), below(word, split)][Number(upper)];
  const size = step * cells + within;
  const noisy = start + [size, -size - 1][Number(next() < WORD / 2n)];
  const largest = (steps - 2) * cells;
  return Math.min(Math.max(noisy, -largest - 1), largest);
}
