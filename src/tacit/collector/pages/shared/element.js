// Nodes without markup in text: whatever a study file says is shown as text, never run.

/**
 * @param {string} tag
 * @param {Record<string, string | boolean>} [attributes] true sets an empty one, false leaves it out
 * @param {...(Node | string)} children
 */
export function element(tag, attributes = {}, ...children) {
  return dressed(document.createElement(tag), attributes, children);
}

/** As `element`, for pictures. */
export function drawn(tag, attributes = {}, ...children) {
  return dressed(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** The one node with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Put text or nodes into the node with this id, in place of what it held. */
export function fill(id, ...children) {
  byId(id).replaceChildren(...children);
}

function dressed(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}
