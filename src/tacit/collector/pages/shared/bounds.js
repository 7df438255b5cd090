// Upper bounds for people, rounded up as in privacy/words.py: never less than what is true.

const ROOM = 1 + 2 ** -44; // more than the floats below err, and less than any digit shown
const MOST_DIGITS = 12;
const WHOLE = 1e3; // from here on a factor is a whole number, and from POWER on a power of e
const POWER = 1e12;

/** A chance of at most this, in percent: one digit, or as many as it takes to stay below 100. */
export function percentUp(probability) {
  for (let digits = 1; digits <= MOST_DIGITS; digits += 1) {
    const size = 10 ** digits;
    const shown = Math.ceil(probability * (100 * size) * ROOM);
    if (shown < 100 * size) {
      const rest = String(shown % size).padStart(digits, "0");
      return `${Math.floor(shown / size)}.${rest}%`;
    }
  }
  return "100%";
}

/** A factor of at most e^epsilon: three digits, whole numbers from 1,000, powers from 1e12. */
export function timesUp(epsilon) {
  if (epsilon >= Math.log(POWER)) return `e^${numberUp(epsilon)}`;
  const factor = Math.exp(epsilon) * ROOM;
  if (factor >= WHOLE) return Math.ceil(factor).toLocaleString("en");
  const size = 10 ** (2 - Math.floor(Math.log10(factor)));
  return (Math.ceil(factor * size) / size).toLocaleString("en");
}

/** Six digits of an epsilon; sums of decimals are first freed of their float's dust. */
export function numberUp(number) {
  const [digits, power] = number.toExponential(11).replace(".", "").split("e");
  return String(Number(`${Math.ceil(Number(digits) / 1e6)}e${Number(power) - 5}`));
}
