// The chart and the list of days, each drawn again once what it shows has changed.
import { byId, element, fill } from "../shared/element.js";
import { whole } from "../shared/numbers.js";
import { arrivals, everyDay } from "./arrivals.js";
import { say, whenChanged } from "./painted.js";

function today() {
  return new Date().toISOString().slice(0, 10);
}

/** Days that can be had as a file; a choice made stays. */
export function listDays(found) {
  const closed = found.days.filter(({ day }) => !found.open || day < today()).reverse();
  const none = found.days.length ? "the first day is not over" : "no reports yet";
  whenChanged("closed days", [closed, none], () => {
    const kept = byId("day").value;
    const told = ({ day, count }) => `${day} (${whole(count)} reports)`;
    const options = closed.map((each) => element("option", { value: each.day }, told(each)));
    fill("day", ...(options.length ? options : [element("option", { value: "" }, none)]));
    if (closed.some(({ day }) => day === kept)) byId("day").value = kept;
    byId("segment").querySelector("button").disabled = !closed.length;
  });
}

export function drawArrivals(found) {
  const plan = found.planned && found.planned * found.reports_per_person;
  const days = everyDay(found.days, found.open ? today() : "1970-01-01");
  const since = `Since ${days[0]?.day}. The collector keeps no time finer than a day.`;
  say("arrivals-note", days.length ? since : "Nothing has arrived yet.");
  const host = byId("arrivals");
  whenChanged("arrivals", [days, plan, host.clientWidth], () => arrivals(host, days, plan));
}
