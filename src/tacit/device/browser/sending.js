// The one place that uses the network: a report goes to a collector, and its answer is judged.
import { isText, unhex } from "./values.js";

const PERMANENT = [400, 403, 404, 409, 410, 413];
const PATIENCE = 30_000; // milliseconds

/**
 * Send 16 bytes. Only a collector's own words settle a report: a hotel's log-in page may not.
 * @param {string} url @param {Entry} entry
 * @returns {Promise<{verdict: object, pause: number}>} what changes in the ledger, and how many
 *   milliseconds the collector asks to wait
 */
export async function post(url, { seed, code }) {
  const headers = { "Content-Type": "application/octet-stream" };
  if (code) headers["Tacit-Code"] = code;
  try {
    const response = await fetch(url, {
      method: "POST", headers, body: unhex(seed), credentials: "omit", redirect: "error",
      referrerPolicy: "no-referrer", cache: "no-store", signal: AbortSignal.timeout(PATIENCE),
    });
    const answer = (await response.json().catch(() => null)) ?? {};
    const pause = 1000 * (Number(response.headers.get("Retry-After")) || 0);
    return { verdict: verdictOf(response.status, answer), pause };
  } catch (error) {
    const reason = `no connection (${error.name})`;
    return { verdict: { state: "ready", status: 0, reason }, pause: 0 };
  }
}

/** The code is forgotten once the report is settled; until then it stays with it. */
function verdictOf(status, { reports, error }) {
  if (status === 200 && reports === 1) return { state: "sent", status, reason: "", code: "" };
  const isRefusal = PERMANENT.includes(status) && isText(error);
  if (isRefusal) return { state: "refused", status, reason: error, code: "" };
  return { state: "ready", status, reason: isText(error) ? error : `the answer was ${status}` };
}
