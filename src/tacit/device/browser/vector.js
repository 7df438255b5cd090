// From z and the weights of the label to the unit vector that is randomized.

/** The K unit vectors of a regular simplex in K - 1 dimensions; K = 2 gives -1 and +1. */
function corners(count) {
  const vectors = Array.from({ length: count }, () => new Array(count - 1).fill(0));
  for (let k = 0; k < count - 1; k++) {
    const later = count - 1 - k;
    const own = Math.sqrt((count * later) / ((count - 1) * (count - k)));
    vectors[k][k] = -own;
    for (let j = k + 1; j < count; j++) vectors[j][k] = own / later;
  }
  return vectors;
}

/** z (x) g, g a corner drawn by the weights; of a zero z, evenly, so that the mean is zero. */
export function labelledVector(z, weights, uniform) {
  const empty = z.every((value) => value === 0);
  // the corner: as many as there are sums of weights that the uniform number reaches
  let [drawn, below] = [0, 0];
  for (const weight of weights.slice(0, -1)) {
    below += empty ? 1 / weights.length : weight;
    drawn += Number(uniform >= below);
  }
  const chosen = corners(weights.length)[drawn];
  // the product, with the first axis in place of a zero z
  const base = z.map((value, i) => (empty && i === 0 ? 1 : value));
  const vector = new Float64Array(z.length * chosen.length);
  return vector.map((_, at) => base[Math.floor(at / chosen.length)] * chosen[at % chosen.length]);
}

/** Scaled to length 1; what has no direction (zero, infinite, NaN) becomes the first axis. */
export function normalised(vector) {
  const peak = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scaled = vector.map((value) => value / peak);
  const length = Math.sqrt(scaled.reduce((sum, value) => sum + value * value, 0));
  const directed = Number.isFinite(peak) && peak > 0;
  return scaled.map((value, i) => (directed ? value / length : Number(i === 0)));
}
