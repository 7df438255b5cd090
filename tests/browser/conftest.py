"""A real Chromium, and pages on which nothing may go wrong unnoticed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Headless Chromium. Not for the whole session: it keeps an event loop of this thread."""
    sync_api = _require()
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=list(ARGUMENTS), headless=True
        )
        try:
            yield chromium
        finally:
            chromium.close()


@pytest.fixture
def requests() -> list[Any]:
    """Every request that `page` makes, in order (Playwright's Request)."""
    return []


@pytest.fixture
def expected_errors() -> list[str]:
    """Parts of console errors that a test provokes on purpose, such as "status of 503"."""
    return []


@pytest.fixture
def page(browser: Browser, requests: list[Request], expected_errors: list[str]) -> Iterator[Page]:
    """A page of its own context; console errors, exceptions and broken policies fail the test."""
    problems: list[str] = []
    context = browser.new_context()
    page = context.new_page()
    page.on("request", lambda request: requests.append(request))  # noqa: PLW0108 (marked by it)
    page.on("pageerror", lambda error: problems.append(f"uncaught: {error}"))
    page.on("console", lambda message: _note(message, problems))
    try:
        yield page
        if not page.is_closed():
            page.evaluate("0")  # a round trip: what the page reported until now has arrived
    finally:
        context.close()
    unexpected = [
        problem for problem in problems if not any(part in problem for part in expected_errors)
    ]
    assert unexpected == []


def _note(message: ConsoleMessage, problems: list[str]) -> None:
    """Chromium reports a broken content policy as a console error, too."""
    if message.type in ("error", "warning"):
        problems.append(f"{message.type}: {message.text}")


def _require() -> Any:
    """Playwright's API; skips without it or Chromium, fails where nothing may be skipped."""
    if find_spec("playwright") is None or not CHROMIUM.exists():
        refuse = pytest.fail if os.environ.get("TACIT_ASSURE") == "1" else pytest.skip
        refuse(f"playwright or {CHROMIUM} is absent")
    return import_module("playwright.sync_api")
