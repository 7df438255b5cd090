// The answers, which live in the form alone, and how the study reads them.
import { preview } from "../../../device/browser/record.js";
import { byId, element, fill } from "../shared/element.js";
import { featureQuestion, standIn } from "./form.js";
import { labelCountsAs, labelQuestion } from "./label.js";
import { complain, go } from "./steps.js";
import { visit } from "./visit.js";

export function buildForm({ features, label }) {
  visit.questions = [...features.map(featureQuestion), labelQuestion(label)];
  const nodes = visit.questions.map(({ node }) => node);
  fill("features", ...nodes.slice(0, -1));
  fill("label-question", nodes.at(-1));
  byId("features").hidden = features.length === 0;
}

/** Every answer, or null once what is wrong has been explained. */
export function readAnswers() {
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

export function lookOver(event) {
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

export function forgetAnswers() {
  byId("form").reset();
  for (const id of ["features", "label-question", "answers"]) fill(id);
  visit.questions = [];
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
