// Parts of a study: what is promised, what was refused.
import { byId, element, fill } from "../shared/element.js";
import { whole } from "../shared/numbers.js";
import { say, whenChanged } from "./painted.js";
import { numbersRow } from "./rows.js";

/** The promise itself in full sight, what goes beyond it one step away. */
export function showGuarantee({ guarantee }) {
  whenChanged("guarantee", guarantee, () => {
    const { promise, not_protected: open, assumed } = guarantee;
    const said = promise.map(({ head, text }) => element("p", {}, element("b", {}, `${head}: `), text));
    fill("guarantee", ...said);
    const beyond = [...open, ...assumed.map((each) => `Assumed: ${each}`)];
    fill("caveats", ...beyond.map((each) => element("li", {}, each)));
  });
}

export function showRefusals({ refusals, quarantined }) {
  whenChanged("refusals", [refusals, quarantined], () => {
    const reasons = Object.entries(refusals).sort((a, b) => b[1] - a[1]);
    byId("refusals-table").hidden = !reasons.length;
    byId("no-refusals").hidden = reasons.length > 0;
    fill("refusals", ...reasons.map(([reason, count]) => numbersRow([reason, whole(count)])));
    const damaged = `${whole(quarantined)} reports were damaged in storage. They are set aside and not counted.`;
    say("quarantined", quarantined ? damaged : "");
  });
}
