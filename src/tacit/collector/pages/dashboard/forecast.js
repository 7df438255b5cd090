// The standard error to expect over the number of people, and how far it may be off.

import { drawn } from "../shared/element.js";
import { figure, logTicks, short } from "../shared/numbers.js";
import { baseLine, picture, scaleLine, text } from "./chart.js";

/**
 * The median of the possible truths and a band from 10% to 90%, on logarithmic axes, with marks for
 * now and the plan.
 * @param {HTMLElement} host
 * @param {{people: number[], low: ?number[], median: ?number[], high: ?number[]}} expected
 * @param {number} now people so far
 * @param {?number} plan people planned
 */
export function forecast(host, expected, now, plan) {
  const label = "Expected standard error over the number of people, falling as more report, with its range";
  const { svg, width } = picture(host, 236, label);
  const frame = { left: 52, right: width - 14, top: 40, floor: 196 };
  const points = pointsOf(expected);
  if (points.length > 1) drawForecast(svg, frame, points, now, plan);
  else svg.append(text(frame.left, 120, "No number of people shown here is enough.", { class: "tick" }));
  host.replaceChildren(svg);
}

/** Where all three are known; beyond, the standard error may be endless. */
function pointsOf({ people, low, median, high }) {
  return people
    .map((count, at) => ({ count, low: low[at], median: median[at], high: high[at] }))
    .filter((point) => point.median !== null && point.high !== null);
}

function drawForecast(svg, frame, points, now, plan) {
  const { left, right, top, floor } = frame;
  const [first, last] = [points[0].count, points.at(-1).count];
  const least = Math.min(...points.map((point) => point.low)) * 0.9;
  const most = Math.max(...points.map((point) => point.high)) * 1.1;
  const x = (count) => left + (right - left) * (Math.log(count / first) / Math.log(last / first));
  const y = (error) => floor - (floor - top) * (Math.log(error / least) / Math.log(most / least));
  for (const tick of logTicks(least, most, 6)) scaleLine(svg, left, right, y(tick), figure(tick));
  for (const tick of logTicks(first, last, Math.floor((right - left) / 54))) {
    svg.append(text(x(tick), floor + 17, short(tick), { class: "tick", "text-anchor": "middle" }));
  }
  svg.append(text(right, floor + 34, "people", { class: "tick", "text-anchor": "end" }));
  baseLine(svg, left, right, floor);
  const along = (name) => points.map((point) => `${x(point.count).toFixed(1)},${y(point[name]).toFixed(1)}`);
  const band = [...along("low"), ...along("high").reverse()].join(" ");
  svg.append(
    drawn("polygon", { class: "range", points: band }),
    drawn("polyline", { class: "curve", points: along("median").join(" ") }),
  );
  for (const [name, count, height] of [["plan", plan, 14], ["now", now, 30]]) {
    if (!count || count < first) continue;
    const error = errorBetween(count, points);
    const told = `${name}: ${short(count)} people, ${figure(error, 2)}`;
    drawMark(svg, frame, { name, told, height, x: Math.min(x(count), right), y: y(error) });
  }
}

function drawMark(svg, { right, floor }, { name, told, height, x, y }) {
  const far = x > right - 136;
  const anchor = { class: "mark-text", "text-anchor": far ? "end" : "start" };
  svg.append(
    drawn("line", { class: `${name}-line`, x1: x, x2: x, y1: height + 4, y2: floor }),
    drawn("circle", { class: name === "now" ? "now" : "goal", cx: x, cy: y, r: 4.5 }),
    text(x + (far ? 5 : -5), height, told, anchor),
  );
}

/** Between two points of the forecast, straight on logarithmic axes. */
function errorBetween(count, points) {
  const next = points.findIndex((point) => point.count >= count);
  if (next <= 0) return points.at(next).median; // at the first, or beyond the last
  const [one, other] = [points[next - 1], points[next]];
  const share = Math.log(count / one.count) / Math.log(other.count / one.count);
  return one.median * (other.median / one.median) ** share;
}
