// All that a visit knows, but for the answers.
import { Device } from "../../../device/browser/device.js";

export const visit = {
  study: null,
  ledger: null,
  address: null,
  questions: [],
  isOver: false,
  isSending: false,
};

export function newDevice() {
  const { collector, code } = visit.address;
  return new Device(visit.study, { collector, ledger: visit.ledger, code });
}

export function reportsLeft() {
  const made = visit.ledger.of(visit.study).filter(({ state }) => state !== "debited");
  return visit.study.reportsPerPerson - made.length;
}

/** All at once, but a code is good for one. */
export function reportsToMake() {
  return visit.address.code ? Math.min(1, reportsLeft()) : reportsLeft();
}
