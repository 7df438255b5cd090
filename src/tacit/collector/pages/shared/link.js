// What a link to the participants' page has after its #, which no server gets to see.

/** With the collector named, a copy of the page works from anywhere, also from a file. */
export function ending({ study, collector, code }) {
  const given = Object.entries({ study, collector, code }).filter(([, value]) => value);
  const plain = (value) => value.replace(/[%&+#]/g, encodeURIComponent);
  return `#${given.map(([name, value]) => `${name}=${plain(value)}`).join("&")}`;
}
