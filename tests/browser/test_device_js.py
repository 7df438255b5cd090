"""The browser's device: same answers and same law as the Python device."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tacit import answers
from tacit.device.randomize import corner_vectors
from tacit.privacy import Sphere
from tacit.privacy.expand import expand
from tacit.privacy.sphere import normalised
from tests.browser.helpers import STUDY_FILES, VECTORS, open_page, run, study_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.assure

AGREEMENT = 1e-12
ERRORS = 7  # standard errors that a statistic may be off
RECORD = {"age": 1.5, "smoker": "yes", "region": "north"}  # of the study "small"
RECORDS = [
    RECORD,
    {"age": None, "smoker": None, "region": None},
    {"age": 499_969, "smoker": "no", "region": "true"},
    {"age": "1e400", "smoker": [], "region": "nowhere"},
]
ODD = (
    "_+-.eE0123456789xXiInNfFaAlLsStTuUrR\t\n\x1c\x1f \x85\xa0\u2003\u3000\ufeff"
    "\u0663\uff14\u00b2\U0001d7d8\u0130\u0131\u017f\u212a\u00df\ufb02"
)


@pytest.fixture
def opened(page: Page) -> Page:
    """A page that has device.js."""
    open_page(page)
    return page


def points_of(seeds: str, name: str) -> Any:
    """Unit vectors (n, d) of seeds in hexadecimal."""
    study = study_of(name)
    array = np.frombuffer(bytes.fromhex(seeds), dtype=np.uint8).reshape(-1, 16)
    return expand(array, study.tag, study.dimension).T


def sphere_of(name: str) -> Sphere:
    """The mechanism of a study of the vectors."""
    mechanism = study_of(name).mechanism
    assert isinstance(mechanism, Sphere)
    return mechanism


def direction(name: str, record: dict[str, Any], corner: float) -> Any:
    """The unit vector that a record with a sure label of two classes stands for."""
    return corner * normalised(study_of(name).encode([record]))[0]


def reports(page: Page, count: int, record: dict[str, Any], label: str = "yes") -> str:
    """Many reports of one record in the study "small", in hexadecimal."""
    script = """
        const study = await D.readStudy(given.file);
        let all = "";
        const { record, label } = given;
        for (let i = 0; i < given.count; i++) all += hex(D.randomize(study, record, label));
        return all;"""
    given = {"file": STUDY_FILES["small"], "count": count, "record": record, "label": label}
    return str(run(page, script, given))


def test_records_encode_as_stated(opened: Page) -> None:
    """Every good vector to 1e-12 of its largest entry, and the names of what is replaced."""
    script = """
        const { studies, cases } = given;
        const read = {};
        for (const [name, file] of Object.entries(studies)) read[name] = await D.readStudy(file);
        return cases.map(({ study, record }) => [
          Array.from(D.encode(read[study], recordOf(record))),
          D.preview(read[study], recordOf(record), "yes").replaced,
        ]);"""
    cases = VECTORS["encoding"]["good"]
    found = run(opened, script, {"studies": STUDY_FILES, "cases": cases})
    for case, (z, replaced) in zip(cases, found, strict=True):
        scale = max(1.0, *map(abs, case["z"]))
        assert np.abs(np.subtract(z, case["z"])).max() <= AGREEMENT * scale, case
        assert replaced == case["replaced"], case


def test_wrong_names_and_missing_labels_are_refused(opened: Page) -> None:
    """These alone: names are public, and without a label there is nothing to report."""
    script = """
        const found = [];
        for (const { study, record, label } of given.cases) {
          const read = await D.readStudy(given.studies[study]);
          const blank = Object.fromEntries(read.features.map(({ name }) => [name, null]));
          const called = record ? "yes" : valueOf(label);
          found.push(await errorOf(() => D.randomize(read, record ?? blank, called)));
        }
        return found;"""
    names, missing = VECTORS["encoding"]["refused"], VECTORS["labels"]["missing"]
    raised = run(opened, script, {"studies": STUDY_FILES, "cases": [*names, *missing]})
    assert raised == ["ConfigurationError"] * len(names) + ["MissingLabelError"] * len(missing)


def test_labels_weigh_as_stated(opened: Page) -> None:
    """Every good vector exactly."""
    script = """
        const found = [];
        for (const { study, label } of given.cases) {
          const read = await D.readStudy(given.studies[study]);
          found.push(Array.from(D.labelWeights(read, valueOf(label))));
        }
        return found;"""
    cases = VECTORS["labels"]["good"]
    found = run(opened, script, {"studies": STUDY_FILES, "cases": cases})
    assert found == [case["weights"] for case in cases]


def test_seeds_expand_to_the_same_bits(opened: Page) -> None:
    """Equal to Python's floats, hence within 1e-12 of the vectors; other lengths are refused."""
    script = """
        const expanded = (c) => Array.from(D.expand(unhex(c.seed), unhex(c.tag), c.dimension));
        const refused = await Promise.all(given.refused.map((c) => errorOf(() => expanded(c))));
        return [given.good.map(expanded), refused];"""
    points, refused = run(opened, script, VECTORS["expansion"])
    for case, point in zip(VECTORS["expansion"]["good"], points, strict=True):
        seed = np.frombuffer(bytes.fromhex(case["seed"]), dtype=np.uint8)[None, :]
        assert point == expand(seed, bytes.fromhex(case["tag"]), case["dimension"])[:, 0].tolist()
        assert np.abs(np.subtract(point, case["coordinates"])).max() <= AGREEMENT
    assert set(refused) == {"ConfigurationError"}


def test_many_seeds_expand_to_the_same_bits(opened: Page) -> None:
    """A few thousand random seeds; no bit differs."""
    script = """
        const seeds = unhex(given.seeds);
        return Array.from({ length: given.count }, (_, i) =>
          Array.from(D.expand(seeds.subarray(16 * i, 16 * i + 16), unhex(given.tag), 19)));"""
    seeds = np.random.default_rng(5).integers(0, 256, (4000, 16), dtype=np.uint8)
    given = {"seeds": seeds.tobytes().hex(), "tag": "5a" * 16, "count": len(seeds)}
    points = np.array(run(opened, script, given))
    np.testing.assert_array_equal(points.T, expand(seeds, bytes.fromhex("5a" * 16), 19))


def test_decisions_are_those_of_the_vectors(opened: Page) -> None:
    """Every good accept vector agrees, every altered one disagrees."""
    script = """
        return given.map((c) => D.accepts(
          { tag: unhex(c.tag), coin: BigInt(c.coin), mechanism: c },
          Float64Array.from(c.vector), unhex(c.seed), BigInt("0x" + c.word)));"""
    for group, agrees in (("good", True), ("disagree", False)):
        cases = VECTORS["accept"][group]
        spheres = [Sphere.best(case["dimension"], case["epsilon"]) for case in cases]
        given = [
            case | {"cap": sphere.cap, "coin": str(sphere.coin)}
            for case, sphere in zip(cases, spheres, strict=True)
        ]
        decided = run(opened, script, given)
        assert {d == c["accepted"] for d, c in zip(decided, cases, strict=True)} == {agrees}


def test_odd_texts_mean_the_same(opened: Page) -> None:
    """Numbers and levels from thousands of strings of awkward letters."""
    generator = np.random.default_rng(11)
    letters = np.array(list(ODD))
    texts = ["".join(generator.choice(letters, generator.integers(1, 7))) for _ in range(20_000)]
    # a control character beside letters beyond ASCII is a space to Python's float, alone it is not
    texts = [text for text in texts if text.isascii() or not set(text) & {"\x1c", "\x1f"}]
    values = [*texts, *generator.normal(0, 1, 500).tolist(), *(10.0 ** np.arange(-9, 25)).tolist()]
    script = """
        const { number, text } = await inside("device/browser/answers");
        return given.map((value) => [text(value), String(number(value))]);"""
    found = run(opened, script, values)
    for value, (text, number) in zip(values, found, strict=True):
        expected = answers.numbers(answers.column([value]))[0]
        assert text == answers.text(answers.plain(value)), repr(value)
        assert float(number.replace("Infinity", "inf")) == pytest.approx(
            expected, rel=0, abs=0, nan_ok=True
        ), repr(value)


def test_corners_are_drawn_and_vectors_scaled_as_in_python(opened: Page) -> None:
    """Also of zero rows, of rows near the ends of the range of floats, and beyond."""
    script = """
        const { labelledVector, normalised } = await inside("device/browser/vector");
        return given.map(({ z, weights, uniform }) =>
          Array.from(normalised(labelledVector(Float64Array.from(z), weights, uniform))));"""
    generator = np.random.default_rng(3)
    lengths = (0.0, 5e-324, 1e-200, 1.0, 1e200)
    cases = [
        {"z": z.tolist(), "weights": [0.2, 0.5, 0.3], "uniform": uniform}
        for z in (length * generator.normal(size=4) for length in lengths)
        for uniform in (0.0, 0.19, 0.2, 0.34, 0.69, 0.7, 1 - 2.0**-53)
    ]
    found = run(opened, script, cases)
    study = study_of("categorical")
    for case, vector in zip(cases, found, strict=True):
        parts = (np.array([case[name]]) for name in ("z", "weights", "uniform"))
        expected = normalised(corner_vectors(study, *parts))[0]
        assert np.abs(vector - expected).max() <= AGREEMENT, case


def test_what_has_no_direction_becomes_the_first_axis(opened: Page) -> None:
    """Zero, infinite and not a number: a refusal would tell of the row."""
    script = """
        const { normalised } = await inside("device/browser/vector");
        return [[0, 0], [0, Infinity], [NaN, 1], [-0, -0]].map((vector) =>
          Array.from(normalised(Float64Array.from(vector))));"""
    assert run(opened, script) == [[1, 0]] * 4


def test_the_first_accepted_seed_of_known_randomness_is_sent(opened: Page) -> None:
    """With every random byte known, Python takes the same decisions and finds the same seed."""
    script = """
        const study = await D.readStudy(given.file);
        const drawn = [];
        const real = crypto.getRandomValues.bind(crypto);
        crypto.getRandomValues = (bytes) => { real(bytes); drawn.push(hex(bytes)); return bytes; };
        const found = [];
        for (let i = 0; i < 100; i++) {
          drawn.length = 0;
          const seed = D.randomize(study, given.record, "yes");
          found.push([[...drawn], hex(seed)]);
        }
        return found;"""
    given = {"file": STUDY_FILES["small"], "record": RECORD}
    vector = direction("small", RECORD, 1.0)
    for drawn, sent in run(opened, script, given):
        word, *steps = map(bytes.fromhex, drawn)
        assert len(word) == 8
        assert len(steps) % 2 == 0
        accepted: list[str] = []
        for seeds, words in zip(steps[0::2], steps[1::2], strict=True):
            assert accepted == []
            array = np.frombuffer(seeds, dtype=np.uint8).reshape(-1, 16)
            repeated = np.repeat(vector[None, :], len(array), axis=0)
            taken = sphere_of("small").accepts(array, np.frombuffer(words, dtype="<u8"), repeated)
            accepted = [row.tobytes().hex() for row in array[taken]]
        assert accepted[0] == sent


def test_the_work_of_a_step_does_not_depend_on_the_record(opened: Page) -> None:
    """Where every coin accepts there is one step of 64 trials, each computed to its end."""
    script = """
        const study = await D.readStudy(given.file);
        const work = [];
        const watch = (owner, name, note) => {
          const real = owner[name];
          owner[name] = function (...given) {
            work.push(note(...given));
            return real.apply(this, given);
          };
        };
        watch(crypto, "getRandomValues", (bytes) => bytes.length);
        watch(DataView.prototype, "getBigUint64", () => "coin");
        watch(Math, "sqrt", () => "root");
        return given.records.map((record, place) => {
          work.length = 0;
          D.randomize(study, recordOf(record), place);
          return work.join();
        });"""
    records = [case["record"] for case in VECTORS["encoding"]["good"] if case["study"] == "binary"]
    given = {"file": STUDY_FILES["strongest"], "records": records}
    (done,) = set(run(opened, script, given))
    assert done.split(",").count("coin") == 64


def test_uniforms_are_made_of_53_bits(opened: Page) -> None:
    """As in Python: the upper bits of a little-endian word."""
    words = [0, 1, 2047, 2048, 2**53, 2**64 - 1, 0x0123456789ABCDEF]
    script = """
        const { uniform } = await inside("device/browser/entropy");
        return given.map((digits) => {
          crypto.getRandomValues = (bytes) => { bytes.set(unhex(digits)); return bytes; };
          return uniform();
        });"""
    found = run(opened, script, [struct.pack("<Q", word).hex() for word in words])
    assert found == [(word >> 11) * 2.0**-53 for word in words]


def test_without_entropy_there_is_no_report(opened: Page) -> None:
    """The error passes on."""
    script = """
        const study = await D.readStudy(given.file);
        crypto.getRandomValues = () => { throw new DOMException("none", "OperationError"); };
        return errorOf(() => D.randomize(study, given.record, "yes"));"""
    assert run(opened, script, {"file": STUDY_FILES["small"], "record": RECORD}) == "OperationError"


def test_a_report_has_nothing_beside_its_16_bytes(opened: Page) -> None:
    """The seeds that were tried with it would narrow down what was accepted."""
    script = """
        const study = await D.readStudy(given.file);
        const report = D.randomize(study, given.record, "yes");
        return [report.length, report.buffer.byteLength];"""
    assert run(opened, script, {"file": STUDY_FILES["small"], "record": RECORD}) == [16, 16]


def test_reports_are_unbiased(opened: Page) -> None:
    """The mean of 20,000 browser reports, expanded by Python, is mu times the input."""
    count = 20_000
    sphere = sphere_of("small")
    mean = points_of(reports(opened, count, RECORD), "small").mean(axis=0)
    expected = sphere.mean_length * direction("small", RECORD, 1.0)
    error = sphere.mean_length * np.sqrt(sphere.noise / count)
    assert np.abs(mean - expected).max() <= ERRORS * error
    along = mean @ direction("small", RECORD, 1.0)
    assert abs(along - sphere.mean_length) <= ERRORS * error


@pytest.mark.parametrize("record", RECORDS, ids=str)
@pytest.mark.parametrize(("label", "corner"), [("yes", 1.0), ("0", -1.0)])
def test_the_cap_rate_is_the_same_for_every_input(
    opened: Page, record: dict[str, Any], label: str, corner: float
) -> None:
    """The share of reports in the cap around the input, as the mechanism promises."""
    count = 3000
    sphere = sphere_of("small")
    points = points_of(reports(opened, count, record, label), "small")
    share = (points @ direction("small", record, corner) >= sphere.cap).mean()
    expected = sphere.cap_rate / sphere.accept_rate
    assert abs(share - expected) <= ERRORS * np.sqrt(expected * (1 - expected) / count)
