// The participant's path: about, questions, review, result. Answers live in the form alone.
import { Device, Ledger, LedgerError, preview, TacitError } from "./device.js";
import { describeStudy, showAccount, shownEpsilon } from "./about.js";
import { findStudy, readAddress, Trouble } from "./address.js";
import { byId, element, fill } from "./element.js";
import { featureQuestion, labelCountsAs, labelQuestion, readNumber, standIn } from "./form.js";
import { bytesNodes, outcomeWords } from "./outcome.js";

const STEPS = ["about", "questions", "review", "result"];

/** All that a visit knows, but for the answers. */
const visit = { study: null, ledger: null, address: null, questions: [], isOver: false, isSending: false };

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

// ---------------------------------------------------------------- steps

function show(step) {
  byId("steps").hidden = false;
  for (const name of [...STEPS, "stop"]) byId(name).hidden = name !== step;
  for (const item of byId("steps").children) {
    const place = STEPS.indexOf(item.dataset.step) - STEPS.indexOf(step);
    item.classList.toggle("done", place < 0);
    if (place === 0) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  }
  byId(step).querySelector("h1").focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** The browser's own Back leads back through the steps, but never behind a report. */
function go(step) {
  history.pushState({ step }, "");
  show(step);
}

function stop(heading, words) {
  fill("stop-heading", heading);
  fill("stop-words", element("p", {}, words));
  show("stop");
  byId("steps").hidden = true;
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
  fill("status", `The limit is ${shownEpsilon(value)}.`);
}

function begin(event) {
  event.preventDefault();
  const { spent, lifetime } = visit.ledger;
  const cost = visit.study.epsilon * reportsToMake();
  if (spent + cost > lifetime + 1e-9) {
    byId("account-details").open = true;
    return complain(
      byId("limit"),
      `This study costs epsilon ${shownEpsilon(cost)}, and that is more than is left. Either do ` +
        "not take part, or set a higher limit first.",
    );
  }
  if (!byId("code-question").hidden) {
    visit.address.code = byId("code").value.trim() || null;
    if (!visit.address.code) return complain(byId("code"), "Write the code of your invitation.");
  }
  go("questions");
}

// ---------------------------------------------------------------- answers

function buildForm({ features, label }) {
  visit.questions = [...features.map(featureQuestion), labelQuestion(label)];
  const nodes = visit.questions.map(({ node }) => node);
  fill("features", ...nodes.slice(0, -1));
  fill("label-question", nodes.at(-1));
  byId("features").hidden = features.length === 0;
}

/** Every answer, or null once what is wrong has been explained. */
function readAnswers() {
  const found = visit.questions.map((question) => question.read());
  const wrong = found.filter(({ problem }) => problem);
  const many = wrong.length === 1 ? "One answer is" : `${wrong.length} answers are`;
  fill("form-problem", wrong.length ? `${many} still missing or unclear.` : "");
  wrong.reverse().forEach(({ field, problem }) => complain(field, problem));
  if (wrong.length) return null;
  const values = found.map(({ value }) => value);
  const names = visit.study.features.map(({ name }) => name);
  const record = Object.fromEntries(names.map((name, place) => [name, values[place]]));
  return { record, label: values.at(-1) };
}

function complain(field, problem) {
  field.closest(".question").querySelector(".problem").textContent = problem;
  field.setAttribute("aria-invalid", "true");
  field.focus();
}

function forgive(question) {
  question.querySelector(".problem").textContent = "";
  question.querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
  fill("form-problem", "");
}

function lookOver(event) {
  event.preventDefault();
  const answers = readAnswers();
  if (!answers) return;
  const { features, label } = visit.study;
  const replaced = new Set(preview(visit.study, answers.record, answers.label).replaced);
  const notes = features.map((feature) =>
    replaced.has(feature.name) ? replacedNote(feature, answers.record[feature.name]) : "",
  );
  const counted = labelCountsAs(label, answers.label);
  notes.push(counted === null ? "" : `The study counts it as ${counted}.`);
  const values = [...features.map(({ name }) => answers.record[name]), answers.label];
  const rows = visit.questions.map(({ words, say }, place) =>
    answerRow(words, values[place] === null ? "Not said" : say(values[place]), notes[place]),
  );
  fill("answers", ...rows);
  fill("with-code", visit.address.code ? " and your code" : "");
  fill("send-problem");
  go("review");
}

function replacedNote(feature, value) {
  const isWild = value !== null && feature.kind === "numeric";
  const why = isWild ? "It is too far out to be taken for an answer. " : "";
  return `${why}The study puts ${standIn(feature)} in its place.`;
}

function answerRow(words, answer, note) {
  const shown = element("dd", {}, answer);
  if (note) shown.append(element("small", { class: "muted" }, note));
  return element("div", {}, element("dt", {}, words), shown);
}

// ---------------------------------------------------------------- the report

/** Randomize what the form says, forget it, and send the bytes. */
async function send() {
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

function forgetAnswers() {
  byId("form").reset();
  for (const id of ["features", "label-question", "answers"]) fill(id);
  visit.questions = [];
}

/** Nothing is asked of somebody whose reports are made; what waits is sent. */
async function comeBack() {
  forgetAnswers();
  const waiting = visit.ledger.of(visit.study).some(({ state }) => state !== "sent");
  return waiting ? deliver() : showResult("before");
}

/** Send what waits, as it is, and say what became of it. */
async function deliver() {
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

function sendAgain(event) {
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

function newDevice() {
  const { collector, code } = visit.address;
  return new Device(visit.study, { collector, ledger: visit.ledger, code });
}

function reportsLeft() {
  const made = visit.ledger.of(visit.study).filter(({ state }) => state !== "debited");
  return visit.study.reportsPerPerson - made.length;
}

/** All at once, but a code is good for one. */
function reportsToMake() {
  return visit.address.code ? Math.min(1, reportsLeft()) : reportsLeft();
}

start();
