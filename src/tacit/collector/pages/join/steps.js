// From step to step, and what stands in the way of one.
import { byId, element, fill } from "../shared/element.js";

const STEPS = ["about", "questions", "review", "result"];

export function show(step) {
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
export function go(step) {
  history.pushState({ step }, "");
  show(step);
}

export function stop(heading, words) {
  fill("stop-heading", heading);
  fill("stop-words", element("p", {}, words));
  show("stop");
  byId("steps").hidden = true;
}

/** Say what is wrong beside the field that can mend it. */
export function complain(field, problem) {
  field.closest(".question").querySelector(".problem").textContent = problem;
  field.setAttribute("aria-invalid", "true");
  field.focus();
}

export function forgive(question) {
  question.querySelector(".problem").textContent = "";
  question.querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
  fill("form-problem", "");
}
