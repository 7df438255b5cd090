// Numbers as people read them, and round ones for axes.

/** 1,234 */
export function whole(number) {
  return Math.round(number).toLocaleString("en");
}

/** A few digits; a dash for what is not known. */
export function figure(number, digits = 3) {
  if (number === null) return "–";
  if (number === 0) return "0";
  const size = Math.abs(number);
  const plain = size < 1e6 && size >= 1e-4;
  const rounded = { maximumSignificantDigits: digits };
  const told = plain ? number.toLocaleString("en", rounded) : number.toExponential(digits - 1);
  return told.replaceAll("-", "−");
}

/** 12.4k */
export function short(number) {
  for (const [size, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (number >= size) return `${figure(number / size)}${letter}`;
  }
  return figure(number);
}

/** Round numbers between two, about `count` of them. */
export function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const found = [];
  for (let place = Math.ceil(low / step); place * step <= high; place += 1) found.push(place * step);
  return found;
}

/** Round numbers between two positive ones, fewer of every power of ten until `most` suffice. */
export function logTicks(low, high, most) {
  for (const steps of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]]) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
      for (const step of steps) {
        const tick = Number((step * 10 ** power).toPrecision(3));
        if (tick >= low * 0.999 && tick <= high * 1.001) found.push(tick);
      }
    }
    if (found.length <= most || steps.length === 1) return found;
  }
  return [];
}
