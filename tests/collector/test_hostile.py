"""Dishonest people at a real collector: 16 bytes each, chosen to push one coefficient."""

from pathlib import Path

import numpy as np

from evidence import hostile, populations
from tacit.device import randomize_rows
from tacit.inference import coefficient_names, fit
from tacit.privacy.expand import expand
from tacit.study import Study, Tally
from tacit.study.report import Seeds
from tests.collector.exports import progress, stored_tally
from tests.collector.running import running

PEOPLE = 30_000
TRIED_FOR_EACH = 500  # seeds that a dishonest person looks at
BATCH = 10_000
EPSILON = 4.0
PUSHED = "x3"
TOLERANCE = 7.0  # standard deviations of what the replaced people would have reported


def chosen(study: Study, direction: np.ndarray, count: int) -> Seeds:
    """Seeds that point where they should: a report cannot be any vector, only be searched for."""
    tried = np.random.default_rng(50).integers(0, 256, (count * TRIED_FOR_EACH, 16), dtype=np.uint8)
    reach = direction @ expand(tried, study.tag, study.dimension)
    return tried[np.argsort(reach)[-count:]]


def test_one_percent_of_hostile_reports_stays_within_the_bound(tmp_path: Path) -> None:
    """They are taken like any other, and move mean and coefficient by no more than is stated."""
    population, generator = populations.gaussian(), np.random.default_rng(51)
    public = population.rows(generator, hostile.PUBLIC_ROWS)
    study = Study.from_public(
        public, label=population.label, epsilon=EPSILON, source="made up", title="hostile"
    )
    rows = population.rows(generator, PEOPLE)
    honest = randomize_rows(study, rows, population.labels(rows, generator))
    replaced = round(hostile.SHARE * PEOPLE)
    push = hostile.pushed_by(study, population, public, PUSHED)
    sent = np.concatenate([honest[replaced:], chosen(study, push, replaced)])
    with running(tmp_path, study, public) as server:
        for start in range(0, PEOPLE, BATCH):
            body = sent[start : start + BATCH].tobytes()
            assert server.request("POST", f"/studies/{study.id}/reports", body).status == 200
        tally, shown = stored_tally(server, study), progress(server, study)["coefficients"]
    before = Tally.of(study).add(honest)
    length = study.mechanism.mean_length
    luck = hostile.SHARE * float(np.sqrt(study.mechanism.noise * study.dimension / replaced))
    bound = hostile.SHARE * (1.0 / length + 1.0) + TOLERANCE * luck
    shift = np.linalg.norm(tally.mean(study) - before.mean(study))
    assert shift <= min(bound, hostile.SHARE * 2.0 / length)
    place = coefficient_names(study).index(PUSHED)
    estimate = next(one["estimate"] for one in shown if one["name"] == PUSHED)
    moved = estimate - fit(study, before, public=public).solution("maximum").coef[place]
    assert 0.0 < moved <= bound * np.linalg.norm(push)
