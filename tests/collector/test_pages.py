import base64
import hashlib
import re
from pathlib import Path

import pytest

from tacit.collector import pages

PAGES = ("join", "dashboard")
PUBLISHED = Path(__file__).parents[2] / "docs" / "participants.md"
_DECLARED = re.compile(r"^(?:async )?(?:function\*?|class|const|let|var) (\w+)", re.MULTILINE)


@pytest.fixture(params=PAGES)
def name(request: pytest.FixtureRequest) -> str:
    """Each page in turn."""
    return str(request.param)


def html_of(name: str) -> str:
    """The page as text."""
    return pages.page(name).html.decode()


def inside(html: str, tag: str) -> str:
    """What stands in the one element of a kind."""
    (content,) = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", html, re.DOTALL)
    return str(content)


def source(text: str) -> str:
    """How a content policy names an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def own_policy(html: str) -> str:
    """The policy that the page states itself."""
    (content,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    return str(content)


def test_a_page_refers_to_nothing_outside_itself(name: str) -> None:
    """No script, style, font, image or frame is loaded; the icon is written out."""
    html = html_of(name)
    markup = html.replace(inside(html, "script"), "").replace(inside(html, "style"), "")
    links = re.findall(r'<(?!a\b)\w+[^>]*?\b(?:src|srcset|href|action|data)="([^"]*)"', markup)
    assert all(link.startswith(("data:", "#")) for link in links)
    assert not re.search(r"url\(|@import|@font-face", inside(html, "style"))
    assert not re.search(r"<(?:iframe|object|embed|img|base)\b", markup)


def test_a_page_has_one_script_and_one_style(name: str) -> None:
    """And nothing that the policy would not let run: no handlers, no style attributes."""
    html = html_of(name)
    assert html.count("<script") == html.count("<style") == 1
    markup = html.replace(inside(html, "script"), "").replace(inside(html, "style"), "")
    assert not re.search(r"<[^>]+\s(?:on\w+|style)=", markup)


def test_the_policies_name_exactly_this_script_and_style(name: str) -> None:
    """The header's and the page's own, so that a copy hosted elsewhere is as strict."""
    html = html_of(name)
    for policy in (pages.page(name).policy, own_policy(html)):
        rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
        assert rules["script-src"] == source(inside(html, "script"))
        assert rules["style-src"] == source(inside(html, "style"))
        assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"


def test_whom_a_page_may_talk_to(name: str) -> None:
    """Where the collector serves it, the collector; a copy elsewhere any collector by TLS."""
    assert "; connect-src 'self'; " in pages.page(name).policy
    assert pages.page(name).policy.endswith("; frame-ancestors 'none'")
    others = {"join": " https: http://localhost:* http://127.0.0.1:*", "dashboard": ""}
    assert f"connect-src 'self'{others[name]};" in own_policy(html_of(name))


def test_the_policy_stands_before_what_it_governs(name: str) -> None:
    """A policy in the page holds only for what comes after it."""
    html = html_of(name)
    assert html.index("Content-Security-Policy") < html.index("<style") < html.index("<script")


def test_modules_become_one_script(name: str) -> None:
    """Without imports and exports; who looks at results runs nothing that sees answers."""
    script = inside(html_of(name), "script")
    assert not re.search(r"^(?:import|export) ", script, re.MULTILINE)
    assert ("function randomize(" in script) == (name == "join")


@pytest.mark.parametrize("file", ["join", "dashboard", "device.js"])
def test_names_of_modules_do_not_meet(file: str) -> None:
    """They share one scope, where a second declaration would stop the whole script."""
    script = inside(html_of(file), "script") if file in PAGES else pages.device_js().decode()
    declared = _DECLARED.findall(script)
    assert len(declared) > 50
    assert sorted(declared) == sorted(set(declared))


def test_nothing_a_study_says_can_become_markup(name: str) -> None:
    """Text goes into nodes as text."""
    script = inside(html_of(name), "script")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", script)


def test_every_node_that_is_asked_for_exists(name: str) -> None:
    """A misspelt id would only show when its step is reached."""
    html = html_of(name)
    asked = {*re.findall(r'(?:byId|fill|say)\(\s*"([\w-]+)"', inside(html, "script"))}
    there = [*re.findall(r'\bid="([\w-]+)"', html)]
    assert len(set(there)) == len(there)
    assert asked <= set(there)
    assert len(asked) > 20


def test_every_static_field_has_a_label() -> None:
    """Those of the schema are checked in the browser."""
    html = html_of("join")
    fields = re.findall(r'<(?:input|select|textarea)\b[^>]*\bid="([\w-]+)"', html)
    assert len(fields) == len(re.findall(r"<(?:input|select|textarea)\b", html)) > 0
    assert set(fields) <= {*re.findall(r'<label for="([\w-]+)"', html)}


def test_hashes_are_those_of_the_bytes() -> None:
    """What is published is what a browser gets, the same every time."""
    published = pages.hashes()
    assert published.keys() == {*PAGES, "device.js"}
    for name in PAGES:
        assert published[name] == hashlib.sha256(pages.page(name).html).hexdigest()
    assert published["device.js"] == hashlib.sha256(pages.device_js()).hexdigest()
    assert pages.page("join") is pages.page("join")


@pytest.mark.parametrize(("file", "name"), [("join.html", "join"), ("device.js", "device.js")])
def test_the_published_hashes_are_those_of_this_version(file: str, name: str) -> None:
    """Where whoever runs a collector cannot change them."""
    line = f"| `{file}` | `{pages.hashes()[name]}` |"
    assert line in PUBLISHED.read_text().splitlines(), f"put this into {PUBLISHED}: {line}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_told_apart(scheme: str) -> None:
    """WCAG AA: text 4.5 to 1 on every ground, edges of fields 3 to 1."""
    blocks = re.findall(r":root \{(.*?)\}", inside(html_of("join"), "style"), re.DOTALL)
    assert len(blocks) == 2
    block = blocks[scheme == "dark"]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
    for ground in ("paper", "card", "tint"):
        for ink in ("ink", "muted", "accent", "good", "warn", "bad"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    assert contrast(colours["on-accent"], colours["accent"]) >= 4.5
    assert min(contrast(colours["edge"], colours[ground]) for ground in ("paper", "card")) >= 3


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
