"""A page that has the browser's device and its modules, and the vectors to hold them to."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tacit.collector.pages import device_js
from tacit.study import Study
from tests.vectors import make

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

ORIGIN = "http://localhost"
HTML = '<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,"></html>'
VECTORS = {
    name: json.loads((Path(make.__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("studies", "encoding", "labels", "expansion", "accept", "bounds", "addresses")
}
STUDY_FILES: dict[str, str] = {case["name"]: case["file"] for case in VECTORS["studies"]["good"]}

_PRELUDE = """
    const D = await import("/device.js");
    const inside = (path) => import(`/${path}.js`);
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


def open_page(page: Page) -> None:
    """Serve device.js and all modules from the browser's own machine: a secure context."""
    page.route(f"{ORIGIN}/**", _serve)
    page.goto(f"{ORIGIN}/")


def run(page: Page, script: str, argument: Any = None) -> Any:
    """What a script returns: it has device.js as D, modules by `inside`, and `given`."""
    return page.evaluate(f"async (given) => {{ {_PRELUDE} {script} }}", argument)


def _serve(route: Route) -> None:
    """The page, device.js as a collector serves it, or a module as it stands in the package."""
    path = urlsplit(route.request.url).path
    if path == "/":
        route.fulfill(content_type="text/html; charset=utf-8", body=HTML)
    else:
        script = device_js() if path == "/device.js" else _module(path).encode()
        route.fulfill(content_type="text/javascript; charset=utf-8", body=script)


def _module(path: str) -> str:
    return files("tacit").joinpath(*path.strip("/").split("/")).read_text(encoding="utf-8")
