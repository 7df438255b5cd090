"""What the pages and Python must say alike: bounds for people, and where a collector may be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tacit.collector import pages
from tacit.privacy.words import percent_up, times_up
from tests.browser.helpers import VECTORS, open_page, run

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.assure

APART = "https://pages.test/join.html"


@pytest.fixture
def opened(page: Page) -> Page:
    """A page that has every module."""
    open_page(page)
    return page


def test_bounds_are_rounded_up_as_in_python(opened: Page) -> None:
    """Percentages and factors of the shared vectors, letter by letter."""
    script = """
        const { percentUp, timesUp } = await inside("collector/pages/shared/bounds");
        return [given.percent.map((c) => percentUp(c.probability)),
          given.times.map((c) => timesUp(c.epsilon))];"""
    percents, times = run(opened, script, VECTORS["bounds"])
    assert percents == [case["shown"] for case in VECTORS["bounds"]["percent"]]
    assert times == [case["shown"] for case in VECTORS["bounds"]["times"]]


def test_bounds_at_the_edge_of_a_digit_are_those_of_python(opened: Page) -> None:
    """Where the next digit begins, up to the last bit of a float on either side."""
    digits = [place / 1000 for place in range(501, 999)]
    percents = [near for each in digits for near in around(each)]
    epsilons = [near for place in range(101, 999) for near in around(math.log(place / 100))]
    script = """
        const { percentUp, timesUp } = await inside("collector/pages/shared/bounds");
        return [given.percents.map(percentUp), given.epsilons.map(timesUp)];"""
    said = run(opened, script, {"percents": percents, "epsilons": epsilons})
    assert said == [[*map(percent_up, percents)], [*map(times_up, epsilons)]]


def around(number: float) -> tuple[float, float, float]:
    """A number between its neighbours."""
    return math.nextafter(number, 0.0), number, math.nextafter(number, math.inf)


def test_a_sum_of_epsilons_is_never_shown_as_less(opened: Page) -> None:
    """Six digits, upwards, without the dust that sums of decimals gather."""
    cases = {0.0: "0", 1.0: "1", 0.1 + 0.2: "0.3", 1.2345678: "1.23457", 1.23456: "1.23456"}
    cases |= {1.0000001: "1.00001", 7.999999: "8", 10 * 0.7: "7", 1e-20: "1e-20", 120.0: "120"}
    script = """
        const { numberUp } = await inside("collector/pages/shared/bounds");
        return given.map(numberUp);"""
    assert run(opened, script, list(cases)) == list(cases.values())


def test_no_bound_is_below_what_is_true(opened: Page) -> None:
    """Over a grid of epsilons: what is shown, read back, is at least the exact value."""
    script = """
        const { percentUp, timesUp } = await inside("collector/pages/shared/bounds");
        return given.map((eps) => [percentUp(1 / (1 + Math.exp(-eps))), timesUp(eps)]);"""
    grid = [place / 128 for place in range(1, 128 * 20)]
    for epsilon, (percent, times) in zip(grid, run(opened, script, grid), strict=True):
        best_guess, factor = 1 / (1 + math.exp(-epsilon)), math.exp(epsilon)
        assert 100 * best_guess <= float(percent.removesuffix("%")) < 100
        assert factor <= float(times.replace(",", "")) <= 1.01 * factor


def test_the_page_takes_the_addresses_of_the_vectors(opened: Page) -> None:
    """And no other, each without the slashes at its end."""
    script = """
        const { plainAddress } = await inside("collector/pages/join/plain");
        const good = given.good.map(({ address }) => plainAddress(address));
        return [good, given.bad.map(plainAddress)];"""
    good, bad = run(opened, script, VECTORS["addresses"])
    assert good == [case["reached"] for case in VECTORS["addresses"]["good"]]
    assert [address for address in bad if address is not None] == []


def test_the_policy_of_a_hosted_page_lets_it_reach_every_good_address(page: Page) -> None:
    """What the rule takes and the policy stopped would be a link that works nowhere."""
    page.route("**/*", _answer)
    page.goto(f"{APART}#collector=https://collector.example")
    page.get_by_role("heading", name="No study is open here").wait_for()
    reached = [case["reached"] for case in VECTORS["addresses"]["good"]]
    script = "(all) => Promise.all(all.map((one) => fetch(`${one}/studies`).then((a) => a.json())))"
    assert page.evaluate(script, reached) == [[]] * len(reached)


def test_the_policy_stops_what_the_rule_refuses(page: Page, expected_errors: list[str]) -> None:
    """Plain http to another machine, even if the script were led there."""
    expected_errors += ["Content Security Policy", "violates the document"]
    page.route("**/*", _answer)
    page.goto(f"{APART}#collector=https://collector.example")
    page.get_by_role("heading", name="No study is open here").wait_for()
    script = "(one) => fetch(one).then(() => 'reached', (error) => error.name)"
    for address in ("http://collector.example/", "http://127.0.0.2/", "http://[::1]/"):
        assert page.evaluate(script, address) == "TypeError"


def _answer(route: Route) -> None:
    """The page where it is hosted; elsewhere a collector that has no study."""
    if route.request.url.startswith(APART):
        route.fulfill(content_type="text/html", body=pages.page("join").html)
    else:
        route.fulfill(json=[], headers={"Access-Control-Allow-Origin": "*"})
