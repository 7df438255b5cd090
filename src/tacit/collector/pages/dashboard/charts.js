// Charts as inline SVG. Colours come from the style sheet, by class.

import { drawn } from "../shared/element.js";
import { figure, logTicks, short, ticks, whole } from "../shared/numbers.js";

const A_DAY = 864e5; // milliseconds

/** Reports of every day from the first to the last, or to today where that is near. */
export function everyDay(days, today) {
  if (!days.length) return [];
  const counts = new Map(days.map(({ day, count }) => [day, count]));
  const times = days.map(({ day }) => Date.parse(day));
  const [first, last, now] = [Math.min(...times), Math.max(...times), Date.parse(today)];
  const end = now - last <= 62 * A_DAY ? Math.max(last, now) : last; // a clock may be wrong
  const found = [];
  for (let time = first; time <= end; time += A_DAY) {
    const day = new Date(time).toISOString().slice(0, 10);
    found.push({ day, count: counts.get(day) ?? 0 });
  }
  return found;
}

/** Above: all reports so far, with the plan. Below: reports of each day. */
export function arrivals(host, days, plan) {
  const total = days.reduce((sum, { count }) => sum + count, 0);
  const planned = plan ? `, of ${whole(plan)} planned` : "";
  const chart = picture(host, 286, `${whole(total)} reports on ${days.length} days${planned}`);
  const frame = { left: 46, right: chart.width - 12, top: 20, middle: 172, floor: 262 };
  const step = (frame.right - frame.left) / Math.max(1, days.length);
  const x = (place) => frame.left + step * place;
  drawTotal(chart.svg, frame, days, total, plan, x);
  drawDays(chart.svg, frame, days, step, x);
  drawDates(chart.svg, frame, days, step, x);
  host.replaceChildren(chart.svg);
}

function drawTotal(svg, { left, right, top, middle }, days, total, plan, x) {
  const highest = 1.06 * Math.max(total, plan ?? 0, 1);
  const y = (count) => middle - (middle - top) * (count / highest);
  for (const tick of ticks(0, highest, 3)) scaleLine(svg, left, right, y(tick), short(tick));
  let sum = 0;
  const points = [`${left},${middle}`];
  for (const [place, { count }] of days.entries()) {
    sum += count;
    points.push(`${x(place + 1).toFixed(1)},${y(sum).toFixed(1)}`);
  }
  if (days.length) {
    const under = [...points, `${right},${middle}`].join(" ");
    svg.append(
      drawn("polygon", { class: "area", points: under }),
      drawn("polyline", { class: "curve", points: points.join(" ") }),
      drawn("circle", { class: "now", cx: right, cy: y(sum), r: 4.5 }),
    );
  }
  baseLine(svg, left, right, middle);
  if (!plan) return;
  svg.append(
    drawn("line", { class: "plan", x1: left, x2: right, y1: y(plan), y2: y(plan) }),
    text(left + 4, y(plan) - 6, `plan: ${whole(plan)}`, { class: "mark-text" }),
  );
}

function drawDays(svg, { left, right, middle, floor }, days, step, x) {
  const busiest = Math.max(1, ...days.map(({ count }) => count));
  const width = Math.min(56, Math.max(1, 0.8 * step, step - 3));
  let sum = 0;
  for (const [place, { day, count }] of days.entries()) {
    sum += count;
    const height = count ? Math.max(1, (floor - middle - 30) * (count / busiest)) : 0;
    const at = { x: x(place) + (step - width) / 2, y: floor - height, width, height };
    const told = drawn("title", {}, `${day}: ${whole(count)} reports, ${whole(sum)} in all`);
    svg.append(drawn("rect", { class: "day", rx: Math.min(2, width / 3), ...at }, told));
  }
  baseLine(svg, left, right, floor);
  svg.append(
    text(left - 8, middle + 34, short(busiest), { class: "tick", "text-anchor": "end" }),
    text(left, middle + 20, "each day (UTC)", { class: "tick" }),
  );
}

/** As many dates as there is room for, counted from the last. */
function drawDates(svg, { left, right, floor }, days, step, x) {
  const room = Math.max(1, Math.floor((right - left) / 92));
  const apart = Math.max(1, Math.ceil(days.length / room));
  for (let place = days.length - 1; place >= 0; place -= apart) {
    const last = place === days.length - 1;
    const middle = x(place) + step / 2;
    if (!last && middle - left < 14) return;
    const cornered = last && step < 64;
    const anchor = { class: "tick", "text-anchor": cornered ? "end" : "middle" };
    svg.append(text(cornered ? right : middle, floor + 17, niceDay(days[place].day), anchor));
  }
}

function niceDay(day) {
  const how = { day: "numeric", month: "short", timeZone: "UTC" };
  return new Date(day).toLocaleDateString("en-GB", how);
}

/** Expected standard error and its range over people, on logarithmic axes, with marks for now and the plan. */
export function forecast(host, { people, standard_error: errors, low, high }, now, plan) {
  const label = "Expected standard error over the number of people, falling as more report";
  const { svg, width } = picture(host, 236, label);
  const frame = { left: 52, right: width - 14, top: 40, floor: 196 };
  const { left, right, top, floor } = frame;
  const [first, last] = [people[0], people.at(-1)];
  const [least, most] = [Math.min(...low) * 0.9, Math.max(...high) * 1.1];
  const x = (count) => left + (right - left) * (Math.log(count / first) / Math.log(last / first));
  const y = (error) => floor - (floor - top) * (Math.log(error / least) / Math.log(most / least));
  for (const tick of logTicks(least, most, 6)) scaleLine(svg, left, right, y(tick), figure(tick));
  for (const tick of logTicks(first, last, Math.floor(width / 60))) {
    svg.append(text(x(tick), floor + 17, short(tick), { class: "tick", "text-anchor": "middle" }));
  }
  svg.append(text(right, floor + 34, "people", { class: "tick", "text-anchor": "end" }));
  baseLine(svg, left, right, floor);
  const points = (heights) => people.map((count, place) => `${x(count).toFixed(1)},${y(heights[place]).toFixed(1)}`);
  svg.append(drawn("polygon", { class: "range", points: [...points(low), ...points(high).reverse()].join(" ") }));
  svg.append(drawn("polyline", { class: "curve", points: points(errors).join(" ") }));
  for (const [name, count, height] of [["plan", plan, 14], ["now", now, 30]]) {
    if (!count || count < first) continue;
    const error = errorBetween(count, people, errors);
    const told = `${name}: ${short(count)} people, ${figure(error, 2)}`;
    drawMark(svg, frame, { name, told, height, x: Math.min(x(count), right), y: y(error) });
  }
  host.replaceChildren(svg);
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
function errorBetween(count, people, errors) {
  const next = people.findIndex((each) => each >= count);
  if (next <= 0) return next === 0 ? errors[0] : errors.at(-1);
  const share = Math.log(count / people[next - 1]) / Math.log(people[next] / people[next - 1]);
  return errors[next - 1] * (errors[next] / errors[next - 1]) ** share;
}

function picture(host, height, label) {
  const width = Math.max(220, host.clientWidth);
  const named = { role: "img", "aria-label": label };
  return { svg: drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}`, ...named }), width };
}

function text(x, y, content, attributes) {
  return drawn("text", { x, y, ...attributes }, content);
}

function scaleLine(svg, left, right, y, told) {
  svg.append(
    drawn("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }),
    text(left - 8, y + 4, told, { class: "tick", "text-anchor": "end" }),
  );
}

function baseLine(svg, left, right, y) {
  svg.append(drawn("line", { class: "base", x1: left, x2: right, y1: y, y2: y }));
}
