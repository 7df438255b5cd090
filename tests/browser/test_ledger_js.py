"""The browser's ledger and its sending: debit, randomize, keep, send, and trouble between."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.helpers import ORIGIN, STUDY_FILES, open_page, run, study_of

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request, Route

pytestmark = pytest.mark.assure

RECORD = {"age": 41}
COLLECTOR = "https://collector.test/base"
SMALL, SEVERAL = study_of("one column"), study_of("three reports")
PRELUDE = """
    const study = await D.readStudy(given.file);
    const record = { age: 41 };
    const ledger = new D.Ledger();
    const newDevice = (code) => new D.Device(study, { collector: given.collector, code });
    const waits = [];
    window.setTimeout = (resolve, wait) => { waits.push(wait); queueMicrotask(resolve); };
"""


class Collector:
    """Answers posts as told, the last answer for ever, and keeps what was posted."""

    def __init__(self, page: Page) -> None:
        self.answers: list[dict[str, Any]] = [stored()]
        self.posts: list[Request] = []
        page.route(f"{COLLECTOR}/**", self._answer)

    def _answer(self, route: Route) -> None:
        allowed = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*"}
        exposed = {"Access-Control-Expose-Headers": "*"}
        if route.request.method == "OPTIONS":
            route.fulfill(status=204, headers=allowed)
            return
        self.posts.append(route.request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if "abort" in answer:
            route.abort(answer["abort"])
            return
        headers = answer.pop("headers", {}) | allowed | exposed
        route.fulfill(**answer, headers=headers)
        answer["headers"] = headers

    @property
    def bodies(self) -> list[str]:
        """What was posted, in hexadecimal."""
        return [(post.post_data_buffer or b"").hex() for post in self.posts]


def stored() -> dict[str, Any]:
    """A collector's success."""
    return {"status": 200, "body": '{"reports": 1}'}


def refusal(status: int, **headers: str) -> dict[str, Any]:
    """A collector's refusal."""
    answer = {"status": status, "body": json.dumps({"error": f"no, {status}"})}
    return answer | {"headers": {name.replace("_", "-"): value for name, value in headers.items()}}


@pytest.fixture
def opened(page: Page, expected_errors: list[str]) -> Page:
    """A page that has device.js; whoever is refused sees it in the console."""
    expected_errors.append("Failed to load resource")
    open_page(page)
    return page


@pytest.fixture
def collector(opened: Page) -> Collector:
    """A collector of another origin."""
    return Collector(opened)


def act(page: Page, script: str, file: str = "one column", **more: Any) -> Any:
    """Run a script that has a study, a record, a ledger and `newDevice`."""
    given = {"file": STUDY_FILES[file], "collector": COLLECTOR} | more
    return run(page, PRELUDE + script, given)


def states(page: Page, file: str = "one column") -> list[str]:
    """The states of the study's reports in the ledger."""
    return list(act(page, "return ledger.of(study).map(({ state }) => state).sort();", file))


def test_a_report_is_debited_kept_and_sent(
    opened: Page, collector: Collector, requests: list[Request]
) -> None:
    """Sixteen bytes leave the page, and neither cookie nor referrer; nothing else is requested."""
    opened.evaluate("document.cookie = 'a=b'")
    already = len(requests)
    script = """
        const device = newDevice();
        const bytes = await device.report(record, "yes");
        const before = ledger.of(study)[0];
        const delivery = await device.send();
        const [after] = ledger.of(study);
        return [hex(bytes), before, delivery, after, ledger.spent, ledger.lifetime];"""
    sent, before, delivery, after, spent, lifetime = act(opened, script)
    assert delivery == {"sent": 1, "waiting": 0, "refused": 0}
    assert (before["state"], before["seed"], after["state"]) == ("ready", sent, "sent")
    assert (spent, lifetime) == (SMALL.epsilon, 8)
    assert collector.bodies == [sent]
    assert len(sent) == 32
    [post] = collector.posts
    assert post.url == f"{COLLECTOR}/studies/{SMALL.id}/reports"
    assert {"cookie", "referer"}.isdisjoint(post.all_headers())
    others = [r.url for r in requests[already:] if not r.url.startswith(COLLECTOR)]
    assert set(others) <= {f"{ORIGIN}/device.js"}


def test_an_interrupted_debit_is_used_again(opened: Page, collector: Collector) -> None:
    """The page dies between debit and randomizing: nothing had left, so nothing more is owed."""
    script = """
        const real = crypto.getRandomValues.bind(crypto);
        crypto.getRandomValues = (bytes) => {
          if (bytes.length > 100) throw new DOMException("died", "AbortError");
          return real(bytes);
        };
        return errorOf(() => newDevice().report(record, "yes"));"""
    assert act(opened, script) == "AbortError"
    assert states(opened) == ["debited"]
    opened.reload()
    assert act(opened, "return newDevice().send();") == {"sent": 0, "waiting": 0, "refused": 0}
    act(opened, "await newDevice().report(record, 'yes');")
    assert states(opened) == ["ready"]
    assert act(opened, "return ledger.spent;") == SMALL.epsilon
    assert collector.posts == []


def test_a_report_survives_a_reload_before_it_is_sent(opened: Page, collector: Collector) -> None:
    """The bytes that were kept are sent, and after that nothing is."""
    made = act(opened, "return hex(await newDevice().report(record, 'yes'));")
    opened.reload()
    assert act(opened, "return newDevice().send();") == {"sent": 1, "waiting": 0, "refused": 0}
    opened.reload()
    assert act(opened, "return newDevice().send();") == {"sent": 0, "waiting": 0, "refused": 0}
    assert collector.bodies == [made]


@pytest.mark.parametrize(
    "trouble",
    [
        refusal(503),
        refusal(429),
        refusal(500),
        {"abort": "connectionrefused"},
        {"status": 200, "body": "<html>Log in to the hotel's network</html>"},
        {"status": 403, "body": "<html>Forbidden by a proxy</html>"},
        {"status": 200, "body": "null"},
    ],
    ids=str,
)
def test_trouble_is_answered_by_the_same_bytes(
    opened: Page, collector: Collector, trouble: dict[str, Any]
) -> None:
    """Waiting longer each time; after some attempts the report waits for the next call."""
    collector.answers = [trouble]
    script = """
        const device = newDevice();
        const made = hex(await device.report(record, "yes"));
        return [made, await device.send(), waits, ledger.of(study)[0].reason];"""
    made, delivery, waits, reason = act(opened, script)
    assert delivery == {"sent": 0, "waiting": 1, "refused": 0}
    assert reason
    assert len(waits) == 4
    assert all(500 * 2**i <= wait <= 1000 * 2**i for i, wait in enumerate(waits))
    collector.answers = [stored()]
    assert act(opened, "return newDevice().send();") == {"sent": 1, "waiting": 0, "refused": 0}
    assert set(collector.bodies) == {made}
    assert len(collector.bodies) == 6


def test_the_collector_says_how_long_to_wait(opened: Page, collector: Collector) -> None:
    """Up to a minute; who asks for more is left alone until the next call."""
    collector.answers = [refusal(503, Retry_After="20"), refusal(429, Retry_After="3600")]
    script = """
        const device = newDevice();
        await device.report(record, "yes");
        return [await device.send(), waits];"""
    assert act(opened, script) == [{"sent": 0, "waiting": 1, "refused": 0}, [20_000]]
    assert len(collector.posts) == 2


@pytest.mark.parametrize("status", [400, 403, 404, 409, 410, 413])
def test_permanent_refusals_are_not_tried_again(
    opened: Page, collector: Collector, status: int
) -> None:
    """The report stays refused, with the collector's reason, and the debit stands; no code does."""
    collector.answers = [refusal(status)]
    script = """
        const device = newDevice("SECRETCODE");
        await device.report(record, "yes");
        const first = await device.send();
        const second = await device.send();
        const { status, reason } = ledger.of(study)[0];
        const raised = await errorOf(() => device.report(record, "yes"));
        return [first, second, status, reason, raised];"""
    none = {"sent": 0, "waiting": 0, "refused": 0}
    expected = [none | {"refused": 1}, none, status, f"no, {status}", "BudgetError"]
    assert act(opened, script) == expected
    assert [post.headers["tacit-code"] for post in collector.posts] == ["SECRETCODE"]
    assert "SECRETCODE" not in opened.evaluate("JSON.stringify({ ...localStorage })")
    other = act(opened, "return newDevice('OTHER').send();")
    assert other["refused"] == (status == 403)


def test_another_code_sends_a_report_that_was_refused_for_its_code(
    opened: Page, collector: Collector
) -> None:
    """The same bytes with the new code; the old code is not tried again by itself."""
    collector.answers = [refusal(403), stored()]
    script = """
        const wrong = newDevice("typo");
        const made = hex(await wrong.report(record, "yes"));
        const right = newDevice("right");
        const deliveries = [await wrong.send(), await wrong.send(), await right.send()];
        return [made, deliveries, ledger.of(study)[0].code];"""
    made, deliveries, code = act(opened, script)
    assert [d["sent"] for d in deliveries] == [0, 0, 1]
    assert [post.headers["tacit-code"] for post in collector.posts] == ["typo", "right"]
    assert collector.bodies == [made, made]
    assert code == ""


def test_a_code_serves_one_report_and_outlives_a_reload(opened: Page, collector: Collector) -> None:
    """Each report goes with a code of its own, also from a page that was given none."""
    collector.answers = [{"abort": "connectionrefused"}]
    script = """
        for (const code of ["one", "two"]) {
          const device = newDevice(code);
          await device.report(record, "yes");
          await device.send();
        }"""
    act(opened, "ledger.lifetime = 100;" + script, "three reports")
    opened.reload()
    collector.answers, collector.posts = [stored()], []
    act(opened, "await newDevice().send();", "three reports")
    assert sorted(post.headers["tacit-code"] for post in collector.posts) == ["one", "two"]


def test_a_person_makes_no_more_reports_than_the_study_takes(opened: Page) -> None:
    """Counted across reloads; the refusal costs nothing."""
    report = "return errorOf(() => newDevice().report(record, 'yes'));"
    assert act(opened, report) == "nothing was raised"
    opened.reload()
    assert act(opened, report) == "BudgetError"
    assert states(opened) == ["ready"]
    assert act(opened, "return ledger.spent;") == SMALL.epsilon


def test_the_lifetime_budget_holds_until_its_owner_raises_it(opened: Page) -> None:
    """8 unless set: two reports of 3 fit, the third does not; the setting is kept."""
    report = "return errorOf(() => newDevice().report(record, 'yes'));"
    raised = [act(opened, report, "three reports") for _ in range(3)]
    assert raised == ["nothing was raised", "nothing was raised", "BudgetError"]
    act(opened, "ledger.lifetime = 9;")
    opened.reload()
    assert act(opened, "return [ledger.lifetime, ledger.spent];") == [9, 2 * SEVERAL.epsilon]
    assert act(opened, report, "three reports") == "nothing was raised"
    assert act(opened, report) == "BudgetError"
    script = """
        const wrong = [-1, NaN, Infinity, "5"];
        return Promise.all(wrong.map((limit) => errorOf(() => { ledger.lifetime = limit; })));"""
    assert act(opened, script) == ["ConfigurationError"] * 4


def test_cleared_storage_forgets(opened: Page) -> None:
    """What the docs say: another report can be made, and nobody can notice."""
    act(opened, "await newDevice().report(record, 'yes');")
    opened.evaluate("localStorage.clear()")
    opened.reload()
    assert act(opened, "return [ledger.spent, ledger.lifetime];") == [0, 8]
    report = "return errorOf(() => newDevice().report(record, 'yes'));"
    assert act(opened, report) == "nothing was raised"


def test_two_tabs_make_one_report(opened: Page) -> None:
    """Both try many times at once; one of all the attempts succeeds."""
    other = opened.context.new_page()
    open_page(other)
    begin = """
        window.result = Promise.all(Array.from({ length: 20 }, () =>
          errorOf(() => newDevice().report(record, "yes"))));"""
    act(opened, begin)
    act(other, begin)
    raised = opened.evaluate("window.result") + other.evaluate("window.result")
    assert sorted(raised) == ["BudgetError"] * 39 + ["nothing was raised"]
    assert states(opened) == ["ready"]


def test_a_report_waits_for_its_turn(opened: Page) -> None:
    """While another tab works on the ledger, nothing is debited."""
    other = opened.context.new_page()
    open_page(other)
    hold = """
        window.held = new Promise((resolve) => { window.release = resolve; });
        await new Promise((entered) => {
          navigator.locks.request("tacit/1", () => { entered(); return window.held; });
        });"""
    run(other, hold)
    script = """
        window.result = newDevice().report(record, "yes");
        for (let i = 0; i < 1000; i++) {
          if ((await navigator.locks.query()).pending.length > 0) break;
        }
        return ledger.entries.length;"""
    assert act(opened, script) == 0
    other.evaluate("window.release()")
    opened.evaluate("window.result.then(() => 0)")
    assert states(opened) == ["ready"]


def test_a_report_once_sent_stays_sent(opened: Page, collector: Collector) -> None:
    """Whatever a second sending of the same bytes is told."""
    collector.answers = [stored(), refusal(503)]
    script = """
        await newDevice().report(record, "yes");
        return Promise.all([newDevice().send(), newDevice().send()]);"""
    assert act(opened, script) == [{"sent": 1, "waiting": 0, "refused": 0}] * 2
    assert len(set(collector.bodies)) == 1
    assert states(opened) == ["sent"]


@pytest.mark.parametrize(
    ("change", "text"),
    [("cut", ""), ("state", "lost"), ("epsilon", 0), ("seed", "00"), ("mark", "x"), ("study", "")],
)
def test_a_damaged_ledger_randomizes_nothing(opened: Page, change: str, text: Any) -> None:
    """It says so, for this study and any other."""
    script = """
        await newDevice().report(record, "yes");
        const name = Object.keys(localStorage).find((key) => key.startsWith("tacit/1/report/"));
        const whole = localStorage.getItem(name);
        const changed = JSON.stringify({ ...JSON.parse(whole), [given.change]: given.text });
        localStorage.setItem(name, given.change === "cut" ? whole.slice(0, -1) : changed);
        return errorOf(() => newDevice().report(record, "yes"));"""
    assert act(opened, script, change=change, text=text) == "LedgerError"
    report = "return errorOf(() => newDevice().report(record, 'yes'));"
    assert act(opened, report, "three reports") == "LedgerError"


def test_a_full_storage_randomizes_nothing(opened: Page) -> None:
    """No debit, no report; once there is room both work."""
    script = """
        const real = Storage.prototype.setItem;
        Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
        const raised = await errorOf(() => newDevice().report(record, "yes"));
        Storage.prototype.setItem = real;
        return [raised, ledger.spent, await errorOf(() => newDevice().report(record, "yes"))];"""
    assert act(opened, script) == ["LedgerError", 0, "nothing was raised"]


@pytest.mark.parametrize(
    ("record", "label", "error"),
    [
        ({"age": 41}, None, "MissingLabelError"),
        ({"age": 41}, " ", "MissingLabelError"),
        ({}, "yes", "ConfigurationError"),
        ({"age": 41, "Age": 41}, "yes", "ConfigurationError"),
    ],
)
def test_what_cannot_be_reported_costs_nothing(
    opened: Page, record: dict[str, Any], label: str | None, error: str
) -> None:
    """Wrong names and a missing label are found before the debit."""
    script = """
        const raised = await errorOf(() => newDevice().report(given.record, given.label));
        return [raised, ledger.entries];"""
    assert act(opened, script, record=record, label=label) == [error, []]


def test_a_wild_answer_is_reported_like_any_other(opened: Page) -> None:
    """It is replaced; nothing outside the device differs."""
    script = "return errorOf(() => newDevice().report({ age: {} }, 'what?'));"
    assert act(opened, script) == "nothing was raised"
    assert states(opened) == ["ready"]
