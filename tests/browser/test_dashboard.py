"""The dashboard in Chromium, against the real collector."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from tacit import Binary, Fit, Study, Tally, read_reports
from tacit.privacy.guarantee import ASSUMED, NOT_PROTECTED
from tests.browser.helpers import open_page, run
from tests.collector.running import Running, running
from tests.inference.helpers import make_rows

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request

pytestmark = pytest.mark.assure

PUBLIC = make_rows(2000, 0)
PLANNED = 4000
DEADLINE = 60_000.0  # milliseconds
SIZES = ((1280, 900), (390, 844), (360, 740))
DASHBOARD = "collector/pages/dashboard"
HOSTILE = "<img src=x onerror=alert(1)> & sons"


def make_study(title: str, **more: Any) -> Study:
    """A study whose coefficients have very different units."""
    label = Binary("left", positive="yes", negative="no")
    return Study.from_public(
        PUBLIC, label=label, epsilon=4.0, source="simulated", title=title, **more
    )


def send(server: Running, study: Study, count: int, seed: int) -> None:
    """Reports that mean nothing: sixteen random bytes are a valid one."""
    body = np.random.default_rng(seed).bytes(16 * count)
    assert server.request("POST", f"/studies/{study.id}/reports", body).status == 200


@pytest.fixture
def study() -> Study:
    """The study that is collected."""
    return make_study("Who leaves?")


@pytest.fixture
def server(tmp_path: Path, study: Study) -> Iterator[Running]:
    """A collector with some reports."""
    with running(tmp_path, study, PUBLIC, "--people", str(PLANNED)) as started:
        send(started, study, 1500, 0)
        yield started


@pytest.fixture
def opened(page: Page, server: Running) -> Page:
    """The dashboard, signed in."""
    page.set_default_timeout(DEADLINE)
    enter(page, server)
    return page


def token_of(server: Running) -> str:
    """The admin token, which the collector printed when it started."""
    assert server.token is not None
    return server.token


def enter(page: Page, server: Running) -> None:
    """Open the dashboard and give it the token."""
    page.goto(f"{server.address}/dashboard")
    page.get_by_label("Admin token").fill(token_of(server))
    page.get_by_role("button", name="Open the dashboard").click()
    page.locator("#study").wait_for()


def wait_for(page: Page, selector: str, text: str) -> None:
    """Until an element says something."""
    page.locator(selector).filter(has_text=re.compile(text)).wait_for(timeout=DEADLINE)


def download(page: Page, button: str, path: Path) -> Path:
    """Press a button and keep what it saves."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    waiting.value.save_as(path)
    return path


def test_a_wrong_token_is_told_and_a_right_one_never_in_an_address(
    page: Page, server: Running, requests: list[Request], expected_errors: list[str]
) -> None:
    """It travels in a header only, and forgetting it leaves nothing behind."""
    expected_errors.append("status of 401")
    page.goto(f"{server.address}/dashboard")
    for wrong in ("not the token", "nöt the token", "W" * 43):
        page.get_by_label("Admin token").fill(wrong)
        page.get_by_role("button", name="Open the dashboard").click()
        wait_for(page, "#token-error", "does not know this token")
    enter(page, server)
    assert token_of(server) not in " ".join([page.url, *(request.url for request in requests)])
    asked = [request for request in requests if request.url.endswith("/progress")]
    assert {request.headers["authorization"] for request in asked} == {f"Bearer {server.token}"}
    page.reload()
    page.locator("#study").wait_for()
    page.get_by_role("button", name="Forget the token").click()
    assert page.get_by_label("Admin token").is_visible()
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0
    assert page.context.cookies() == []


def test_it_shows_people_precision_and_coefficients(opened: Page, study: Study) -> None:
    """Beside each other, and in a table that a screen reader can read."""
    assert opened.locator("h1#title").inner_text() == "Who leaves?"
    assert opened.locator("#count").inner_text() == "1,500"
    assert opened.locator("#of-plan").inner_text() == f"of {PLANNED:,} planned"
    assert opened.locator("#bar").evaluate("bar => bar.position") == 1500 / PLANNED
    table = opened.get_by_role("table", name="Coefficients")
    names = table.get_by_role("rowheader").all_inner_texts()
    assert len(names) == len(study.transform.names)
    assert names[-1] == "intercept"
    assert opened.locator("#rows circle.point").count() == len(names) - 1
    assert opened.locator("#tile-known").inner_text() == f"{len(names)} of {len(names)}"
    assert opened.locator("#unknown").inner_text() == ""
    cells = table.get_by_role("row").nth(1).get_by_role("cell").count()
    assert cells == table.get_by_role("columnheader").count() - 1
    clear = opened.locator('#rows td[data-label="z"]').all_inner_texts()[:-1]
    sizes = [abs(float(z.replace("\u2212", "-"))) for z in clear]
    assert sizes == sorted(sizes, reverse=True)
    assert opened.locator("#forecast svg").get_attribute("role") == "img"
    assert opened.locator("#forecast svg .range").count() == 1
    assert "50% have left = yes (as no rate was stated)" in opened.locator("#supposed").inner_text()
    assert "1,500 reports" in (opened.locator("#arrivals svg").get_attribute("aria-label") or "")
    wait_for(opened, "#guarantee", "How much: epsilon = 4 .* at most 54.6 times likelier")
    assert opened.locator("#tile-guess").inner_text() == "a 50% guess becomes at most 98.3%"
    assert opened.locator("#guarantee p").count() == len(study.guarantee.promise())
    beyond = [*NOT_PROTECTED, f"Assumed: {ASSUMED}"]
    assert opened.locator("#caveats li").all_text_contents() == beyond
    assert opened.locator("#errors tr").count() == len(names)


def test_what_is_not_known_comes_last_with_the_people_it_takes(
    page: Page, server: Running, study: Study
) -> None:
    """In words, with an arrow where an interval has no end; nothing says infinite."""
    told = json.loads(server.request("GET", f"/studies/{study.id}/progress", admin=True).body)
    rows = {row["name"]: row for row in told["coefficients"]}
    assert all(row["known"] for row in rows.values())
    slopes = [row for row in rows.values() if not row["intercept"]]
    ends = [{"low": None}, {"high": None}, {"low": None, "high": None, "estimate": None}]
    for row, change in zip(slopes, ends, strict=False):
        row.update(change, known=False)
    takes = dict(zip((row["name"] for row in slopes), (9000, 20_000, None), strict=False))
    for each in told["outlook"]["coefficients"]:
        each["people"] = takes.get(each["name"], 500)
    page.route("**/progress", lambda route: route.fulfill(json=told))
    enter(page, server)
    wait_for(page, "#unknown", f"^3 of {len(rows)} coefficients are not known yet: their intervals")
    wait_for(
        page, "#unknown", f"the next takes about 9,000 people.* 3 take more than .*{PLANNED:,}"
    )
    assert page.locator("#tile-known").inner_text() == f"{len(rows) - 3} of {len(rows)}"
    lines = page.locator("#rows tr").all_inner_texts()
    assert lines[-4].startswith("Not known yet")
    for line, row, words, people in zip(
        lines[-3:],
        slopes,
        (r"\sbelow \S+", r"\sabove \S+", r"not known\s+nothing yet"),
        ("takes about 9,000 people", "takes about 20,000 people", "no number of people is enough"),
        strict=False,
    ):
        assert line.startswith(f"{row['shown']}\n{people}")
        assert re.search(words, line)
        assert not re.search("infin|nan|null|undefined", line, re.IGNORECASE)
    arrows = [
        page.locator("#rows tr").nth(place - 3).locator(".arrow").count() for place in range(3)
    ]
    assert arrows[2] == 2
    assert min(arrows) == 1


def test_focus_and_purpose_are_told(page: Page, tmp_path: Path) -> None:
    """Above everything in one sentence, and in words beside the coefficient, not by colour."""
    study = make_study("Age above all", focus=("age",), people=PLANNED)
    with running(tmp_path, study, PUBLIC) as server:
        send(server, study, 1500, 0)
        enter(page, server)
        wait_for(page, "#purpose", "above all 'age'")
        assert page.locator("#of-plan").inner_text() == f"of {PLANNED:,} planned"
        first = page.locator("#rows th").first.inner_text()
        assert first.startswith("age")
        assert first.endswith("focus")
        assert page.locator("#rows .chip").count() == 1
        wait_for(page, "#precision-note", "^age, in focus")


def test_levels_too_rare_are_told_before_the_first_report(page: Page, tmp_path: Path) -> None:
    """With what merging would bring; the forecast has its range and what is supposed."""
    levels = np.repeat(["common", "other", "rare", "scarce"], [1088, 800, 100, 12])
    rows = {"kind": np.random.default_rng(3).permutation(levels)}
    label = Binary("left", positive="yes", negative="no")
    study = Study.from_public(rows, label=label, epsilon=1.0, source="simulated")
    with running(tmp_path, study, rows, "--people", str(PLANNED)) as server:
        enter(page, server)
        wait_for(page, "#rare-note", f"more than 4 wide with {PLANNED:,} people")
        page.get_by_text("What merging them would bring").click()
        cells = page.locator("#rare-rows tr").first.locator("th, td").all_inner_texts()
        assert cells[0] == "kind: scarce"
        assert cells[3].endswith("with kind: rare")
        assert page.locator("#forecast polygon.range").count() == 1
        wait_for(page, "#supposed", "^Supposed: 50% have left = yes")
        assert page.locator("#tile-known-note").inner_text() == "first estimate at 100 reports"


WORDS = {
    "interval(null, null)": "nothing yet",
    "interval(null, -0.5)": "below \u22120.5",
    "interval(0.25, null)": "above 0.25",
    "interval(-1, 2)": "[\u22121, 2]",
    "pValue(0.00009)": "<0.0001",
    "pValue(0.0123)": "0.012",
    "pValue(0.0996)": "0.10",
    "zValue(-12.34)": "\u221212.3",
    "zValue(1.5)": "1.50",
    "takes(null, 10)": "no number of people is enough with these public rows",
    "takes(12345, 10)": "takes about 12,000 people",
    "takes(10, 10)": "takes more people than the 10 that the plan expected",
    "takes(5e8, 10)": "takes more than 100,000,000 people",
    "notKnown(1, 3, 4)": "1 of 3 coefficients is not known yet: its interval is open or more "
    "than 4 wide.",
    "notKnown(3, 3, undefined)": "None of the 3 coefficients is known yet: their intervals are "
    "open.",
    "takesAll([500, 20000, null], 600, 10000)": "By the plan the next takes about 20,000 people "
    "in all. 2 take more than the 10,000 planned; merging rare levels would help them.",
    "takesAll([500], 600, 10000)": "",
    "takesAll([null], 600, null)": "",
}


@pytest.mark.parametrize("call", WORDS)
def test_what_is_known_is_said_in_plain_words(page: Page, call: str) -> None:
    """Open ends, small p values, people in two digits."""
    open_page(page)
    names = "interval, notKnown, pValue, takes, takesAll, zValue"
    script = f'const {{ {names} }} = await inside("{DASHBOARD}/words"); return {call};'
    assert run(page, script) == WORDS[call]


def test_it_follows_the_collector_without_a_jump(
    opened: Page, server: Running, study: Study
) -> None:
    """New reports appear by themselves; nodes stay, and so does every place on the page."""
    places = "[...document.querySelectorAll('section, #rows tr')].map((n) => n.offsetTop)"
    before = opened.evaluate(places)
    opened.evaluate("window.held = document.getElementById('forest')")
    opened.locator("#address").focus()
    send(server, study, 1000, 1)
    wait_for(opened, "#count", "2,500")
    wait_for(opened, "#estimated", "2,500 reports")
    assert opened.evaluate(places) == before
    assert opened.evaluate("window.held === document.getElementById('forest')")
    assert opened.evaluate("document.activeElement.id") == "address"
    assert "+1,000 since" in opened.locator("#people-note").inner_text()


def test_everything_can_be_downloaded(opened: Page, study: Study, tmp_path: Path) -> None:
    """Model, tally and reports are files that tacit reads."""
    model = Fit.load(download(opened, "Model", tmp_path / "m"))
    assert model.reports == 1500
    tally = Tally.from_bytes(download(opened, "Tally", tmp_path / "t").read_bytes())
    reports = read_reports(download(opened, "Reports", tmp_path / "r"), study)
    assert Tally.of(study).add(reports.seeds) == tally
    wait_for(opened, "#download-said", r"Saved who-leaves-reports\.tacit")
    assert opened.locator("#segment button").is_disabled()


def test_closing_asks_first_and_is_for_ever(opened: Page, study: Study, tmp_path: Path) -> None:
    """Then the day is over too, and can be had as Parquet."""
    opened.get_by_role("button", name="Close the study").click()
    dialog = opened.get_by_role("dialog")
    assert "for ever" in dialog.inner_text()
    opened.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert opened.locator("#state").inner_text() == "open"
    opened.get_by_role("button", name="Close the study").click()
    dialog.get_by_role("button", name="Close it for ever").click()
    wait_for(opened, "#state", "closed")
    assert not opened.get_by_role("button", name="Close the study").is_visible()
    table = pq.read_table(download(opened, "Download", tmp_path / "day.parquet"))
    assert table.num_rows == 1500


def test_it_says_when_the_collector_is_away_and_recovers(
    page: Page, tmp_path: Path, study: Study, expected_errors: list[str]
) -> None:
    """What was shown stays in place meanwhile."""
    expected_errors.append("ERR_CONNECTION_REFUSED")
    page.set_default_timeout(DEADLINE)
    with running(tmp_path, study, PUBLIC) as first:
        send(first, study, 200, 0)
        enter(page, first)
        wait_for(page, "#count", "200")
        first.stop()
        wait_for(page, "#status", "Unreachable")
        assert page.locator("#count").inner_text() == "200"
    with running(tmp_path, study, PUBLIC, token=first.token, port=first.port) as second:
        send(second, study, 50, 1)
        wait_for(page, "#status", "^Live$")
        wait_for(page, "#count", "250")


def test_codes_are_made_and_saved_with_addresses(page: Page, tmp_path: Path, study: Study) -> None:
    """One line each; the code works once."""
    with running(tmp_path, study, PUBLIC, "--codes") as server:
        enter(page, server)
        page.get_by_label("Participation codes").fill("3")
        saved = download(page, "Make and download", tmp_path / "codes.txt")
        head, *lines = saved.read_text().splitlines()
        assert head == "code\taddress"
        assert len(lines) == 3
        code, address = lines[0].split("\t")
        named = f"#study={study.id}&collector={server.address}&code={code}"
        assert address == f"{server.address}/join{named}"
        path = f"/studies/{study.id}/reports"
        answers = [
            server.request("POST", path, bytes([place]) * 16, headers={"Tacit-Code": code})
            for place in range(2)
        ]
        assert [answer.status for answer in answers] == [200, 403]


def test_the_address_can_be_copied_and_the_page_checked(opened: Page, server: Running) -> None:
    """The hash is that of the page participants get; a copy finds the collector by the address."""
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.get_by_role("button", name="Copy").click()
    wait_for(opened, "#invite-said", "Copied")
    copied = opened.evaluate("navigator.clipboard.readText()")
    assert copied == opened.get_by_label("Their page").input_value()
    assert copied.endswith(f"&collector={server.address}")
    served = server.request("GET", "/join").body
    assert opened.locator("#page-hash").inner_text() == hashlib.sha256(served).hexdigest()


def test_several_studies_are_chosen_by_link_and_titles_are_text(
    opened: Page, server: Running
) -> None:
    """A title that looks like markup is shown, not run; a study without rows says what it needs."""
    other = make_study(HOSTILE, minimum_batch=7)
    assert server.request("POST", "/studies", other.to_bytes(), admin=True).status == 201
    opened.get_by_role("link", name="sons").click()
    wait_for(opened, "h1#title", re.escape(HOSTILE))
    assert opened.locator("#studies img, #title img").count() == 0
    assert opened.locator("#reason").inner_text().startswith("7 more reports")
    assert other.id in opened.url
    opened.reload()
    wait_for(opened, "h1#title", re.escape(HOSTILE))


@pytest.mark.parametrize("size", SIZES)
def test_it_fits_the_screen(opened: Page, size: tuple[int, int]) -> None:
    """Nothing runs over the side, in light or dark."""
    opened.set_viewport_size({"width": size[0], "height": size[1]})
    for scheme in ("light", "dark"):
        opened.emulate_media(color_scheme=scheme)
        assert opened.evaluate("document.documentElement.scrollWidth") == size[0]


def test_every_control_has_a_name(opened: Page) -> None:
    """Fields are tied to their labels, buttons say what they do."""
    nameless = opened.evaluate(
        """[...document.querySelectorAll("input, select, button")].filter((node) =>
        !(node.labels?.length || node.textContent.trim())).map((node) => node.outerHTML)"""
    )
    assert nameless == []
