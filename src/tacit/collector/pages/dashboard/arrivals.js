// Reports as they arrived, day by day.

import { drawn } from "../shared/element.js";
import { short, ticks, whole } from "../shared/numbers.js";
import { baseLine, picture, scaleLine, text } from "./chart.js";

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
