// A form from a study's questions. It reads answers and explains; it sends nothing.
import { element } from "../shared/element.js";

const MOST_RADIOS = 6;
const UNSAID = "";
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)$/;

/**
 * One question on the page.
 * @typedef {object} Question
 * @property {string} name as the study calls it
 * @property {string} words as it is put to a person
 * @property {HTMLElement} node
 * @property {() => {value?: string | number | null, problem?: string, field: HTMLElement}} read
 * @property {(value: string | number | null) => string} say an answer in words
 */

/** @returns {Question} */
export function featureQuestion(feature, place) {
  const asked = { id: `q${place}`, name: feature.name, words: feature.question || feature.name };
  if (feature.kind === "numeric") {
    const around = feature.fill - feature.spread;
    return numberQuestion({ ...asked, unit: feature.unit, negative: around < 0, optional: true });
  }
  if (feature.kind === "binary") {
    return choiceQuestion({ ...asked, options: [["yes", "Yes"], ["no", "No"]], optional: true });
  }
  return choiceQuestion({ ...asked, ...levelOptions(feature), optional: true });
}

/** What stands in for an answer that is missing or impossible. */
export function standIn(feature) {
  if (feature.kind === "categorical") return `“${feature.levels[0]}”`;
  if (feature.kind === "binary") return feature.fill ? "“Yes”" : "“No”";
  return withUnit(Number(feature.fill.toPrecision(3)), feature.unit);
}

/** Levels too rare in the public rows count as "other", or as the baseline if that is rare too. */
function levelOptions({ levels, merged }) {
  const options = levels.map((level) => [level, level]);
  if (!merged.length) return { options };
  const hasOther = levels.includes("other");
  if (!hasOther) options.push([merged[0], "another answer"]);
  const some = merged.slice(0, 3).join(", ");
  const more = merged.length > 3 ? ` and ${merged.length - 3} more` : "";
  const name = hasOther ? "other" : "another answer";
  return { options, hint: `“${name}” is for whatever is not listed, such as ${some}${more}.` };
}

export function numberQuestion({ id, name, words, unit, hint, whole, negative, optional }) {
  const input = element("input", {
    id,
    type: "text",
    inputmode: negative ? "text" : whole ? "numeric" : "decimal",
    autocomplete: "off",
    "aria-describedby": `${id}-hint ${id}-problem`,
  });
  const refuse = element("input", { type: "checkbox", id: `${id}-unsaid`, autocomplete: "off" });
  refuse.addEventListener("change", () => (input.disabled = refuse.checked));
  const node = element(
    "div",
    { class: "question", role: "group", "aria-labelledby": `${id}-words` },
    element("label", { for: id, id: `${id}-words` }, words),
    element("div", { class: "field" }, input, element("span", { class: "unit muted" }, unit)),
    element("p", { class: "hint small muted", id: `${id}-hint` }, hint || ""),
    ...(optional ? [element("label", { class: "option" }, refuse, "Prefer not to say")] : []),
    problemNode(id),
  );
  const read = () => {
    if (refuse.checked) return { value: null, field: input };
    return { ...readNumber(input.value.trim(), { whole, optional }), field: input };
  };
  return { name, words, node, read, say: (value) => withUnit(value, unit) };
}

/** A number as it was written, or what is wrong with it. */
export function readNumber(written, { whole, optional }) {
  const otherwise = optional ? ", or choose “Prefer not to say”" : "";
  if (!written) return { problem: `Write a number here${otherwise}.` };
  if (written.includes(",")) {
    return { problem: "Write it with a point and without thousands marks: 1.5 or 1500." };
  }
  if (!DECIMAL.test(written)) {
    return { problem: `Write it in digits only, such as ${whole ? "3" : "3 or 4.5"}${otherwise}.` };
  }
  if (whole && !/^\+?\d+\.?0*$/.test(written)) {
    return { problem: "Write a whole number, 0 or more." };
  }
  return { value: Number(written) };
}

export function choiceQuestion({ id, name, words, options, hint, optional }) {
  const pairs = optional ? [...options, [UNSAID, "Prefer not to say"]] : options;
  const build = pairs.length <= MOST_RADIOS ? radios : select;
  const { node, chosen, field } = build({ id, words, hint, pairs });
  const read = () => {
    const value = chosen();
    if (value === undefined) {
      return { problem: optional ? "Choose one, or “Prefer not to say”." : "Choose one.", field };
    }
    return { value: value === UNSAID ? null : value, field };
  };
  return { name, words, node, read, say: (value) => options.find(([option]) => option === value)[1] };
}

function radios({ id, words, hint, pairs }) {
  const inputs = pairs.map(([value]) =>
    element("input", { type: "radio", name: id, value, autocomplete: "off" }),
  );
  const node = element(
    "fieldset",
    { class: "question", "aria-describedby": `${id}-hint ${id}-problem` },
    element("legend", {}, words),
    element("p", { class: "hint small muted", id: `${id}-hint` }, hint || ""),
    ...pairs.map(([, text], place) => element("label", { class: "option" }, inputs[place], text)),
    problemNode(id),
  );
  return { node, field: inputs[0], chosen: () => inputs.find((input) => input.checked)?.value };
}

function select({ id, words, hint, pairs }) {
  const list = element(
    "select",
    { id, autocomplete: "off", "aria-describedby": `${id}-hint ${id}-problem` },
    element("option", { disabled: true, selected: true }, "Choose"),
    ...pairs.map(([value, text]) => element("option", { value }, text)),
  );
  const node = element(
    "div",
    { class: "question" },
    element("label", { for: id }, words),
    list,
    element("p", { class: "hint small muted", id: `${id}-hint` }, hint || ""),
    problemNode(id),
  );
  return { node, field: list, chosen: () => pairs[list.selectedIndex - 1]?.[0] };
}

function problemNode(id) {
  return element("p", { class: "problem small bad", id: `${id}-problem` });
}

export function withUnit(value, unit) {
  return unit ? `${value} ${unit}` : String(value);
}
