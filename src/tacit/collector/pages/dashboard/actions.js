// What an analyst can do with a study: download, invite, close.

import { ask, Refused, unknownToken } from "./ask.js";
import { byId, element } from "../shared/element.js";
import { whole } from "../shared/numbers.js";
import { say } from "./painted.js";
import { shownStudy } from "./shown.js";

function save(content, name) {
  const url = URL.createObjectURL(content);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function fileName(rest) {
  const title = shownStudy().title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return `${title || shownStudy().id.slice(0, 12)}-${rest}`;
}

/** Do something with a button: once at a time, and tell how it went beside it. */
async function act(button, said, doing, work) {
  button.disabled = true;
  say(said, doing);
  byId(said).classList.remove("bad");
  try {
    say(said, await work());
  } catch (error) {
    if (unknownToken(error)) return window.dispatchEvent(new Event("unknown-token"));
    byId(said).classList.add("bad");
    say(said, error instanceof Refused ? error.message : "The collector is unreachable; try again.");
  } finally {
    button.disabled = false;
  }
}

export function download(button, path, name) {
  const file = fileName(name);
  return act(button, "download-said", `Fetching ${file}…`, async () => {
    save(await ask(`studies/${shownStudy().id}/${path}`, { as: "blob" }), file);
    return `Saved ${file}.`;
  });
}

export function makeCodes(event) {
  event.preventDefault();
  const count = byId("code-count").valueAsNumber;
  const address = byId("address").value;
  act(event.submitter, "invite-said", "Making codes…", async () => {
    const order = { method: "POST", body: JSON.stringify({ count }) };
    const { codes } = await ask(`studies/${shownStudy().id}/codes`, order);
    const lines = codes.map((code) => `${code}\t${address}&code=${code}\n`);
    save(new Blob(["code\taddress\n", ...lines], { type: "text/plain" }), fileName("codes.txt"));
    return `Saved ${whole(codes.length)} code${codes.length === 1 ? "" : "s"}, each with its address.`;
  });
}

export async function copyAddress() {
  byId("address").select();
  try {
    await navigator.clipboard.writeText(byId("address").value);
    say("invite-said", "Copied.");
  } catch {
    say("invite-said", "Selected: press Ctrl+C to copy.");
  }
}

export function closeStudy() {
  byId("confirm").close();
  act(byId("close"), "close-said", "Closing…", async () => {
    await ask(`studies/${shownStudy().id}/close`, { method: "POST" });
    window.dispatchEvent(new Event("changed"));
    return "Closed.";
  });
}

export async function showPageHash() {
  const hashes = await fetch("pages.json").then((answer) => answer.json()).catch(() => ({}));
  say("page-hash", hashes.join ?? "not known: the collector did not tell");
}
