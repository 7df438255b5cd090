"""A person at the participants' page, and the study they are asked to take part in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.study import Binary, Feature, Study

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request

BEGIN, LOOK_OVER, SEND = "Go to the questions", "Look over my answers", "Randomize and send"
AGE, HOURS, SMOKER, REGION, LEFT = QUESTIONS = (
    "How old are you?",
    "How long are you online each week?",
    "Do you smoke?",
    "Where do you live?",
    "Have you left the service?",
)
ANSWERS = ("47.125", "13.375", "secretly", "eastern shore")  # as they must not be found anywhere
SENT, KEPT, BEFORE = "Sent. Thank you.", "Kept here, not sent yet", "You have already taken part"

_BYTES = re.compile("[0-9a-f]{4}")


def make_study(epsilon: float = 1.0, label: Any = None, **more: Any) -> Study:
    """Two numbers, a yes or no, and a choice, with questions; "secretly" leaving is the label."""
    generator = np.random.default_rng(3)
    rows = {
        "age": generator.normal(46.0, 15.0, 1000),
        "hours": generator.normal(15.0, 4.0, 1000),
        "smoker": generator.random(1000) < 0.3,
        "region": generator.choice(["inland", "eastern shore", "western shore"], 1000),
    }
    features = (
        Feature("age", question=AGE, unit="years"),
        Feature("hours", question=HOURS, unit="hours"),
        Feature("smoker", kind="binary", question=SMOKER),
        Feature("region", kind="categorical", question=REGION),
    )
    return Study.from_public(
        rows,
        label=label or Binary("left", positive="secretly", negative="no", question=LEFT),
        epsilon=epsilon,
        source="a published survey",
        title=more.pop("title", "Who leaves the service?"),
        features=features,
        **more,
    )


def press(page: Page, name: str) -> None:
    """Press a button, once it is there."""
    page.get_by_role("button", name=name, exact=True).click()


def heading(page: Page, text: str) -> None:
    """Wait for a heading."""
    page.get_by_role("heading", name=text, exact=True).wait_for()


def choose(page: Page, question: str, answer: str) -> None:
    """Choose one answer of a question, or "Prefer not to say"."""
    page.get_by_role("group", name=question).get_by_label(answer, exact=True).check()


def answer(page: Page) -> None:
    """Answer every question."""
    page.get_by_role("textbox", name=AGE).fill(ANSWERS[0])
    page.get_by_role("textbox", name=HOURS).fill(ANSWERS[1])
    choose(page, SMOKER, "Yes")
    choose(page, REGION, ANSWERS[3])
    choose(page, LEFT, ANSWERS[2])


def take_part(page: Page, address: str) -> None:
    """From the address to the button that sends."""
    page.goto(address)
    press(page, BEGIN)
    answer(page)
    press(page, LOOK_OVER)
    press(page, SEND)


def shown_bytes(page: Page) -> bytes:
    """The report as the page shows it."""
    return bytes.fromhex("".join(_BYTES.findall(page.locator(".bytes").inner_text())))


def posts(requests: list[Request]) -> list[bytes]:
    """The body of every message that was sent."""
    return [request.post_data_buffer or b"" for request in requests if request.method == "POST"]
