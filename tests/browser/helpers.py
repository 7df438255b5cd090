"""A page that has nothing but device.js, and the vectors to hold it to."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tacit.study import Study
from tests.vectors import make

ORIGIN = "http://localhost"
SOURCE = files("tacit.collector.pages").joinpath("device.js").read_text(encoding="utf-8")
INTERNAL = "codedVector, coinThreshold, meanLength, normalised, number, text, uniform"
HTML = '<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,"></html>'
VECTORS = {
    name: json.loads((Path(make.__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("studies", "encoding", "labels", "expansion", "accept")
}
STUDY_FILES = {case["name"]: case["file"] for case in VECTORS["studies"]["good"]}

_SERVED = {
    "/": ("text/html", HTML),
    "/device.js": ("text/javascript", SOURCE),
    "/inside.js": ("text/javascript", f"{SOURCE}\nexport {{ {INTERNAL} }};\n"),
}
_PRELUDE = """
    const D = await import("/device.js");
    const unhex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (x) => parseInt(x, 16));
    const hex = (bytes) => Array.from(bytes, (x) => x.toString(16).padStart(2, "0")).join("");
    const FLOATS = { nan: NaN, inf: Infinity, "-inf": -Infinity };
    const isFloat = (v) => v !== null && typeof v === "object" && Object.keys(v).join() === "float";
    const valueOf = (stated) => (isFloat(stated) ? FLOATS[stated.float] : stated);
    const recordOf = (stated) => Object.fromEntries(
      Object.entries(stated).map(([name, value]) => [name, valueOf(value)]));
    const errorOf = async (action) => {
      try { await action(); } catch (error) { return error.name; }
      return "nothing was raised";
    };
"""


def study_of(name: str) -> Study:
    """A study of the vectors."""
    return Study.from_bytes(STUDY_FILES[name].encode())


def open_page(page: Any) -> None:
    """Serve device.js from the browser's own machine, which counts as a secure context."""
    page.route(f"{ORIGIN}/**", _serve)
    page.goto(f"{ORIGIN}/")


def run(page: Any, script: str, argument: Any = None) -> Any:
    """What a script returns: it has device.js as D, `given`, and awaits what it likes."""
    return page.evaluate(f"async (given) => {{ {_PRELUDE} {script} }}", argument)


def _serve(route: Any) -> None:
    kind, body = _SERVED[urlsplit(route.request.url).path]
    route.fulfill(content_type=f"{kind}; charset=utf-8", body=body)
