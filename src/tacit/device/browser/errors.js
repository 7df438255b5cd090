// What can go wrong, by who can mend it.

export class TacitError extends Error {
  name = this.constructor.name;
}
/** The study file was altered, is of another version, or contradicts itself. */
export class StudyError extends TacitError {}
/** A name, option or number given by the program around this file is wrong. */
export class ConfigurationError extends TacitError {}
/** A record has no label, so there is nothing to report. */
export class MissingLabelError extends TacitError {}
/** Another report would exceed what the study asks for or what the owner allows in all. */
export class BudgetError extends TacitError {}
/** The ledger is damaged or cannot be written: nothing is randomized until that is clear. */
export class LedgerError extends TacitError {}
