// From the page's address to a study whose hash was checked.
import { StudyError } from "../../../device/browser/errors.js";
import { readStudy } from "../../../device/browser/study.js";
import { plainAddress } from "./plain.js";

/** Why there is nothing to take part in, in words for the person. */
export class Trouble extends Error {
  constructor(heading, words) {
    super(heading);
    this.words = words;
  }
}

/** What stands after the # of the address, which no server gets to see. */
export function readAddress({ hash, origin }) {
  const given = new URLSearchParams(hash.slice(1));
  return {
    id: given.get("study")?.toLowerCase() ?? null,
    code: given.get("code")?.trim() || null,
    collector: checkedCollector(given.get("collector") ?? origin, origin),
  };
}

/** Where the page itself comes from, its policy lets it go in any case. */
function checkedCollector(address, origin) {
  const plain = plainAddress(address) ?? (origin !== "null" && address === origin ? origin : null);
  if (plain !== null) return plain;
  throw new Trouble(
    "This link is not complete",
    `It has to name a collector with an address that begins with https, and it names “${address}”. ` +
      "Ask whoever invited you for the whole link.",
  );
}

/** The study, and what the collector says about it: whether it is open and needs codes. */
export async function findStudy({ id, collector }) {
  const listed = await listStudies(collector, id);
  const wanted = id ?? onlyOpen(listed);
  const study = await fetchStudy(collector, wanted);
  return { study, ...(listed.find((entry) => entry.id === wanted) ?? { open: true }) };
}

/** The list only helps to explain; a study whose id is known can do without. */
async function listStudies(collector, id) {
  try {
    const response = await get(`${collector}/studies`);
    if (response.ok) return await response.json();
  } catch (error) {
    if (!id) throw error;
  }
  return [];
}

function onlyOpen(listed) {
  const open = listed.filter((entry) => entry.open);
  if (open.length === 1) return open[0].id;
  if (open.length === 0) {
    throw new Trouble("No study is open here", "There is nothing to take part in at the moment.");
  }
  throw new Trouble(
    "Which study?",
    "Several studies are open here, and the link does not say which one is meant. Ask whoever " +
      "invited you for the whole link.",
  );
}

async function fetchStudy(collector, id) {
  const response = await get(`${collector}/studies/${encodeURIComponent(id)}`);
  if (response.status === 404) {
    throw new Trouble(
      "No such study",
      "The collector does not know the study of this link. Ask whoever invited you for a new link.",
    );
  }
  if (!response.ok) throw silence();
  const study = await checkedStudy(await response.arrayBuffer());
  if (study.id !== id) throw altered();
  return study;
}

async function checkedStudy(bytes) {
  try {
    return await readStudy(new Uint8Array(bytes));
  } catch (error) {
    if (error instanceof StudyError) throw altered(error.message);
    throw error;
  }
}

async function get(address) {
  try {
    return await fetch(address, { credentials: "omit" });
  } catch {
    throw silence();
  }
}

function altered(detail = "its id is another one than that of the link") {
  return new Trouble(
    "This is not the study of the link",
    "The study that arrived is not the one it claims to be, or is out of order, so this page does " +
      `not use it. Nothing was sent. The reason: ${detail}.`,
  );
}

function silence() {
  return new Trouble(
    "The collector does not answer",
    "The study could not be fetched. Check your connection and load this page again. Nothing was " +
      "sent.",
  );
}
