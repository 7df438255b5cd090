// e^eps in integers of 256 binary places: what thresholds are derived from, exactly.

export const PLACES = 256n;

/** e^eps times 2^256, by its series. */
export function exponential(epsilon) {
  const x = BigInt(Math.floor(epsilon * 2 ** 200)) << (PLACES - 200n);
  let [sum, term] = [1n << PLACES, 1n << PLACES];
  for (let k = 1n; term > 0n; k++) {
    term = ((term * x) >> PLACES) / k;
    sum += term;
  }
  return sum;
}
