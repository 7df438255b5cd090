"""The pages: each one file that loads nothing else, with the hashes that pin its script and style.

A copy hosted elsewhere is as strict as one served from here, because the page states its policy
itself. The header repeats it, and narrows whom the page may talk to.
"""

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_PAGES = ("join", "dashboard")
_FETCHES = {  # of a copy hosted apart; a page without an entry talks to its own origin alone
    "join": "'self' https: http://localhost:* http://127.0.0.1:*",
}
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_IMPORT = re.compile(r"^import [^;]*? from \"\./(\w+)\.js\";\n", re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """A page as it is served: its bytes, their SHA-256, and its Content-Security-Policy."""

    html: bytes
    sha256: str
    policy: str


@cache
def page(name: str) -> Page:
    """The page "join" or "dashboard", assembled once."""
    style = _read("style.css") + _read(f"{name}.css")
    script = "".join(_EXPORT.sub("", _IMPORT.sub("", _module(each))) for each in _needed(name))
    inside = _policy(script, style, _FETCHES.get(name, "'self'"))
    head = f'<meta http-equiv="Content-Security-Policy" content="{inside}">\n<style>{style}</style>'
    body = f'<script type="module">{script}</script>'
    html = _filled(_read(f"{name}.html"), {"style": head, "script": body}).encode()
    outside = _policy(script, style, "'self'") + "; frame-ancestors 'none'"  # no meta has that
    return Page(html, hashlib.sha256(html).hexdigest(), outside)


@cache
def device_js() -> bytes:
    """The browser's device, for apps that bring their own page."""
    return _read("device.js").encode()


def hashes() -> dict[str, str]:
    """SHA-256 of everything a browser runs, to publish where the collector cannot change it."""
    return {
        **{name: page(name).sha256 for name in _PAGES},
        "device.js": hashlib.sha256(device_js()).hexdigest(),
    }


def _read(path: str) -> str:
    return files("tacit.collector.pages").joinpath(path).read_text(encoding="utf-8")


def _module(name: str) -> str:
    return _read(f"{name}.js")


def _needed(name: str, before: tuple[str, ...] = ()) -> tuple[str, ...]:
    """A module after all that it imports, each once: in one script they share one scope."""
    for imported in _IMPORT.findall(_module(name)):
        if imported not in before:
            before = _needed(imported, before)
    return (*before, name)


def _filled(html: str, parts: dict[str, str]) -> str:
    for name, part in parts.items():
        before, after = html.split(f"<!-- {name} -->")
        html = before + part + after
    return html


def _policy(script: str, style: str, fetches: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_source(script)}",
            f"style-src {_source(style)}",
            "img-src data:",
            f"connect-src {fetches}",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _source(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
