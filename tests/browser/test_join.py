"""The participants' page in Chromium, against the real collector."""

from __future__ import annotations

import contextlib
import math
import re
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tacit.collector import pages
from tacit.privacy.words import percent_up, times_up
from tacit.study import Binary, Bounded, Categorical, Count, Study, read_reports
from tests.browser import participant as person
from tests.collector.running import Running, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

pytestmark = pytest.mark.assure

WIDTH, HEIGHT = 360, 740
NAMELESS = re.compile(r"- (?:textbox|radio|checkbox|combobox|button|img|heading)(?! \")")
LONG = "Unforeseeably-long-and-unbreakable-" * 3


@pytest.fixture(scope="module")
def study() -> Study:
    """The study that people join."""
    return person.make_study()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, study: Study) -> Iterator[Running]:
    """A collector that has this study alone."""
    with running(tmp_path_factory.mktemp("join"), study) as started:
        yield started


@pytest.fixture
def stored(server: Running, study: Study, tmp_path: Path) -> Callable[[], set[bytes]]:
    """Asks the collector for every report that it has."""

    def ask() -> set[bytes]:
        file = tmp_path / "reports.tacit"
        file.write_bytes(server.request("GET", f"/studies/{study.id}/reports", admin=True).body)
        return {seed.tobytes() for seed in read_reports(file, study).seeds}

    return ask


def no_wider_than_its_window(page: Page) -> bool:
    """Whether nothing has to be scrolled sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_the_whole_path_with_the_keyboard_alone(
    page: Page,
    server: Running,
    study: Study,
    requests: list[Request],
    stored: Callable[[], set[bytes]],
) -> None:
    """Tab, arrows, space and Enter lead from the invitation to a report that is stored."""
    page.goto(f"{server.address}/join")
    page.get_by_role("button", name=person.BEGIN).wait_for()
    press = page.keyboard.press
    tab_to(page, person.BEGIN)
    press("Enter")
    tab_to(page, person.AGE)
    page.keyboard.type(person.ANSWERS[0])
    press("Tab")  # over "Prefer not to say"
    press("Tab")
    press("Tab")
    press("Space")  # prefers not to say how long
    press("Tab")
    press("Space")  # yes, smokes
    press("Tab")
    press("Space")
    press("ArrowDown")
    press("Tab")
    press("Space")  # has left
    press("Tab")
    press("Enter")
    person.heading(page, "Before anything is sent")
    assert page.locator("#answers dd").all_inner_texts() == [
        "47.125 years",
        f"Not said\nThe study puts {study.features[1].fill:.3g} hours in its place.",
        "Yes",
        study.features[3].levels[1],
        "secretly",
    ]
    assert person.posts(requests) == []
    press("Tab")
    press("Enter")
    person.heading(page, person.SENT)
    assert person.posts(requests) == [person.shown_bytes(page)]
    assert person.shown_bytes(page) in stored()


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the control with this name has the focus."""
    for _ in range(20):
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        if name in (focused.evaluate("e => e.labels?.[0]?.textContent ?? e.textContent")):
            return
    raise AssertionError(f"{name} cannot be reached")


def test_sixteen_bytes_leave_and_nothing_else(
    page: Page, server: Running, study: Study, requests: list[Request]
) -> None:
    """The page, the list, the study, one message: no other request, no answer in any of them."""
    person.take_part(page, f"{server.address}/join#study={study.id}")
    person.heading(page, person.SENT)
    path = f"{server.address}/studies"
    assert [(request.method, request.url.split("#")[0]) for request in requests] == [
        ("GET", f"{server.address}/join"),
        ("GET", path),
        ("GET", f"{path}/{study.id}"),
        ("POST", f"{path}/{study.id}/reports"),
    ]
    assert [len(body) for body in person.posts(requests)] == [16]
    sent = requests[-1].all_headers()
    assert not {"referer", "cookie", "authorization", "tacit-code"} & sent.keys()


def test_no_answer_is_kept(page: Page, server: Running) -> None:
    """Neither storage nor address nor history nor page holds one once the report is made."""
    person.take_part(page, f"{server.address}/join")
    person.heading(page, person.SENT)
    kept = page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href, "
        "history.state, name]) + document.querySelector('main').innerHTML"
    )
    assert [answer for answer in person.ANSWERS if answer in kept] == []
    assert page.locator("form#form input:not([type=submit])").count() == 0


def test_the_same_answers_send_other_bytes(browser: Browser, server: Running) -> None:
    """Two browsers of two people who answer alike."""
    reports = []
    for _ in range(2):
        with contextlib.closing(browser.new_context()) as context:
            page = context.new_page()
            person.take_part(page, f"{server.address}/join")
            person.heading(page, person.SENT)
            reports.append(person.shown_bytes(page))
    assert reports[0] != reports[1]


def test_whoever_comes_back_has_taken_part(
    page: Page, server: Running, requests: list[Request]
) -> None:
    """The same bytes are shown, nothing is asked, nothing is sent."""
    person.take_part(page, f"{server.address}/join")
    person.heading(page, person.SENT)
    report = person.shown_bytes(page)
    page.reload()
    person.heading(page, person.BEFORE)
    assert person.shown_bytes(page) == report
    assert person.posts(requests) == [report]
    assert "epsilon 1 of 8, in 1 study" in page.locator("#account").inner_text()
    page.go_back()
    person.heading(page, person.BEFORE)


def test_going_back_keeps_the_answers(page: Page, server: Running) -> None:
    """The browser's own Back leads from step to step, within the page."""
    page.goto(f"{server.address}/join")
    person.press(page, person.BEGIN)
    person.answer(page)
    person.press(page, person.LOOK_OVER)
    person.heading(page, "Before anything is sent")
    page.go_back()
    assert page.get_by_role("textbox", name=person.AGE).input_value() == person.ANSWERS[0]
    page.go_back()
    person.heading(page, "Who leaves the service?")


def test_every_control_has_a_name(page: Page, server: Running) -> None:
    """What a screen reader meets on every step, with everything unfolded."""
    page.goto(f"{server.address}/join")
    page.get_by_role("button", name=person.BEGIN).wait_for()
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    trees = [page.locator("body").aria_snapshot()]
    person.press(page, person.BEGIN)
    person.press(page, person.LOOK_OVER)
    trees.append(page.locator("body").aria_snapshot())
    person.answer(page)
    person.press(page, person.LOOK_OVER)
    trees.append(page.locator("body").aria_snapshot())
    person.press(page, person.SEND)
    person.heading(page, person.SENT)
    trees.append(page.locator("body").aria_snapshot())
    assert [NAMELESS.findall(tree) for tree in trees] == [[], [], [], []]
    assert 'img "Two fields of 100 dots' in trees[0]
    questions = [f'"{question}"' in trees[1] for question in person.QUESTIONS]
    assert questions == [True] * 5
    assert trees[1].count("Prefer not to say") >= 4


def test_the_focus_follows_the_steps(page: Page, server: Running) -> None:
    """On the heading of a step, and on the first answer that is missing."""
    page.goto(f"{server.address}/join")
    person.press(page, person.BEGIN)
    assert page.locator(":focus").inner_text() == "Your answers"
    person.press(page, person.LOOK_OVER)
    assert page.locator(":focus").get_attribute("id") == "q0"
    assert page.locator("[aria-current=step]").inner_text() == "Questions"


LABELS = [
    (Binary("left", positive="yes", question=LONG), ["yes", "another answer"]),
    (Categorical("kind", tuple(f"kind {n}" for n in range(12))), [f"kind {n}" for n in range(12)]),
    (Count("visits", 20, unit="visits"), None),
    (Bounded("income", -5.0, 100.0, unit="thousand"), None),
]


@pytest.mark.parametrize(("label", "options"), LABELS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("epsilon", [0.01, 12.0])
def test_any_label_and_epsilon_on_a_small_screen(
    page: Page,
    server: Running,
    label: Binary | Categorical | Count | Bounded,
    options: list[str] | None,
    epsilon: float,
) -> None:
    """360 pixels hold every step, however long the words; the label cannot be left out."""
    other = person.make_study(epsilon, label, title=LONG)
    serve_study(page, server, other)
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.goto(f"{server.address}/join#study={other.id}")
    page.get_by_role("button", name=person.BEGIN).wait_for()
    assert no_wider_than_its_window(page)
    right = math.ceil(100 * other.guarantee.best_guess)
    dots = page.locator("#picture .panel").last
    assert dots.locator(".chance, .gain").count() == right
    times, guess = times_up(epsilon), percent_up(other.guarantee.best_guess).removesuffix("%")
    assert f"at most {guess}. " in page.locator("#in-words").inner_text()
    assert f"epsilon = {epsilon:g}." in page.locator("#in-words").inner_text()
    assert f"at most {times} times" in (page.locator("#factor").text_content() or "")
    said = page.locator("#can-say").text_content() or ""
    assert f"at most {times} times as likely" in said
    assert said.endswith(f"at most {guess} times.")
    page.get_by_text("Your account and your limit").click()
    page.get_by_label("The most this browser may spend in all").fill("20")
    person.press(page, "Set limit")
    person.press(page, person.BEGIN)
    person.press(page, person.LOOK_OVER)
    assert no_wider_than_its_window(page)
    asked = page.locator("#label-question")
    assert asked.get_by_text("Prefer not to say").count() == 0
    if options:
        assert asked.locator("label.option, option:enabled").all_inner_texts() == options
    else:
        asked.get_by_role("textbox").fill("500")
        for question in (person.AGE, person.HOURS, person.SMOKER, person.REGION):
            person.choose(page, question, "Prefer not to say")
        person.press(page, person.LOOK_OVER)
        high = 20 if isinstance(label, Count) else 100
        assert f"The study counts it as {high}" in page.locator("#answers").inner_text()
        assert no_wider_than_its_window(page)


def serve_study(page: Page, server: Running, other: Study) -> None:
    """Let the collector have another study, as far as this page can tell."""
    listed = [{"id": other.id, "title": other.title, "open": True, "needs_code": False}]
    page.route(f"{server.address}/studies", lambda route: route.fulfill(json=listed))
    page.route(
        f"{server.address}/studies/{other.id}", lambda route: route.fulfill(body=other.to_bytes())
    )


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({}, "How each of the other answers goes with this one, all of them alike."),
        (
            {"focus": "smoker", "people": 20_000},
            "How “smoker” goes with this answer above all, then each of the others. "
            "It is planned for 20,000 people.",
        ),
        (
            {"purpose": "predictions", "people": 500},
            "How to predict this answer from the others. It is planned for 500 people.",
        ),
    ],
    ids=str,
)
def test_the_page_says_what_the_study_is_made_for(
    page: Page, server: Running, made: dict[str, Any], said: str
) -> None:
    """In one plain sentence, before anything is asked."""
    other = person.make_study(**made)
    serve_study(page, server, other)
    page.goto(f"{server.address}/join#study={other.id}")
    page.get_by_role("button", name=person.BEGIN).wait_for()
    assert page.locator("#made-for").inner_text() == said


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """The page as a file on another host, which knows nothing but files."""
    (tmp_path / "join.html").write_bytes(pages.page("join").html)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as host:
        thread = threading.Thread(target=host.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{host.server_port}/join.html"
        finally:
            host.shutdown()
            thread.join()


def test_the_page_can_be_hosted_apart(
    page: Page, server: Running, study: Study, elsewhere: str, stored: Callable[[], set[bytes]]
) -> None:
    """From another origin, under its own policy alone, the same path works."""
    person.take_part(page, f"{elsewhere}#study={study.id}&collector={server.address}")
    person.heading(page, person.SENT)
    assert person.shown_bytes(page) in stored()


def test_a_copy_that_was_checked_can_be_used_itself(
    page: Page, server: Running, study: Study, stored: Callable[[], set[bytes]], tmp_path: Path
) -> None:
    """Opened as a file, with the ending that the page shows, whatever its own address names."""
    file = tmp_path / "checked.html"
    file.write_bytes(pages.page("join").html)
    page.goto(f"{server.address}/join#code=AAAAAA-BBBBBB")
    page.get_by_role("button", name=person.BEGIN).wait_for()
    ending = page.locator("#copy-ending").text_content()
    assert ending == f"#study={study.id}&collector={server.address}&code=AAAAAA-BBBBBB"
    person.take_part(page, f"{file.as_uri()}{ending.partition('&code')[0]}")
    person.heading(page, person.SENT)
    assert person.shown_bytes(page) in stored()
