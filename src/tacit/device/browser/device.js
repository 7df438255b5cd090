// One person's part in a study.
import { uniform } from "./entropy.js";
import { Ledger } from "./ledger.js";
import { randomize } from "./randomize.js";
import { preview } from "./record.js";
import { post } from "./sending.js";

const ATTEMPTS = 5;
const FIRST_WAIT = 1000; // milliseconds; doubled every time
const LONGEST_WAIT = 60_000; // a collector that asks for more is left alone until the next call

/** Makes a person's reports under the ledger and sends them. */
export class Device {
  #code;
  #url;

  /**
   * @param {Study} study
   * @param {{collector?: string, ledger?: Ledger, code?: ?string}} [options] the collector's
   *   address (this page's by default); a participation code, which serves one report
   */
  constructor(study, { collector = globalThis.location?.origin, ledger, code } = {}) {
    this.study = study;
    this.ledger = ledger ?? new Ledger();
    this.#code = code ?? "";
    this.#url = `${String(collector).replace(/\/+$/, "")}/studies/${study.id}/reports`;
  }

  /**
   * Make one report and keep it; `send` sends it. Wrong names and a missing label cost nothing.
   * @param {Record} record @param {unknown} label
   * @returns {Promise<Uint8Array>} its 16 bytes
   */
  async report(record, label) {
    preview(this.study, record, label);
    return this.ledger.report(this.study, () => randomize(this.study, record, label));
  }

  /**
   * Send the study's reports that wait: the same bytes, however often it takes.
   * @returns {Promise<{sent: number, waiting: number, refused: number}>} what became of them;
   *   `ledger.of(study)` has status and reason of each
   */
  async send() {
    this.#assignCode();
    const due = this.ledger.of(this.study).filter(({ state }) => state === "ready");
    for (const entry of due) await this.#deliver(entry);
    const marks = new Set(due.map(({ mark }) => mark));
    const became = this.ledger.of(this.study).filter(({ mark }) => marks.has(mark));
    const count = (wanted) => became.filter(({ state }) => state === wanted).length;
    return { sent: count("sent"), waiting: count("ready"), refused: count("refused") };
  }

  /** The code goes to one report, once: to one that has none, or whose own was refused. */
  #assignCode() {
    if (!this.#code) return;
    const made = this.ledger.of(this.study);
    const needsCode = ({ state, code, status }) =>
      state === "ready" ? !code : state === "refused" && status === 403;
    const bearer = made.find(({ code }) => code === this.#code) ?? made.find(needsCode);
    if (!bearer) return;
    this.ledger.settle(bearer, { state: "ready", code: this.#code });
    this.#code = "";
  }

  async #deliver(entry) {
    for (let attempt = 1, wait = FIRST_WAIT; ; attempt++, wait *= 2) {
      const { verdict, pause } = await post(this.#url, entry);
      this.ledger.settle(entry, verdict);
      const longer = Math.max(wait * (0.5 + uniform() / 2), pause);
      if (verdict.state !== "ready" || attempt === ATTEMPTS || longer > LONGEST_WAIT) return;
      await new Promise((resolve) => setTimeout(resolve, longer));
    }
  }
}
