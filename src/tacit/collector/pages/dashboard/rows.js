// A row of a plain table.

import { element } from "../shared/element.js";

/** A name, then numbers. @param {string[]} told */
export function numbersRow([name, ...numbers]) {
  const cells = numbers.map((each) => element("td", { class: "number" }, each));
  return element("tr", {}, element("th", { scope: "row" }, name), ...cells);
}
