"""What devices and browsers may ask: studies, reports, pages, health."""

import hashlib
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tacit.cli import main
from tacit.collector.pages import page
from tacit.device import Delivery, Device
from tacit.study import Tally
from tacit.study.report import MAGIC
from tests.collector.clients import exchange, head
from tests.collector.conftest import Site, add, make_study, public_rows, reports
from tests.collector.running import Running, running

EVERYWHERE = ("x-content-type-options", "referrer-policy", "permissions-policy")


def count(site: Site) -> int:
    """Reports stored of a study."""
    return Tally.from_bytes(site.ask("GET", "tally").body).count


def test_a_study_is_served_as_it_was_given(site: Site) -> None:
    """The exact bytes, cached for ever under an id that never changes its meaning."""
    found = site.server.request("GET", f"/studies/{site.study.id}")
    assert found.body == site.study.to_bytes()
    assert found.headers["etag"] == f'"{site.study.id}"'
    assert "immutable" in found.headers["cache-control"]
    assert found.headers["access-control-allow-origin"] == "*"
    known = {"If-None-Match": found.headers["etag"]}
    assert site.server.request("GET", f"/studies/{site.study.id}", headers=known).status == 304


def test_studies_are_listed(site: Site, coded_site: Site) -> None:
    """With what a participant's page has to know."""
    listed = {each["id"]: each for each in json.loads(site.server.request("GET", "/studies").body)}
    expected = {"id": site.study.id, "title": "A study", "open": True, "needs_code": False}
    assert listed[site.study.id] == expected
    assert listed[coded_site.study.id]["needs_code"] is True


def test_a_report_is_counted_once_and_always_accepted(site: Site) -> None:
    """The same report 100 times over 16 connections."""
    report = reports(1)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: site.post(report), range(100)))
    assert {(answer.status, answer.body) for answer in answers} == {(200, b'{"reports":1}')}
    assert count(site) == 1


def test_what_is_stored_is_what_was_sent(site: Site) -> None:
    """Single reports, many at once and a whole file all end up in the tally."""
    single, many, file = reports(1), reports(300), reports(20)
    assert site.post(single).body == b'{"reports":1}'
    assert site.post(many).body == b'{"reports":300}'
    answer = site.post(MAGIC + bytes.fromhex(site.study.id) + file)
    assert answer.body == b'{"reports":20}'
    sent = single + many + file
    found = site.ask("GET", "reports").body
    assert sorted(pieces(found[40:])) == sorted(pieces(sent))


def pieces(content: bytes) -> list[bytes]:
    """Reports one by one."""
    return [content[place : place + 16] for place in range(0, len(content), 16)]


def test_acknowledged_reports_survive_a_kill(tmp_path: Path) -> None:
    """Whatever was answered with 200 is there after the next start, with the same admin token."""
    study = make_study()
    with running(tmp_path, study) as killed:
        assert Site(killed, study).post(reports(7)).status == 200
        killed.kill()
    with running(tmp_path, study, token=killed.token) as restarted:
        assert count(Site(restarted, study)) == 7
        assert "--new-admin-token" in restarted.printed


def test_a_participation_code_is_good_for_one_report(coded_site: Site) -> None:
    """Typed in any way; a retry of the same report succeeds, another report does not."""
    codes = json.loads(coded_site.ask("POST", "codes", b'{"count": 2}').body)["codes"]
    report = reports(1)
    assert coded_site.post(report).status == 403
    typed = codes[0].lower().replace("-", " ")
    assert coded_site.post(report, **{"Tacit-Code": typed}).status == 200
    assert coded_site.post(report, **{"Tacit-Code": codes[0]}).status == 200
    assert coded_site.post(reports(1), **{"Tacit-Code": codes[0]}).status == 403
    assert coded_site.post(reports(1), **{"Tacit-Code": "NONSENSE"}).status == 403
    assert coded_site.post(reports(2), **{"Tacit-Code": codes[1]}).status == 400
    assert coded_site.post(reports(1), **{"Tacit-Code": codes[1]}).status == 200
    assert count(coded_site) == 2


def test_a_closed_study_answers_alike_whatever_it_holds(site: Site) -> None:
    """A report that counts and one that came too late: the same status, headers and words."""
    report = reports(1)
    assert site.post(report).status == 200
    assert site.ask("POST", "close", b"").body == b'{"open":false}'
    answers = [site.post(each) for each in (report, reports(1))]
    assert answers[0].body == answers[1].body
    assert [answer.status for answer in answers] == [410, 410]
    names = [set(answer.headers) for answer in answers]
    assert names[0] == names[1]
    assert "counts" in json.loads(answers[0].body)["error"]
    assert count(site) == 1


def test_refusals_are_counted_by_reason(site: Site) -> None:
    """The dashboard shows them at once."""
    site.post(reports(1)[:-1])
    site.post(b"")
    site.post(MAGIC + bytes(32) + reports(1))
    site.post(bytes(16 * 10_001))
    shown = json.loads(site.ask("GET", "progress").body)["refusals"]
    assert shown == {"wrong length": 2, "another study": 1, "too large": 1}


def test_any_origin_may_post_but_not_administrate(site: Site) -> None:
    """A browser asks first; for admin routes it gets no permission."""
    allowed = site.server.request("OPTIONS", site.path("reports"))
    assert allowed.status == 204
    assert allowed.headers["access-control-allow-origin"] == "*"
    assert "tacit-code" in allowed.headers["access-control-allow-headers"]
    assert site.post(b"").headers["access-control-allow-origin"] == "*"
    assert site.server.request("OPTIONS", site.path("progress")).status == 405
    assert "access-control-allow-origin" not in site.ask("GET", "progress").headers


def test_pages_are_served_with_their_policy(server: Running) -> None:
    """The hash printed at the start, and listed, is that of the bytes served."""
    listed = json.loads(server.request("GET", "/pages.json").body)
    for name in ("join", "dashboard"):
        found = server.request("GET", f"/{name}")
        assert found.headers["content-security-policy"] == page(name).policy
        assert hashlib.sha256(found.body).hexdigest() == listed[name]
    script = server.request("GET", "/device.js")
    assert hashlib.sha256(script.body).hexdigest() == listed["device.js"]
    assert listed["join"] in server.printed
    assert server.request("GET", "/").headers["location"] == "/dashboard"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/join"),
        ("GET", "/studies"),
        ("GET", "/metrics"),
        ("GET", "/nothing"),
        ("DELETE", "/studies"),
        ("POST", "/studies/0/reports"),
        ("BREW", "/"),
    ],
)
def test_every_answer_has_the_security_headers(server: Running, method: str, path: str) -> None:
    """Errors too, and those of the parser."""
    with socket.create_connection(("127.0.0.1", server.port)) as opened:
        opened.sendall(head(method, path, "Content-Length: 0", "Connection: close"))
        text = b"".join(iter(lambda: opened.recv(65536), b"")).partition(b"\r\n\r\n")[0].lower()
    names = {line.partition(b":")[0].decode() for line in text.split(b"\r\n")[1:]}
    assert {*EVERYWHERE, "content-security-policy"} <= names
    assert "server" not in names


def test_the_prepared_answer_is_the_ordinary_one(site: Site) -> None:
    """A connection that ends gets its answer from uvicorn, others get prepared bytes."""
    heads = []
    for last in ("", "Connection: close\r\n"):
        with socket.create_connection(("127.0.0.1", site.server.port)) as opened:
            line = (
                f"POST {site.path('reports')} HTTP/1.1\r\nHost: x\r\nContent-Length: 16\r\n{last}"
            )
            opened.sendall(f"{line}\r\n".encode() + reports(1))
            answer = b""
            while not answer.endswith(b"}"):
                answer += opened.recv(65536)
        lines = answer.split(b"\r\n")
        heads.append({line for line in lines if not line.startswith((b"date", b"connection"))})
    assert heads[0] == heads[1]


def test_reports_that_follow_each_other_are_answered_in_turn(site: Site) -> None:
    """Prepared answers and errors keep their order on one connection."""
    good = head("POST", site.path("reports"), "Content-Length: 16")
    bad = head("POST", site.path("reports"), "Content-Length: 1") + b"x"
    last = head("GET", "/health/live", "Connection: close")
    sent = b"".join((good, reports(1), bad, good, reports(1), last))
    assert exchange(site.server.port, sent) == [200, 400, 200, 200]


def test_new_admin_token_ends_the_old_one(tmp_path: Path) -> None:
    """Asked for at a later start."""
    study = make_study()
    with running(tmp_path, study) as first:
        assert first.stop() == 0
    with running(tmp_path, study, None, "--new-admin-token") as second:
        assert second.token is not None
        assert second.token != first.token
        old = {"Authorization": f"Bearer {first.token}"}
        assert second.request("GET", "/metrics", headers=old).status == 401
        assert second.request("GET", "/metrics", admin=True).status == 200


def test_several_studies_from_the_command_line(tmp_path: Path) -> None:
    """Each has its address, and the same public rows."""
    other = make_study()
    other.save(tmp_path / "other.json")
    study = make_study()
    with running(tmp_path, study, public_rows(), str(tmp_path / "other.json")) as server:
        for each in (study, other):
            link = f"{server.address}/join#study={each.id}&collector={server.address}\n"
            assert link in server.printed
            progress = json.loads(Site(server, each).ask("GET", "progress").body)
            assert progress["public_rows"] == len(public_rows()["age"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--host", "0.0.0.0"), "give --tls-cert and --tls-key, or put a proxy"),
        (("--tls-cert", "study.json"), "give --tls-cert and --tls-key together"),
        (("--tls-cert", "study.json", "--tls-key", "study.json"), "cannot use --tls-cert"),
        (("--public", "other.csv"), "other.csv does not fit the study"),
        (("--store", "study.json"), "study.json"),
        (("--store", "no/where.db"), "no/where.db"),
        (("--port", "{port}"), "address already in use; choose another with --port"),
        (("--store", "{store}"), "another process uses"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(
    server: Running,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    told: str,
) -> None:
    """Before anything is printed, with exit code 2."""
    make_study().save("study.json")
    (folder / "other.csv").write_text("age,height\n" + "1,2\n" * 20)
    filled = [each.format(port=server.port, store=server.store) for each in options]
    port = () if "--port" in filled else ("--port", "0")
    assert main(["serve", "study.json", *port, *filled]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    assert told in said.err


def test_a_simulation_study_is_refused(tmp_path: Path, site: Site) -> None:
    """No device runs one: neither from the command line nor over the network."""
    study = make_study(simulation=True)
    study.save(tmp_path / "study.json")
    assert main(["serve", str(tmp_path / "study.json"), "--port", "0"]) == 2
    made = site.server.request("POST", "/studies", study.to_bytes(), admin=True)
    assert made.status == 400


def test_adding_a_study_twice_changes_nothing(site: Site) -> None:
    """201 the first time, 200 afterwards."""
    again = site.server.request("POST", "/studies", site.study.to_bytes(), admin=True)
    assert (again.status, json.loads(again.body)) == (200, {"id": site.study.id})
    assert add(site.server, make_study()).study.id != site.study.id


def test_a_device_settles_once_its_study_has_closed(site: Site, tmp_path: Path) -> None:
    """Whether or not its report came before: told so in words, and never sent again."""
    for came_before in (True, False):
        device = Device(
            site.study,
            ledger=tmp_path / str(came_before),
            lifetime=9.0,
            collector=site.server.address,
        )
        report = device.report({"age": 41, "hours": 8}, label="yes")
        if came_before:  # and the answer was lost
            assert site.post(bytes(report)).status == 200
            assert site.ask("POST", "close", b"").status == 200
        for sent in (Delivery(0, 0, 1), Delivery(0, 0, 0)):
            assert device.send(attempts=3, sleep=_never) == sent
        (debit,) = device.ledger.debits
        assert debit.reason.startswith("this study is closed: a report that came before counts")
    assert count(site) == 1


def _never(seconds: float) -> None:
    pytest.fail(f"slept {seconds} seconds")
