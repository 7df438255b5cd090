// Where a collector may be reached: the rule of device/address.py, which the page's policy allows.

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const NAME = `(?:${LABEL}\\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?`; // a last part of digits is no name
const BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
const PORT =
  "(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";
const PATH = "(?:/(?!\\.\\.?(?:/|$))[a-z0-9._~-]+)*";
const ADDRESS = new RegExp(
  `^(?:https://(?:${NAME}|${BYTE}(?:\\.${BYTE}){3})|http://(?:localhost|127\\.0\\.0\\.1))` +
    `(?::${PORT})?${PATH}$`,
  "i",
);

/** The address without slashes at its end, or null if it is none. */
export function plainAddress(address) {
  const bare = address.replace(/\/+$/, "");
  return ADDRESS.test(bare) ? bare : null;
}
