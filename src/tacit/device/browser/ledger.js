// What a browser has spent: every debit, and the report it paid for.
import { draw } from "./entropy.js";
import { BudgetError, ConfigurationError, LedgerError } from "./errors.js";
import { requireGenuine } from "./study.js";
import { hex, isPositive } from "./values.js";

/** What a person spends in all unless they decide otherwise: one study at epsilon 8, or several. */
export const DEFAULT_LIFETIME = 8;

const LIFETIME_KEY = "tacit/1/lifetime";
const REPORT_KEY = "tacit/1/report/";
const STATES = ["debited", "ready", "sent", "refused"];
const ROUNDING = 1e-9; // ten reports of 0.1 are 1

/**
 * @typedef {{mark: string, study: string, epsilon: number, state: string, seed: string,
 *   code: string, status: number, reason: string}} Entry  One debit and its report; no answer.
 *   "debited": paid for, no bytes yet; "ready": its bytes wait to be sent; "sent"; "refused".
 */

/**
 * What this browser has spent on this site: one storage item for each report, never removed.
 *
 * Cleared storage, another browser or a private window has a ledger of its own: what was spent
 * elsewhere is then forgotten, and no limit can hold it back. Where the collector must be sure
 * of one report a person, it gives out codes.
 *
 * Two tabs take turns, but a browser may bring what one has stored to the other only a moment
 * after its turn has come (Chromium, between processes). What both do at the same moment is all
 * debited, and may together exceed the limit or the study's number of reports.
 */
export class Ledger {
  #storage;

  /** @param {Storage} [storage] */
  constructor(storage = siteStorage()) {
    this.#storage = storage;
  }

  /** @returns {Entry[]} in no order */
  get entries() {
    const keys = Array.from({ length: this.#storage.length }, (_, i) => this.#storage.key(i));
    return keys.filter((name) => name.startsWith(REPORT_KEY)).map((name) => this.#read(name));
  }

  /** The epsilons of all debits, added up. */
  get spent() {
    return this.entries.reduce((sum, { epsilon }) => sum + epsilon, 0);
  }

  /** The most that all debits together may cost; its owner sets it. */
  get lifetime() {
    const stored = this.#storage.getItem(LIFETIME_KEY);
    const limit = stored === null ? DEFAULT_LIFETIME : parseFloat(stored);
    if (!(limit >= 0)) throw damaged(LIFETIME_KEY);
    return limit;
  }

  set lifetime(limit) {
    if (!Number.isFinite(limit) || limit < 0) {
      throw new ConfigurationError(`lifetime must be a finite number from 0, got ${limit}`);
    }
    this.#write(LIFETIME_KEY, String(limit));
  }

  /** The entries of one study. @param {Study} study @returns {Entry[]} */
  of(study) {
    return this.entries.filter((entry) => entry.study === study.id);
  }

  /**
   * Debit, randomize, keep the bytes: each stored before the next, and nothing sent. A debit
   * that was interrupted is used again: nothing of it ever left the device.
   * @param {Study} study @param {() => Uint8Array} randomizeOnce
   * @returns {Promise<Uint8Array>} its 16 bytes
   */
  async report(study, randomizeOnce) {
    requireGenuine(study);
    return alone(() => {
      const entry = this.#debit(study);
      const seed = randomizeOnce();
      this.#store({ ...entry, state: "ready", seed: hex(seed) });
      return seed;
    });
  }

  /** Note what became of a report; one that was sent stays so. @param {Entry} entry */
  settle({ mark }, changes) {
    const entry = this.#read(REPORT_KEY + mark);
    if (entry.state !== "sent") this.#store({ ...entry, ...changes });
  }

  #store(entry) {
    this.#write(REPORT_KEY + entry.mark, JSON.stringify(entry));
    return entry;
  }

  /** A debit without bytes, an interrupted one first; or an error, and no debit. */
  #debit(study) {
    const made = this.of(study);
    const begun = made.find((entry) => entry.state === "debited");
    if (!begun && made.length >= study.reportsPerPerson) {
      throw new BudgetError(
        `this browser has made the ${made.length} report(s) that the study takes of a person; ` +
          "they can be sent again, which costs nothing, but no other can be made",
      );
    }
    const { spent, lifetime } = this;
    if (spent + (begun ? 0 : study.epsilon) > lifetime + ROUNDING) {
      throw new BudgetError(
        `a report of this study costs epsilon ${study.epsilon}, and ${spent} of the ${lifetime} ` +
          "that this browser allows in all is spent; only its owner may allow more",
      );
    }
    const entry = { mark: hex(draw(8)), study: study.id, epsilon: study.epsilon, state: "debited" };
    return begun ?? this.#store({ ...entry, seed: "", code: "", status: 0, reason: "" });
  }

  #write(name, value) {
    try {
      this.#storage.setItem(name, value);
    } catch (error) {
      throw new LedgerError(`the ledger cannot be written (${error.name}); nothing was randomized`);
    }
    if (this.#storage.getItem(name) !== value) throw damaged(name);
  }

  #read(name) {
    try {
      const entry = JSON.parse(this.#storage.getItem(name));
      const seeded = entry.state === "debited" ? /^$/ : /^[0-9a-f]{32}$/;
      const whole = REPORT_KEY + entry.mark === name && STATES.includes(entry.state);
      const paid = isPositive(entry.epsilon) && /^[0-9a-f]{64}$/.test(entry.study);
      if (whole && paid && seeded.test(entry.seed)) return entry;
    } catch {
      // said below: not JSON, or not an entry
    }
    throw damaged(name);
  }
}

function damaged(name) {
  return new LedgerError(
    `item ${name} of the ledger is damaged, so nothing is randomized; clear this site's storage ` +
      "to start anew, knowing that what was spent is then forgotten",
  );
}

function siteStorage() {
  try {
    return localStorage;
  } catch {
    throw new LedgerError("this browser stores nothing for this page; allow it, or use another");
  }
}

/** One tab at a time: `action` never waits, and reads the storage as this tab knows it. */
const alone = (action) => navigator.locks.request("tacit/1", action);
