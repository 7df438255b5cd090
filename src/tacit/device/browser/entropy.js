// The one place that draws randomness.

/** Fresh random bytes of the system, which throws beyond 65,536 at once. */
export function draw(count) {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** A multiple of 2^-53 in [0, 1). */
export function uniform() {
  const word = new DataView(draw(8).buffer);
  return (word.getUint32(4, true) * 2 ** 21 + (word.getUint32(0, true) >>> 11)) * 2 ** -53;
}
