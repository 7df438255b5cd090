"""The browser's device of label-private studies: the same integers from the same words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.browser.helpers import open_page, run
from tests.vectors import label_private

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.assure

VECTORS = json.loads(label_private.FILE.read_text(encoding="utf-8"))
VECTORS["studies"] = {case["name"]: case["file"] for case in VECTORS["studies"]}
INSIDE = """
    const { readLabelStudy } = await inside("device/browser/labelstudy");
    const { drawLabel } = await inside("device/browser/labelmechanism");
    const { weightsOf } = await inside("device/browser/labels");
"""


@pytest.fixture
def opened(page: Page) -> Page:
    """A page that has device.js."""
    open_page(page)
    return page


def test_the_same_words_make_the_same_integer(opened: Page) -> None:
    """Every good vector, with exactly its words."""
    script = (
        INSIDE
        + """
        const found = [];
        for (const { study, label, words } of given.good) {
          const left = words.map((word) => BigInt(`0x${word}`));
          const read = await readLabelStudy(given.studies[study]);
          const weights = weightsOf(read.label, valueOf(label));
          found.push([drawLabel(read, weights, () => left.shift()), left.length]);
        }
        return found;"""
    )
    found = run(opened, script, VECTORS)
    wrong = [
        (case, seen)
        for case, seen in zip(VECTORS["good"], found, strict=True)
        if seen != [case["number"], 0]
    ]
    assert wrong == []


def test_bad_files_and_missing_labels_are_refused(opened: Page) -> None:
    """By the errors that are documented."""
    script = """
        const found = [];
        for (const { file } of given.bad) found.push(await errorOf(() => D.readLabelStudy(file)));
        for (const { study, label } of given.missing) {
          const read = await D.readLabelStudy(given.studies[study]);
          found.push(await errorOf(() => D.randomizeLabel(read, valueOf(label))));
        }
        return found;"""
    expected = ["StudyError"] * len(VECTORS["bad"])
    expected += ["MissingLabelError"] * len(VECTORS["missing"])
    told = run(opened, script, VECTORS)
    names = [case.get("why", case) for case in (*VECTORS["bad"], *VECTORS["missing"])]
    pairs = zip(names, told, expected, strict=True)
    assert [(name, seen) for name, seen, meant in pairs if seen != meant] == []


def test_reports_have_one_length_and_the_law_of_the_mechanism(opened: Page) -> None:
    """Eight bytes each; yes is kept as often as stated."""
    script = """
        const study = await D.readLabelStudy(given.file);
        let all = "";
        for (let i = 0; i < given.count; i++) all += hex(D.randomizeLabel(study, "yes"));
        return all;"""
    count = 20_000
    given = {"file": VECTORS["studies"]["one of two"], "count": count}
    sent: Any = np.frombuffer(bytes.fromhex(run(opened, script, given)), dtype="<i8")
    assert len(sent) == count
    kept = 1 / (1 + np.exp(-1.0))
    assert set(sent.tolist()) == {0, 1}
    assert abs(sent.mean() - kept) < 7 * np.sqrt(kept * (1 - kept) / count)


def test_a_copy_of_a_study_is_refused(opened: Page) -> None:
    """It could have been altered on the way."""
    script = """
        const study = await D.readLabelStudy(given.file);
        return errorOf(() => D.randomizeLabel({ ...study, epsilon: 20 }, "yes"));"""
    given = {"file": VECTORS["studies"]["one of two"]}
    assert run(opened, script, given) == "StudyError"
