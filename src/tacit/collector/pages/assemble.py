"""The pages: each one file that loads nothing else, with the hashes that pin its script and style.

A copy hosted elsewhere is as strict as one served from here, because the page states its policy
itself. The header repeats it, and narrows whom the page may talk to. The device's own modules are
read as text: nothing of `tacit.device` is imported where reports are collected.
"""

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tacit.collector.pages.modules import library, page_script

_ROOT = files("tacit")
_HERE = "collector/pages"
_PAGES = ("join", "dashboard")
_FETCHES = {  # of a copy hosted apart; a page without an entry talks to its own origin alone
    "join": "'self' https: http://localhost:* http://127.0.0.1:*",
}


@dataclass(frozen=True)
class Page:
    """A page as it is served: its bytes, their SHA-256, and its Content-Security-Policy."""

    html: bytes
    sha256: str
    policy: str


@cache
def page(name: str) -> Page:
    """The page "join" or "dashboard", assembled once."""
    style = _read("shared/style.css") + _read(f"{name}/{name}.css")
    script = page_script(_ROOT, f"{_HERE}/{name}/{name}.js")
    inside = _policy(script, style, _FETCHES.get(name, "'self'"))
    head = f'<meta http-equiv="Content-Security-Policy" content="{inside}">\n<style>{style}</style>'
    body = f'<script type="module">{script}</script>'
    html = _filled(_read(f"{name}/{name}.html"), {"style": head, "script": body}).encode()
    outside = _policy(script, style, "'self'") + "; frame-ancestors 'none'"  # no meta has that
    return Page(html, hashlib.sha256(html).hexdigest(), outside)


@cache
def device_js() -> bytes:
    """The browser's device in one file, for apps that bring their own page."""
    return library(_ROOT, "device/browser/index.js").encode()


def hashes() -> dict[str, str]:
    """SHA-256 of everything a browser runs, to publish where the collector cannot change it."""
    return {
        **{name: page(name).sha256 for name in _PAGES},
        "device.js": hashlib.sha256(device_js()).hexdigest(),
    }


def _read(path: str) -> str:
    return _ROOT.joinpath(*_HERE.split("/"), *path.split("/")).read_text(encoding="utf-8")


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
