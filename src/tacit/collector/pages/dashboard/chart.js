// What every chart has, as inline SVG. Colours come from the style sheet, by class.

import { drawn } from "../shared/element.js";

/** An empty picture as wide as its host. @param {HTMLElement} host */
export function picture(host, height, label) {
  const width = Math.max(220, host.clientWidth);
  const named = { role: "img", "aria-label": label };
  return { svg: drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}`, ...named }), width };
}

export function text(x, y, content, attributes) {
  return drawn("text", { x, y, ...attributes }, content);
}

export function scaleLine(svg, left, right, y, told) {
  svg.append(
    drawn("line", { class: "grid", x1: left, x2: right, y1: y, y2: y }),
    text(left - 8, y + 4, told, { class: "tick", "text-anchor": "end" }),
  );
}

export function baseLine(svg, left, right, y) {
  svg.append(drawn("line", { class: "base", x1: left, x2: right, y1: y, y2: y }));
}
