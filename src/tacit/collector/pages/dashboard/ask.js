// Requests to the collector. The token goes into a header, never into an address.

const PATIENCE = 60000; // milliseconds for one answer: the first fit of a large study takes a while
const KEY = "tacit-admin-token";

/** The collector's own no, with its status and what it said. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Whether an error means that the token is not the collector's. */
export function unknownToken(error) {
  return error instanceof Refused && error.status === 401;
}

/** The token of this tab, if there is one. */
export function storedToken() {
  return sessionStorage.getItem(KEY);
}

export function storeToken(token) {
  sessionStorage.setItem(KEY, token);
}

export function dropToken() {
  sessionStorage.removeItem(KEY);
}

/**
 * @param {string} path below the collector's address
 * @param {{method?: string, body?: string, token?: string, as?: "json" | "text" | "blob"}} [how]
 */
export async function ask(path, { method = "GET", body, token = storedToken(), as = "json" } = {}) {
  const headers = { Authorization: `Bearer ${token}` };
  if (body) headers["Content-Type"] = "application/json";
  const signal = AbortSignal.timeout(PATIENCE);
  const privately = { cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer" };
  const answer = await fetch(path, { method, body, headers, signal, ...privately });
  if (answer.ok) return answer[as]();
  const told = await answer.json().catch(() => ({}));
  throw new Refused(answer.status, told.error ?? `The collector answered ${answer.status}.`);
}
