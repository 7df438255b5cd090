// A file that carries its own hash, {"id":"<64 hex>","<key>":<body>} and a newline.
import { StudyError } from "./errors.js";
import { HELP } from "./fields.js";
import { hex } from "./values.js";

/**
 * The content of a file. Its id is the hash of the very bytes of its body, which are sliced out.
 * @param {string | Uint8Array | ArrayBuffer} data @param {string} key what the file is
 * @returns {Promise<{content: unknown, id: string, digest: Uint8Array}>}
 */
export async function readSealed(data, key) {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
  const { id, body } = unwrap(bytes, key);
  if (!globalThis.crypto?.subtle) {
    throw new StudyError("this page cannot check the study file: open it over https");
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body));
  if (hex(digest) !== id) {
    throw new StudyError(`the study file was altered: its content is not that of its id; ${HELP}`);
  }
  return { content: decode(body), id, digest };
}

function unwrap(bytes, key) {
  const start = 76 + key.length;
  const head = String.fromCharCode(...bytes.subarray(0, start));
  const tail = String.fromCharCode(...bytes.subarray(-2));
  const id = head.slice(7, 71);
  const fits = /^[0-9a-f]{64}$/.test(id) && head === `{"id":"${id}","${key}":`;
  if (!fits || tail !== "}\n") {
    throw new StudyError(`not a ${key} file as tacit writes it (${bytes.length} bytes); ${HELP}`);
  }
  return { id, body: bytes.subarray(start, -2) };
}

/** The content of a body: JSON without a space to spare or a key that is repeated. */
function decode(body) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    const content = JSON.parse(text);
    const tokens = /"(?:[^"\\]+|\\.)*"|-?\d[-+.\deE]*/g;
    const shortest = text.replace(tokens, (token) => (token[0] === '"' ? token : +token));
    if (shortest.length === JSON.stringify(content).length) return content;
  } catch {
    // said below: not UTF-8, or not JSON
  }
  throw new StudyError(`the study file is malformed; ${HELP}`);
}

export function deepFreeze(value) {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
