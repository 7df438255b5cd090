// The report: made once, sent until it is taken, and what became of it.
import { TacitError } from "../../../device/browser/errors.js";
import { byId, fill } from "../shared/element.js";
import { showAccount } from "./about.js";
import { bytesNodes, outcomeWords } from "./outcome.js";
import { forgetAnswers, readAnswers } from "./review.js";
import { show } from "./steps.js";
import { newDevice, reportsLeft, reportsToMake, visit } from "./visit.js";

/** Randomize what the form says, forget it, and send the bytes. */
export async function send() {
  if (reportsLeft() === 0) return comeBack(); // made in another tab meanwhile
  byId("send").disabled = true;
  fill("status", "Randomizing your answers");
  await new Promise((resume) => setTimeout(resume)); // so that the page shows it
  try {
    const { record, label } = readAnswers();
    const device = newDevice();
    for (let left = reportsToMake(); left > 0; left -= 1) await device.report(record, label);
  } catch (error) {
    if (!(error instanceof TacitError)) throw error;
    fill("send-problem", `Nothing was sent: ${error.message}.`);
    byId("send").disabled = false;
    return;
  }
  forgetAnswers();
  await deliver();
}

/** Nothing is asked of somebody whose reports are made; what waits is sent. */
export async function comeBack() {
  forgetAnswers();
  const waiting = visit.ledger.of(visit.study).some(({ state }) => state !== "sent");
  return waiting ? deliver() : showResult("before");
}

/** Send what waits, as it is, and say what became of it. */
export async function deliver() {
  if (visit.isSending) return;
  visit.isSending = true;
  showResult("sending");
  try {
    if (navigator.onLine) {
      const device = newDevice();
      visit.address.code = null; // the device keeps it with a report; a refused one is forgotten
      await device.send();
    }
  } finally {
    visit.isSending = false;
    const states = visit.ledger.of(visit.study).map(({ state }) => state);
    showResult(["ready", "refused", "sent"].find((state) => states.includes(state)));
  }
}

export function sendAgain(event) {
  event.preventDefault();
  visit.address.code = byId("new-code").value.trim() || visit.address.code;
  deliver();
}

function showResult(state) {
  const made = visit.ledger.of(visit.study).filter(({ seed }) => seed);
  const status = made.find((entry) => entry.state === "refused")?.status;
  const [heading, words] = outcomeWords(state, status);
  fill("result-heading", heading);
  fill("result-words", words);
  fill("bytes", ...bytesNodes(made.map(({ seed }) => seed)));
  byId("outcome").dataset.state = state;
  fill("status", heading);
  showAccount(visit.ledger);
  byId("again").hidden = !(state === "ready" || (state === "refused" && status === 403));
  byId("new-code-question").hidden = state !== "refused";
  if (!visit.isOver) show("result");
  visit.isOver = true;
}
