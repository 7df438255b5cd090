// The participant's path: about, questions, review, result.
import { LedgerError } from "../../../device/browser/errors.js";
import { Ledger } from "../../../device/browser/ledger.js";
import { numberUp } from "../shared/bounds.js";
import { byId, fill } from "../shared/element.js";
import { describeStudy, showAccount } from "./about.js";
import { findStudy, readAddress, Trouble } from "./address.js";
import { readNumber } from "./form.js";
import { comeBack, deliver, send, sendAgain } from "./report.js";
import { buildForm, lookOver } from "./review.js";
import { complain, forgive, go, show, stop } from "./steps.js";
import { reportsLeft, reportsToMake, visit } from "./visit.js";

async function start() {
  addEventListener("hashchange", () => location.reload());
  try {
    if (!isSecureContext) throw insecure();
    visit.address = readAddress(location);
    visit.ledger = new Ledger();
    const { study, open, needs_code: needsCode } = await findStudy(visit.address);
    visit.study = study;
    describeStudy(study, visit.address);
    showAccount(visit.ledger);
    wire();
    if (reportsLeft() === 0) return await comeBack();
    if (!open) throw new Trouble("This study has closed", "It takes no more reports.");
    byId("code-question").hidden = !needsCode || Boolean(visit.address.code);
    buildForm(study);
    show("about");
  } catch (error) {
    if (error instanceof Trouble) return stop(error.message, error.words);
    if (!(error instanceof LedgerError)) throw error;
    stop("No account can be kept in this browser", `Nothing was sent: ${error.message}.`);
  }
}

function insecure() {
  return new Trouble(
    "This page needs https",
    "It came over a connection that others can change on its way, so it could not be trusted with " +
      "answers. Open it with an address that begins with https. Nothing was sent.",
  );
}

function wire() {
  addEventListener("popstate", ({ state }) => show(visit.isOver ? "result" : state?.step ?? "about"));
  addEventListener("online", () => visit.isOver && deliver());
  byId("limit-form").addEventListener("submit", setLimit);
  byId("start").addEventListener("submit", begin);
  byId("form").addEventListener("submit", lookOver);
  byId("form").addEventListener("input", ({ target }) => forgive(target.closest(".question")));
  byId("send").addEventListener("click", send);
  byId("again").addEventListener("submit", sendAgain);
  for (const button of document.querySelectorAll("[data-back]")) {
    button.addEventListener("click", () => history.back());
  }
}

function setLimit(event) {
  event.preventDefault();
  const { value, problem } = readNumber(byId("limit").value.trim(), {});
  if (problem || value < 0) return complain(byId("limit"), problem ?? "Write 0 or more.");
  visit.ledger.lifetime = value;
  forgive(byId("limit").closest(".question"));
  showAccount(visit.ledger);
  fill("status", `The limit is ${value}.`);
}

function begin(event) {
  event.preventDefault();
  const { spent, lifetime } = visit.ledger;
  const cost = visit.study.epsilon * reportsToMake();
  if (spent + cost > lifetime + 1e-9) {
    byId("account-details").open = true;
    return complain(
      byId("limit"),
      `This study costs epsilon ${numberUp(cost)}, and that is more than is left. Either do not ` +
        "take part, or set a higher limit first.",
    );
  }
  if (!byId("code-question").hidden) {
    visit.address.code = byId("code").value.trim() || null;
    if (!visit.address.code) return complain(byId("code"), "Write the code of your invitation.");
  }
  go("questions");
}

start();
