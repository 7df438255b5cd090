// Only what changed is drawn again: nothing flickers, selections stay.
import { byId } from "../shared/element.js";

const painted = new Map(); // what each part was last drawn from

export function paintAnew() {
  painted.clear();
}

/** Put text into a node, unless it is there already. */
export function say(id, text) {
  const node = byId(id);
  if (node.textContent !== text) node.textContent = text;
}

export function whenChanged(name, value, redraw) {
  const text = JSON.stringify(value) ?? "";
  if (painted.get(name) === text) return;
  painted.set(name, text);
  redraw();
}
