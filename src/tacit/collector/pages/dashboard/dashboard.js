// The page itself: who may enter, and a look at the collector every few seconds.

import { closeStudy, copyAddress, download, makeCodes, showPageHash } from "./actions.js";
import { ask, dropToken, Refused, storedToken, storeToken, unknownToken } from "./ask.js";
import { byId, element, fill } from "../shared/element.js";
import { say, whenChanged } from "./painted.js";
import { drawCharts, show, showNothing } from "./shown.js";

const EVERY = 3000; // milliseconds between two looks
const SLOWEST = 30000; // between two tries while the collector is away
const STALE = "The collector does not know this token any more.";

const watch = { study: null, failures: 0, round: 0, timer: null, answered: null };

async function signIn(event) {
  event.preventDefault();
  const token = byId("token").value.trim();
  say("token-error", "");
  try {
    if (!/^[\x21-\x7e]+$/.test(token)) throw new Refused(401, "");
    await ask("metrics", { token, as: "text" });
  } catch (error) {
    return refuseToken(error);
  }
  storeToken(token);
  byId("token").value = "";
  return enter();
}

function refuseToken(error) {
  const wrong = unknownToken(error);
  const told = error instanceof Refused ? error.message : "The collector cannot be reached. Is it running?";
  say("token-error", wrong ? "The collector does not know this token." : told);
  byId("token").setAttribute("aria-invalid", String(wrong));
  byId("token").select();
}

function forget(reason = "") {
  dropToken();
  clearTimeout(watch.timer);
  watch.round += 1;
  showNothing();
  for (const id of ["desk", "study", "forget"]) byId(id).hidden = true;
  byId("gate").hidden = false;
  tell("", "");
  say("token-error", reason);
  byId("token").focus();
}

function enter() {
  byId("gate").hidden = true;
  byId("desk").hidden = false;
  byId("forget").hidden = false;
  tell("waiting", "Asking the collector…");
  return look();
}

async function look() {
  clearTimeout(watch.timer);
  const round = (watch.round += 1);
  try {
    const studies = await ask("studies");
    const chosen = choose(studies);
    const found = chosen && (await ask(`studies/${chosen}/progress`));
    if (round !== watch.round) return;
    listStudies(studies, chosen);
    if (found) show(found);
    byId("study").hidden = !found;
    Object.assign(watch, { failures: 0, answered: new Date() });
    tell("live", "Live");
  } catch (error) {
    if (round !== watch.round) return;
    if (unknownToken(error)) return forget(STALE);
    watch.failures += 1;
    tell("away", missing(error));
  }
  const wait = watch.failures ? Math.min(SLOWEST, EVERY * 1.5 ** (watch.failures - 1)) : EVERY;
  watch.timer = setTimeout(look, document.hidden ? SLOWEST : wait);
}

function missing(error) {
  if (error instanceof Refused) return error.message;
  const since = watch.answered ? ` since ${watch.answered.toLocaleTimeString("en-GB", { timeStyle: "short" })}` : "";
  return `Unreachable${since}; trying again`;
}

function tell(kind, text) {
  byId("status").dataset.kind = kind;
  document.body.classList.toggle("stale", kind === "away");
  say("status", text);
}

function choose(studies) {
  const asked = new URLSearchParams(location.hash.slice(1)).get("study") ?? watch.study;
  const found = studies.find(({ id }) => id === asked) ?? studies.find(({ open }) => open) ?? studies[0];
  watch.study = found?.id ?? null;
  return watch.study;
}

function listStudies(studies, chosen) {
  whenChanged("studies", [studies, chosen], () => {
    fill("studies", ...studies.map((study) => element("li", {}, studyLink(study, study.id === chosen))));
    byId("no-studies").hidden = studies.length > 0;
  });
}

function studyLink({ id, title, open }, current) {
  return element("a", { href: `#study=${id}`, "aria-current": current && "page" },
    element("span", {}, title || `study ${id.slice(0, 12)}`),
    element("small", { class: "muted" }, open ? "open" : "closed"));
}

byId("sign-in").addEventListener("submit", signIn);
byId("forget").addEventListener("click", () => forget());
byId("copy").addEventListener("click", copyAddress);
byId("codes").addEventListener("submit", makeCodes);
byId("segment").addEventListener("submit", (event) => {
  event.preventDefault();
  download(event.submitter, `segments/${byId("day").value}`, `${byId("day").value}.parquet`);
});
for (const button of document.querySelectorAll("[data-path]")) {
  button.addEventListener("click", () => download(button, button.dataset.path, button.dataset.file));
}
byId("close").addEventListener("click", () => byId("confirm").showModal());
byId("keep-open").addEventListener("click", () => byId("confirm").close());
byId("close-for-ever").addEventListener("click", closeStudy);
window.addEventListener("hashchange", () => storedToken() && look());
document.addEventListener("visibilitychange", () => !document.hidden && storedToken() && look());
window.addEventListener("changed", look);
window.addEventListener("unknown-token", () => forget(STALE));
new ResizeObserver(drawCharts).observe(byId("study"));
showPageHash();
if (storedToken()) enter();
else forget();
