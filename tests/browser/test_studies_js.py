"""What the browser's device takes for a study: the files of the vectors, and no other."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tacit.privacy import Sphere
from tacit.privacy.draws import coin_threshold
from tacit.study import Count, Study
from tests.browser.helpers import STUDY_FILES, VECTORS, open_page, run, study_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.assure

AGREEMENT = 1e-12
RECORD = {"age": 1.5, "smoker": "yes", "region": "north"}  # of the study "small"
SAME_ANSWERS = ["1", "true", "2"]  # the first two are one answer, however it was stored


@pytest.fixture
def opened(page: Page) -> Page:
    """A page that has device.js."""
    open_page(page)
    return page


def forged(file: str, path: str, value: Any) -> str:
    """A study file with another value somewhere, and the id that its content has."""
    content = json.loads(file)["study"]
    *parents, last = path.split(".")
    inner = content
    for key in parents:
        inner = inner[int(key) if isinstance(inner, list) else key]
    inner[int(last) if isinstance(inner, list) else last] = value
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return f'{{"id":"{hashlib.sha256(body.encode()).hexdigest()}","study":{body}}}\n'


def test_good_study_files_are_read(opened: Page) -> None:
    """From text and from bytes, with the id, the tag, the coin and the guarantee of the vector."""
    for case in VECTORS["studies"]["good"]:
        script = """
            const study = await D.readStudy(given);
            const again = await D.readStudy(new TextEncoder().encode(given));
            return [study.id, again.id, hex(study.tag), String(study.coin), study.guarantee,
              Object.isFrozen(study) && Object.isFrozen(study.transform.matrix[0] ?? study)];"""
        one, two, tag, coin, guarantee, frozen = run(opened, script, case["file"])
        expected = study_of(case["name"]).guarantee
        assert one == two == case["id"]
        assert (tag, coin, frozen) == (case["id"][:32], case["coin"], True)
        assert guarantee["epsilon"] == case["total_epsilon"]
        assert guarantee["factor"] == pytest.approx(expected.factor, rel=AGREEMENT)
        assert guarantee["bestGuess"] == pytest.approx(expected.best_guess, rel=AGREEMENT)


def test_bad_study_files_are_refused(opened: Page) -> None:
    """Every one of them, and a study made for simulation, as a StudyError."""
    simulated = Study.from_public(
        {"x": np.arange(50.0)}, label=Count("y", 3), epsilon=1.0, source="s", simulation=True
    )
    honest = {"why": "simulation", "file": simulated.to_bytes().decode()}
    cases = [*VECTORS["studies"]["bad"], honest]
    script = "return Promise.all(given.map((file) => errorOf(() => D.readStudy(file))));"
    raised = run(opened, script, [case["file"] for case in cases])
    wrong = [
        case["why"] for case, error in zip(cases, raised, strict=True) if error != "StudyError"
    ]
    assert wrong == []


def test_what_a_study_may_state(opened: Page) -> None:
    """Numbers from 1e-100 to 1e100 or zero, a range that is none, answers that are distinct."""
    small, bounded = STUDY_FILES["small"], STUDY_FILES["bounded"]
    taken = [
        *(forged(small, f"features.0.{name}", 1e-100) for name in ("fill", "spread")),
        *(forged(small, f"transform.{name}.0", -1e-100) for name in ("center", "matrix.0")),
        *(forged(bounded, "label.low", low) for low in (-1e100, 0.0, 1e-100)),
    ]
    refused = [
        *(forged(small, f"features.0.{name}", 9e-101) for name in ("fill", "spread")),
        *(forged(small, f"transform.{name}.0", -9e-101) for name in ("center", "matrix.0")),
        *(forged(small, f"transform.{name}.0", 1e-305) for name in ("matrix.0", "spectrum")),
        *(forged(bounded, "label.low", low) for low in (-1.1e100, 9e-101, 5e-324)),
        forged(bounded, "label.low", json.loads(bounded)["study"]["label"]["high"]),
        forged(STUDY_FILES["categorical"], "label.levels", SAME_ANSWERS),
    ]
    script = "return Promise.all(given.map((file) => errorOf(() => D.readStudy(file))));"
    assert set(run(opened, script, taken)) == {"nothing was raised"}
    assert set(run(opened, script, refused)) == {"StudyError"}


@pytest.mark.parametrize("kind", ["gaussian", "Sphere", "", None, "constructor"])
def test_a_mechanism_of_another_kind_is_refused(opened: Page, kind: str | None) -> None:
    """In a sentence that says which, and what to do."""
    script = "return D.readStudy(given).then(() => 'taken', ({ message }) => message);"
    said = run(opened, script, forged(STUDY_FILES["small"], "mechanism.kind", kind))
    assert said.startswith(f"the study's mechanism is {json.dumps(kind)}")
    assert "reload the page" in said


def test_a_study_cannot_be_altered_in_memory(opened: Page) -> None:
    """It is frozen, all the way down; its tag, which cannot be, is handed out as a copy."""
    script = """
        const study = await D.readStudy(given);
        const before = hex(study.tag);
        study.tag.fill(0);
        const attempts = [
          () => { study.coin = 0n; }, () => { study.epsilon = 9; },
          () => { study.mechanism.cap = 0; }, () => { study.transform.matrix[0][0] = 1; },
          () => { study.features.pop(); }, () => { study.label.positive = "no"; },
          () => { delete study.tag; }, () => { Object.defineProperty(study, "coin", {}); },
          () => { study.extra = 1; },
        ].map((attempt) => Function("attempt", '"use strict"; attempt();').bind(null, attempt));
        for (const attempt of attempts) await errorOf(attempt);
        const again = await D.readStudy(given);
        const told = (one) => JSON.stringify(one, (_, v) => (typeof v === "bigint" ? `${v}` : v));
        return [before === hex(study.tag), told(study) === told(again)];"""
    assert run(opened, script, STUDY_FILES["small"]) == [True, True]


def test_an_altered_copy_of_a_study_is_refused_before_it_costs(opened: Page) -> None:
    """Whatever it is made with, and whichever way it is used; nothing is debited."""
    script = """
        const study = await D.readStudy(given.file);
        const copies = [
          { ...study }, { ...study, coin: 2n ** 64n }, structuredClone({ ...study }),
          Object.create(study, { coin: { value: 0n } }), new Proxy(study, {}),
        ];
        const ledger = new D.Ledger();
        const raised = [];
        for (const copy of copies) {
          const device = new D.Device(copy, { collector: "https://collector.test" });
          raised.push(
            await errorOf(() => D.randomize(copy, given.record, "yes")),
            await errorOf(() => D.preview(copy, given.record, "yes")),
            await errorOf(() => D.encode(copy, given.record)),
            await errorOf(() => D.labelWeights(copy, "yes")),
            await errorOf(() => device.report(given.record, "yes")),
            await errorOf(() => ledger.report(copy, () => new Uint8Array(16))),
          );
        }
        return [raised, ledger.entries, await errorOf(() => D.encode(study, given.record))];"""
    given = {"file": STUDY_FILES["small"], "record": RECORD}
    raised, entries, genuine = run(opened, script, given)
    assert raised == ["StudyError"] * 30
    assert (entries, genuine) == ([], "nothing was raised")


def test_the_mechanism_is_derived_as_in_python(opened: Page) -> None:
    """Coins exactly, mean lengths closely, over the whole range of both."""
    settings = [
        (d, e) for d in (1, 2, 3, 10, 101, 2000) for e in (1e-30, 0.01, 0.7, 1.0, 5.3, 12.0)
    ]
    script = """
        const { coinThreshold, meanLength } = await inside("device/browser/sphere");
        return given.map(([d, e, cap]) => [String(coinThreshold(e)), meanLength(d, e, cap)]);"""
    spheres = [Sphere.best(d, e) for d, e in settings]
    derived = run(opened, script, [[s.dimension, s.epsilon, s.cap] for s in spheres])
    for sphere, (coin, length) in zip(spheres, derived, strict=True):
        assert int(coin) == sphere.coin == coin_threshold(sphere.epsilon)
        assert abs(length - sphere.cap) <= 1e-9
