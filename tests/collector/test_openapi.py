"""The documented API and the real one are the same."""

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from starlette.routing import Route

from tacit.collector.web.app import site as site_of
from tacit.collector.web.service import Service
from tacit.study.report import MAGIC
from tacit.tables import write_parquet
from tests.collector.conftest import Site, make_study, public_rows, reports
from tests.collector.running import Reply, Running
from tests.collector.schemas import check_answer, resolved

TODAY = datetime.now(UTC).date().isoformat()


class NoStore:
    """Enough of a store to list the routes over it."""

    def secret(self, name: str) -> None:
        """None is kept."""

    def studies(self) -> list[Any]:
        """There are none."""
        return []


@pytest.fixture(scope="module")
def document(server: Running) -> Any:
    """The document as served."""
    return json.loads(server.request("GET", "/openapi.json").body)


def test_every_route_is_documented_and_every_documented_route_exists(document: Any) -> None:
    """With its method; HEAD goes with GET."""
    routes = site_of(Service(NoStore())).routes  # type: ignore[arg-type]
    served = {
        (method, route.path)
        for route in routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    documented = {
        (method.upper(), path) for path, item in document["paths"].items() for method in item
    }
    assert served == documented


def test_the_document_is_well_formed(document: Any) -> None:
    """Names are unique, references lead somewhere, parameters of paths are declared."""
    assert document["openapi"].startswith("3.1.")
    names = [each["operationId"] for item in document["paths"].values() for each in item.values()]
    assert len(set(names)) == len(names)
    for path, item in document["paths"].items():
        for each in item.values():
            given = {resolved(document, one)["name"] for one in each.get("parameters", ())}
            assert set(re.findall(r"\{(\w+)\}", path)) <= given
    for reference in re.findall(r'"\$ref": ?"(#/[^"]+)"', json.dumps(document)):
        assert resolved(document, {"$ref": reference})


def test_admin_routes_and_no_others_ask_for_the_token(document: Any, site: Site) -> None:
    """What is documented as secured answers 401 without a token, and the rest does not."""
    for path, item in document["paths"].items():
        for method, each in item.items():
            filled = path.replace("{id}", site.study.id).replace("{day}", TODAY)
            body = None if method in ("get", "options") else b""
            answer = site.server.request(method.upper(), filled, body)
            assert (answer.status == 401) == bool(each.get("security")), (method, path)
            check_answer(document, method, path, answer)


def ask(site: Site, document: Any, method: str, name: str, body: bytes | None = None) -> Reply:
    """Ask as admin; the answer must be as documented."""
    answer = site.ask(method, name, body)
    route = re.sub(r"/segments/.*", "/segments/{day}", f"/studies/{{id}}/{name}")
    check_answer(document, method, route, answer)
    return answer


def test_answers_about_a_study_are_as_documented(document: Any, site: Site) -> None:
    """From the first public rows to the exports of a closed study."""
    parquet = write_parquet(public_rows())
    statuses = [
        ask(site, document, method, name, body).status
        for method, name, body in (
            ("GET", "progress", None),
            ("GET", "model", None),
            ("PUT", "public", b"no parquet"),
            ("PUT", "public", parquet),
            ("POST", "reports", reports(200)),
            ("GET", "progress", None),
            ("GET", "model", None),
            ("GET", "tally", None),
            ("GET", "reports", None),
            ("GET", "segments", None),
            ("GET", f"segments/{TODAY}", None),
            ("GET", "segments/2020-01-01", None),
            ("GET", "segments/tomorrow", None),
            ("POST", "codes", b'{"count": 1}'),
            ("POST", "check", b""),
            ("POST", "close", b""),
            ("GET", f"segments/{TODAY}", None),
            ("GET", "progress", None),
            ("POST", "reports", reports(1)),
            ("POST", "codes", b'{"count": 1}'),
        )
    ]
    assert statuses == [
        *(200, 409, 400, 200, 200, 200, 200, 200, 200, 200),
        *(409, 404, 404, 409, 200, 200, 200, 200, 410, 410),
    ]


def test_refused_reports_are_answered_as_documented(
    document: Any, site: Site, coded_site: Site
) -> None:
    """Every status of the route that a client can bring about by itself."""
    statuses = []
    for each, body in (
        (site, b""),
        (site, reports(10_001)),
        (site, MAGIC + bytes(32) + reports(1)),
        (coded_site, reports(1)),
        (Site(site.server, make_study()), reports(1)),
    ):
        answer = each.post(body)
        check_answer(document, "POST", "/studies/{id}/reports", answer)
        statuses.append(answer.status)
    assert statuses == [400, 413, 409, 403, 404]


def test_codes_are_as_documented(document: Any, coded_site: Site) -> None:
    """And so are orders that are refused."""
    assert ask(coded_site, document, "POST", "codes", b'{"count": 3}').status == 200
    for order in (b"", b"[]", b'{"count": 0}', b'{"count": 100001}', b'{"count": 1, "x": 2}'):
        assert ask(coded_site, document, "POST", "codes", order).status == 400


def test_creating_studies_is_as_documented(document: Any, server: Running) -> None:
    """New, known, known otherwise, malformed, and with parameters that make no sense."""
    study = make_study().to_bytes()
    for query, body, expected in (
        ("", study, 201),
        ("", study, 200),
        ("codes=none", study, 200),
        ("codes=required", study, 409),
        ("people=5", study, 409),
        ("", study[:-5], 400),
        ("people=0", study, 400),
        ("people=many", study, 400),
        ("people=" + "9" * 5_000, study, 400),
        ("people=" + "0" * 5_000 + "5", study, 400),
        ("people=1e3", study, 400),
        ("people=%D9%A5", study, 400),
        ("people=", study, 400),
        ("codes=maybe", study, 400),
    ):
        answer = server.request("POST", f"/studies?{query}", body, admin=True)
        assert answer.status == expected, query
        check_answer(document, "POST", "/studies", answer)
