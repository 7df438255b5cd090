"""What the holder of the admin token can do, and nobody else."""

import io
import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tacit import Fit, Study, Tally
from tacit.cli.app import main
from tacit.cli.export import export
from tacit.cli.serve import _public_rows as stored_rows
from tacit.cli.serve import serve
from tacit.collector.storage.sqlite.store import SQLiteStore
from tacit.collector.web import codes
from tacit.collector.web.admin import fit_of
from tacit.collector.web.metrics import BUCKETS, Commits
from tacit.collector.web.server import Options, check
from tacit.device import randomize_rows
from tacit.errors import ConfigurationError, StorageError
from tacit.tables import csv_text, write_parquet
from tests.collector.conftest import PEOPLE, Site, add, make_study, public_rows, reports
from tests.collector.exports import metric
from tests.collector.running import Running, running

TODAY = datetime.now(UTC).date().isoformat()


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer ", "Bearer wrong", "Basic {token}", "{token}"]
)
def test_a_wrong_token_opens_nothing(site: Site, authorization: str) -> None:
    """401 and how to do better, before anything of the request is looked at."""
    headers = {"Authorization": authorization.format(token=site.server.token)}
    for method, path in (("GET", site.path("progress")), ("POST", "/studies"), ("GET", "/metrics")):
        answer = site.server.request(
            method, path, b"" if method == "POST" else None, headers=headers
        )
        assert answer.status == 401
        assert answer.headers["www-authenticate"] == "Bearer"


def test_the_token_is_not_taken_from_the_address(site: Site) -> None:
    """Addresses end up in logs and histories."""
    assert site.server.request("GET", f"/metrics?token={site.server.token}").status == 401


def test_the_token_is_nowhere_on_disk(site: Site) -> None:
    """Only its hash is kept."""
    assert site.server.token is not None
    token = site.server.token.encode()
    files = [path for path in site.server.store.parent.iterdir() if path.is_file()]
    assert not any(token in path.read_bytes() for path in files)


def test_from_reports_to_a_model(site: Site) -> None:
    """Public rows, real reports, progress with coefficients, and a model that predicts."""
    rows = public_rows()
    assert json.loads(site.ask("PUT", "public", write_parquet(rows)).body) == {
        "rows": 400,
        "same_as_study": True,
    }
    generator = np.random.default_rng(3)
    people = {name: generator.choice(values, PEOPLE) for name, values in rows.items()}
    seeds = randomize_rows(site.study, people, generator.choice(["yes", "no"], PEOPLE))
    assert site.post(seeds.tobytes()).status == 200
    shown = json.loads(site.ask("GET", "progress").body)
    assert (shown["count"], shown["planned"]) == (PEOPLE, PEOPLE)
    assert shown["days"] == [{"day": TODAY, "count": PEOPLE}]
    assert [each["name"] for each in shown["coefficients"]] == ["intercept", "age", "hours"]
    tally = Tally.from_bytes(site.ask("GET", "tally").body)
    assert tally == Tally.of(site.study).add(seeds)
    model = Fit.from_bytes(site.ask("GET", "model").body)
    assert model.people == PEOPLE


def test_other_public_rows_are_taken_but_told_apart(site: Site) -> None:
    """They have to have the study's features."""
    rows = {name: values + 1.0 for name, values in public_rows().items()}
    taken = json.loads(site.ask("PUT", "public", write_parquet(rows)).body)
    assert taken == {"rows": 400, "same_as_study": False}
    unfit = site.ask("PUT", "public", write_parquet({"age": rows["age"]}))
    assert unfit.status == 400
    assert "hours" in json.loads(unfit.body)["error"]


def test_public_rows_keep_their_weights(site: Site) -> None:
    """As Parquet over the network, and from a CSV file at the start: what a fit needs is stored."""
    rows = public_rows() | {"w": np.arange(400) % 3, "extra": np.arange(400) % 2}
    study = make_study(rows=rows, features=["age", "hours"], weights="w", margins={"extra": 0.4})
    assert site.server.request("POST", "/studies", study.to_bytes(), admin=True).status == 201
    weighted = Site(site.server, study)
    taken = json.loads(weighted.ask("PUT", "public", write_parquet(rows)).body)
    assert taken == {"rows": study.public_rows, "same_as_study": True}
    assert weighted.post(reports(60)).status == 200
    shown = json.loads(weighted.ask("GET", "progress").body)
    assert (shown["public_rows"], shown["effective_rows"]) == (266, study.effective_rows)
    without = weighted.ask("PUT", "public", write_parquet(public_rows()))
    assert without.status == 400
    assert "weights name a column 'w'" in json.loads(without.body)["error"]


def test_weights_in_a_csv_file_are_stored(tmp_path: Path) -> None:
    """`tacit serve` keeps every column, and the study's weights with them."""
    rows = public_rows() | {"w": np.arange(400) % 3}
    study = make_study(rows=rows, weights="w")
    listed = csv_text([*rows], zip(*map(np.ndarray.tolist, rows.values()), strict=True))
    (tmp_path / "public.csv").write_text(listed)
    parquet = stored_rows(study, tmp_path / "public.csv")
    assert parquet is not None
    assert fit_of(study, parquet) == (266, True)


def test_without_enough_reports_there_is_no_model(site: Site) -> None:
    """409, and why."""
    site.ask("PUT", "public", write_parquet(public_rows()))
    site.post(reports(3))
    answer = site.ask("GET", "model")
    assert answer.status == 409
    assert "50" in json.loads(answer.body)["error"]


def test_a_day_can_be_taken_home_once_it_is_over(site: Site) -> None:
    """Today is over when the study is closed."""
    sent = reports(30)
    site.post(sent)
    assert site.ask("GET", f"segments/{TODAY}").status == 409
    assert site.ask("POST", "close", b"").status == 200
    listed = json.loads(site.ask("GET", "segments").body)
    assert listed == [{"day": TODAY, "count": 30, "closed": True}]
    table = pq.read_table(io.BytesIO(site.ask("GET", f"segments/{TODAY}").body))
    assert b"".join(sorted(table["seed"].to_pylist())) == b"".join(
        sorted(sent[place : place + 16] for place in range(0, len(sent), 16))
    )


def test_checking_reads_everything_back(site: Site) -> None:
    """A healthy store has nothing to set aside."""
    site.post(reports(5))
    found = json.loads(site.ask("POST", "check", b"").body)
    assert found["reports"] >= 5
    assert (found["quarantined"], found["tallies_agree"]) == (0, True)


def test_metrics_count_what_happened(site: Site) -> None:
    """Reports, commits and refusals move by what was done."""
    names = ("tacit_reports", "tacit_commit_seconds_count", "tacit_refusals_total")
    before = {name: metric(site.server, name) for name in names}
    site.post(reports(9))
    site.post(b"")
    after = {name: metric(site.server, name) for name in names}
    assert [after[name] - before[name] for name in names] == [9, 1, 1]
    assert metric(site.server, "tacit_ready") == 1
    assert metric(site.server, "tacit_open_connections") >= 1


def test_commits_fall_into_buckets() -> None:
    """Each bucket counts what took at most so long."""
    commits = Commits()
    for seconds in (0.0005, BUCKETS[0], 0.3, 99.0):
        commits.add(seconds)
    lines = commits.lines("t")
    assert 't_bucket{le="0.001"} 2' in lines
    assert 't_bucket{le="0.5"} 3' in lines
    assert 't_bucket{le="+Inf"} 4' in lines
    assert "t_count 4" in lines


def test_codes_cannot_be_guessed_and_are_hashed_with_their_study() -> None:
    """120 bits of system entropy; the same code has another hash in another study."""
    made = codes.make(1_000)
    assert len(set(made)) == 1_000
    assert all(len(code.replace("-", "")) * 5 == codes.CODE_BITS for code in made)
    one, other = make_study().id, make_study().id
    assert codes.digest(one, b"ABC-DEF") == codes.digest(one, b"abc def")
    assert codes.digest(one, b"ABCDEF") != codes.digest(other, b"ABCDEF")


def test_export_writes_days_that_are_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From a store that no server uses; days that are not over are left out and named."""
    study = make_study()
    with running(tmp_path, study) as server:
        Site(server, study).post(reports(4))
        with pytest.raises(StorageError, match="a running server gives the same files"):
            export(server.store, output=tmp_path / "out")
        assert server.stop() == 0
    export(server.store, output=tmp_path / "out")
    assert f"left out {TODAY}" in capsys.readouterr().err
    with running(tmp_path, study, token=server.token) as again:
        Site(again, study).ask("POST", "close", b"")
        assert again.stop() == 0
    export(server.store, output=tmp_path / "out")
    written = tmp_path / "out" / study.id / f"{TODAY}.parquet"
    assert pq.read_table(written).num_rows == 4
    assert capsys.readouterr().out == f"{written}  4 reports\n"


def test_a_study_comes_back_as_it_was(tmp_path: Path) -> None:
    """Closed studies, plans and codes survive a restart."""
    study: Study = make_study()
    with running(tmp_path, study, None, "--codes", "--people", "77") as first:
        site = Site(first, study)
        (code,) = json.loads(site.ask("POST", "codes", b'{"count": 1}').body)["codes"]
        assert first.stop() == 0
    with running(tmp_path, study, token=first.token) as second:
        site = Site(second, study)
        assert site.post(reports(1), **{"Tacit-Code": code}).status == 200
        assert json.loads(site.ask("GET", "progress").body)["planned"] == 77


def test_a_study_is_planned_for_the_people_it_was_made_for(server: Running, tmp_path: Path) -> None:
    """Over HTTP and from the command line, unless somebody asks for others."""

    def planned(site: Site) -> int | None:
        return json.loads(site.ask("GET", "progress").body)["planned"]  # type: ignore[no-any-return]

    stated, unsaid, asked = make_study(people=4000), make_study(), make_study(people=4000)
    assert planned(add(server, stated)) == 4000
    assert planned(add(server, unsaid)) is None
    assert planned(add(server, asked, "people=77")) == 77
    with running(tmp_path, stated) as started:
        assert planned(Site(started, stated)) == 4000


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--codes",), "keeps codes=none; leave out --codes, or use another --store"),
        (("--people", "78"), "keeps people=77; leave out --people, or use another --store"),
    ],
)
def test_other_wishes_for_a_stored_study_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], told: str
) -> None:
    """Nobody learns too late that codes were never asked for; no new study is added either."""
    study, new = make_study(), make_study()
    study.save(tmp_path / "study.json")
    new.save(tmp_path / "new.json")
    with closing(SQLiteStore.open(tmp_path / "study.db")) as store:
        store.create(study, planned=77, needs_code=False)
    files = [str(tmp_path / name) for name in ("new.json", "study.json")]
    where = ("--store", str(tmp_path / "study.db"), "--port", "0")
    assert main(["serve", *files, *where, *options]) == 2
    assert told in capsys.readouterr().err
    with closing(SQLiteStore.open(tmp_path / "study.db")) as store:
        assert [stored.study.id for stored in store.studies()] == [study.id]


@pytest.mark.parametrize("proxy", ["localhost", "*", "", "127.0.0.1,", "10.0.0.0/33", "0.0.0.0/0"])
def test_a_proxy_is_an_address_or_a_network(proxy: str) -> None:
    """Any other text would match no client, or every client."""
    with pytest.raises(ConfigurationError, match="--behind-proxy"):
        check(Options(behind_proxy=proxy))


@pytest.mark.parametrize("proxy", ["127.0.0.1", "::1", "10.1.2.3/8", "fd00::/8"])
def test_addresses_and_networks_of_proxies_are_taken(proxy: str) -> None:
    """Also beyond this machine, where they stand for TLS."""
    check(Options(host="0.0.0.0", behind_proxy=proxy))


def test_a_proxys_network_counts_whatever_its_host_bits(tmp_path: Path) -> None:
    """A client that it names is the one who is limited."""
    with running(
        tmp_path, make_study(), None, "--behind-proxy", "127.9.9.9/8", "--rate", "1"
    ) as server:
        assert "&collector" not in server.printed
        for client in ("192.0.2.1", "192.0.2.2", "192.0.2.3"):
            forwarded = {"X-Forwarded-For": client}
            assert server.request("GET", "/studies", headers=forwarded).status == 200


def test_serve_and_export_have_an_example_in_their_help() -> None:
    """As every other command."""
    for command in (serve, export):
        assert "Example:" in (command.__doc__ or "")
