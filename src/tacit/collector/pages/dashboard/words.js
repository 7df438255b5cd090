// What is known and what is not, in plain words.

import { figure, whole } from "../shared/numbers.js";

const ABSURD = 1e8; // people that nobody has

/** An interval whose ends may be open. @param {?number} low @param {?number} high */
export function interval(low, high) {
  if (low === null && high === null) return "nothing yet";
  if (low === null) return `below ${figure(high)}`;
  if (high === null) return `above ${figure(low)}`;
  return `[${figure(low)}, ${figure(high)}]`;
}

/** @param {number} p */
export function pValue(p) {
  if (p < 0.0001) return "<0.0001";
  return p < 0.0995 ? figure(p, 2) : p.toFixed(2);
}

/** @param {number} z */
export function zValue(z) {
  return z.toFixed(Math.abs(z) < 9.995 ? 2 : 1).replace("-", "−");
}

/** People in two digits: a plan knows no more. @param {number} people */
export function about(people) {
  return whole(Number(people.toPrecision(2)));
}

/**
 * How many people one coefficient takes, by the plan.
 * @param {?number} needed null if no number is enough
 * @param {number} people so far
 */
export function takes(needed, people) {
  if (needed === null) return "no number of people is enough with these public rows";
  if (needed > ABSURD) return `takes more than ${whole(ABSURD)} people`;
  if (needed > people) return `takes about ${about(needed)} people`;
  return `takes more people than the ${about(needed)} that the plan expected`;
}

/** One sentence on all coefficients. @param {number} missing @param {number} all @param {?number} width */
export function notKnown(missing, all, width) {
  const wide = width ? ` or more than ${figure(width)} wide` : "";
  if (missing === all && all > 1) return `None of the ${all} coefficients is known yet: their intervals are open${wide}.`;
  if (missing === 1) return `1 of ${all} coefficients is not known yet: its interval is open${wide}.`;
  return `${missing} of ${all} coefficients are not known yet: their intervals are open${wide}.`;
}

/**
 * How many people those take that are not known: the next of them, and the plan as a whole.
 * @param {(?number)[]} needed null where no number is enough
 * @param {number} people so far
 * @param {?number} planned
 */
export function takesAll(needed, people, planned) {
  const ahead = needed.filter((each) => each !== null && each > people && each <= ABSURD);
  const beyond = needed.filter((each) => each === null || each > planned).length;
  const told = [];
  if (ahead.length) told.push(`By the plan the next takes about ${about(Math.min(...ahead))} people in all.`);
  if (planned && beyond) {
    const [takeMore, levels] = beyond === 1 ? ["One takes", "it"] : [`${beyond} take`, "them"];
    told.push(`${takeMore} more than the ${whole(planned)} planned; merging rare levels would help ${levels}.`);
  }
  return told.join(" ");
}
