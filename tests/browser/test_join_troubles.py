"""What the participants' page does when something is wrong: it explains, and never asks twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tacit.study import Study
from tests.browser import participant as person
from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.collector.running import Running, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

pytestmark = pytest.mark.assure

ALTERED = "This is not the study of the link"


@pytest.fixture(scope="module")
def study() -> Study:
    """The study that people join."""
    return person.make_study()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, study: Study) -> Iterator[Running]:
    """A collector that has this study alone."""
    with running(tmp_path_factory.mktemp("troubles"), study) as started:
        yield started


def test_the_form_teaches_and_sends_nothing(
    page: Page, server: Running, requests: list[Request]
) -> None:
    """What is missing or unclear is said beside it; a wild answer is shown as it will be read."""
    page.goto(f"{server.address}/join")
    person.press(page, person.BEGIN)
    person.press(page, person.LOOK_OVER)
    assert page.locator(".problem:visible").count() == len(person.QUESTIONS)
    age = page.get_by_role("textbox", name=person.AGE)
    for written, taught in (
        ("", "Write a number here"),
        ("forty", "in digits only"),
        ("1e5", "in digits only"),
        ("1,5", "with a point"),
    ):
        age.fill(written)
        person.press(page, person.LOOK_OVER)
        assert taught in page.locator("#q0-problem").inner_text()
        assert age.get_attribute("aria-invalid") == "true"
    age.fill("99999999999")
    assert page.locator("#q0-problem").inner_text() == ""
    person.choose(page, person.HOURS, "Prefer not to say")
    person.choose(page, person.SMOKER, "Prefer not to say")
    person.choose(page, person.REGION, "Prefer not to say")
    person.choose(page, person.LEFT, "no")
    person.press(page, person.LOOK_OVER)
    answers = page.locator("#answers").inner_text()
    assert answers.count("in its place") == 4
    assert answers.count("Not said") == 3
    assert "too far out" in answers
    assert person.posts(requests) == []


def test_offline_the_report_is_kept_and_sent_later(
    page: Page, server: Running, requests: list[Request]
) -> None:
    """The same bytes, as soon as the connection is back."""
    page.goto(f"{server.address}/join")
    person.press(page, person.BEGIN)
    person.answer(page)
    person.press(page, person.LOOK_OVER)
    page.context.set_offline(True)
    person.press(page, person.SEND)
    person.heading(page, person.KEPT)
    kept = person.shown_bytes(page)
    assert person.posts(requests) == []
    page.context.set_offline(False)
    person.heading(page, person.SENT)
    assert person.posts(requests) == [kept] == [person.shown_bytes(page)]


def test_a_kept_report_survives_a_reload(
    page: Page, server: Running, requests: list[Request], expected_errors: list[str]
) -> None:
    """A collector that is down for long: later visits send the same bytes, and ask nothing."""
    expected_errors.append("status of 503")
    reports = f"{server.address}/studies/*/reports"
    busy = {"retry-after": "3600", "content-type": "application/json"}
    page.route(reports, lambda route: route.fulfill(status=503, headers=busy, body="{}"))
    person.take_part(page, f"{server.address}/join")
    person.heading(page, person.KEPT)
    kept = person.shown_bytes(page)
    page.reload()
    person.heading(page, person.KEPT)
    page.unroute(reports)
    person.press(page, "Send it again")
    person.heading(page, person.SENT)
    assert person.posts(requests) == [kept] * 3


def test_two_tabs_make_one_report(page: Page, server: Running, requests: list[Request]) -> None:
    """The second finds the first one's report in the account, and adds none."""
    page.goto(f"{server.address}/join")
    person.press(page, person.BEGIN)
    person.answer(page)
    person.press(page, person.LOOK_OVER)
    other = page.context.new_page()
    person.take_part(other, f"{server.address}/join")
    person.heading(other, person.SENT)
    person.press(page, person.SEND)
    person.heading(page, person.BEFORE)
    assert person.shown_bytes(page) == person.shown_bytes(other)
    assert person.posts(requests) == []


def test_an_insecure_page_stops(browser: Browser, server: Running) -> None:
    """Over plain http from another machine, others could have changed the script on its way."""
    mapped = "--host-resolver-rules=MAP collector.example 127.0.0.1"
    other = browser.browser_type.launch(
        executable_path=str(CHROMIUM), args=[*ARGUMENTS, mapped], headless=True
    )
    try:
        page = other.new_page()
        page.route("**/studies**", lambda route: pytest.fail(f"it asked for {route.request.url}"))
        page.goto(f"http://collector.example:{server.port}/join")
        person.heading(page, "This page needs https")
        assert page.get_by_role("button").count() == 0
    finally:
        other.close()


@pytest.mark.parametrize("how", ["a changed byte", "another study", "no study"])
def test_an_altered_study_is_refused(
    page: Page, server: Running, study: Study, requests: list[Request], how: str
) -> None:
    """By its hash, or by the id of the link."""
    other = person.make_study(8.0)
    body = {
        "a changed byte": study.to_bytes().replace(b'"epsilon":1.0', b'"epsilon":2.0'),
        "another study": other.to_bytes(),
        "no study": b"<html>",
    }[how]
    assert body != study.to_bytes()
    address = f"{server.address}/studies/{study.id}"
    page.route(address, lambda route: route.fulfill(body=body))
    page.goto(f"{server.address}/join#study={study.id}")
    person.heading(page, ALTERED)
    assert page.get_by_role("button").count() == 0
    assert person.posts(requests) == []


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        ("study=" + "0" * 64, "No such study"),
        ("collector=http://collector.example", "This link is not complete"),
        ("collector=javascript:alert(1)", "This link is not complete"),
        ("collector=https://localhost:1", "The collector does not answer"),
    ],
)
def test_a_wrong_link_is_explained(
    page: Page, server: Running, expected_errors: list[str], fragment: str, said: str
) -> None:
    """In words for whoever was given it."""
    expected_errors += ["status of 404", "Content Security Policy", "ERR_"]
    page.goto(f"{server.address}/join#{fragment}")
    person.heading(page, said)
    assert page.get_by_role("button").count() == 0


def test_a_limit_holds(page: Page, server: Running, requests: list[Request]) -> None:
    """Whoever set a lower limit is told so before answering, and can change it."""
    page.goto(f"{server.address}/join")
    page.get_by_text("Your account and your limit").click()
    limit = page.get_by_label("The most this browser may spend in all")
    limit.fill("0.5")
    person.press(page, "Set limit")
    assert "epsilon 0 of 0.5" in page.locator("#account-before").inner_text()
    person.press(page, person.BEGIN)
    assert "more than is left" in page.locator("#limit-problem").inner_text()
    limit.fill("1")
    person.press(page, "Set limit")
    person.press(page, person.BEGIN)
    person.answer(page)
    person.press(page, person.LOOK_OVER)
    page.evaluate("localStorage.setItem('tacit/1/lifetime', '0.5')")  # in another tab
    person.press(page, person.SEND)
    page.get_by_text("Nothing was sent").wait_for()
    assert person.posts(requests) == []


def test_a_code_is_asked_for_and_can_be_corrected(
    page: Page, tmp_path: Path, requests: list[Request], expected_errors: list[str]
) -> None:
    """A refused code costs no second report: the same bytes go with the right one."""
    expected_errors.append("status of 403")
    study = person.make_study()
    with running(tmp_path, study, None, "--codes") as server:
        path = f"/studies/{study.id}/codes"
        made = server.request("POST", path, json.dumps({"count": 1}).encode(), admin=True)
        (code,) = json.loads(made.body)["codes"]
        page.goto(f"{server.address}/join")
        person.press(page, person.BEGIN)
        assert "Write the code" in page.locator("#code-problem").inner_text()
        page.get_by_role("textbox", name="Your code").fill("AAAAAA-AAAAAA-AAAAAA-AAAAAA")
        person.press(page, person.BEGIN)
        person.answer(page)
        person.press(page, person.LOOK_OVER)
        person.press(page, person.SEND)
        person.heading(page, "The code was not accepted")
        assert "AAAAAA" not in page.evaluate("JSON.stringify({ ...localStorage })")
        page.evaluate("dispatchEvent(new Event('online'))")  # sends nothing that was refused
        page.get_by_role("textbox", name="Your code").fill(code.lower())
        person.press(page, "Send it again")
        person.heading(page, person.SENT)
        sent = person.posts(requests)
        assert sent == [person.shown_bytes(page)] * 2
        page.evaluate("localStorage.clear()")  # another browser, the same invitation
        page.goto("about:blank")
        person.take_part(page, f"{server.address}/join#code={code}")
        person.heading(page, "The code was not accepted")


def test_a_study_that_closes(page: Page, tmp_path: Path, expected_errors: list[str]) -> None:
    """While somebody answers it, and before somebody comes."""
    expected_errors.append("status of 410")
    study = person.make_study()
    with running(tmp_path, study) as server:
        page.goto(f"{server.address}/join")
        person.press(page, person.BEGIN)
        person.answer(page)
        person.press(page, person.LOOK_OVER)
        closed = server.request("POST", f"/studies/{study.id}/close", b"", admin=True)
        assert closed.status == 200
        person.press(page, person.SEND)
        person.heading(page, "The study has closed")
        page.evaluate("localStorage.clear()")
        page.goto("about:blank")
        page.goto(f"{server.address}/join")
        person.heading(page, "No study is open here")
        page.goto(f"{server.address}/join#study={study.id}")
        person.heading(page, "This study has closed")


def test_a_browser_that_stores_nothing(
    page: Page, server: Running, requests: list[Request]
) -> None:
    """Without an account no report is made."""
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked'); } })"
    )
    page.goto(f"{server.address}/join")
    person.heading(page, "No account can be kept in this browser")
    assert person.posts(requests) == []
