"""Random requests on every address the API describes: documented answers, never a traceback."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from tacit.study import Study, document
from tests.collector.clients import exchange, head, seeds, small_study
from tests.collector.conftest import add, make_study
from tests.collector.exports import exported, stored_tally
from tests.collector.running import Running, running

BODIES = 5
EXAMPLES = 30  # requests for each operation and kind of data
CLOSE = "/studies/{id}/close"
CLOSED = "Connection: close"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
)


def described(server: Running) -> dict[str, Any]:
    """The API as the server describes it."""
    document: dict[str, Any] = json.loads(server.request("GET", "/openapi.json").body)
    return document


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, set[str]]]:
    """Method, address and documented statuses of each; closing last, since it is for good."""
    for path in sorted(document["paths"], key=lambda path: path == CLOSE):
        for method, operation in document["paths"][path].items():
            yield method.upper(), path, set(operation["responses"])


def check_unharmed(server: Running, study: Study) -> None:
    """Up, without a traceback, and its tally is that of its reports."""
    assert server.request("GET", "/health/ready").status == 200
    assert stored_tally(server, study).count == len(exported(server, study))
    assert "Traceback" not in server.log.read_text()


@pytest.mark.parametrize("admin", [False, True])
def test_random_bodies_get_documented_answers(tmp_path: Path, admin: bool) -> None:
    """Noise as the body of every operation, with and without the token."""
    study, generator = small_study(), np.random.default_rng(60)
    with running(tmp_path, study) as server:
        assert (
            server.request("POST", f"/studies/{study.id}/reports", seeds(generator, 9)).status
            == 200
        )
        for method, path, documented in operations(described(server)):
            filled = path.replace("{id}", study.id).replace("{day}", "2024-02-30")
            for _ in range(BODIES):
                noise = generator.bytes(int(generator.integers(3_000)))
                answer = server.request(method, filled, noise, admin=admin)
                assert str(answer.status) in documented, (method, path, answer)
                assert answer.status < 500
        check_unharmed(server, study)


NUMBERS = [
    *("0" * 5_000, "0" * 5_000 + "5", "9" * 400, "9" * 5_000, "-" + "9" * 5_000, "1" + "0" * 4_300),
    *("1e400", "1e-400", "1.5", "0x10", "1_000", "+5", "-0", "NaN", "Infinity", "null"),
    *("true", '"5"', "[5]", "\u0665", "\u00b2", "[" * 5_000, '{"count":' * 200),
]


@pytest.mark.parametrize("digits", NUMBERS)
def test_numbers_of_any_length_and_kind_are_answered(server: Running, digits: str) -> None:
    """In the query, in a body, in a path, in a header and in a study file: 4xx in words."""
    study, quoted = make_study(), quote(digits)
    path = f"/studies/{study.id}"
    stated = document.unwrap("study", study.to_bytes())
    altered = stated.replace(b'"minimum_batch":50', b'"minimum_batch":' + digits.encode())
    assert altered != stated
    asked = [
        ("POST", f"/studies?people={quoted}", study.to_bytes(), {}),
        ("POST", "/studies", document.wrap("study", altered), {}),
        ("POST", f"{path}/codes", f'{{"count": {digits}}}'.encode(), {}),
        ("GET", f"{path}/segments/{quoted[:4_000]}", None, {}),
        ("POST", f"{path}/reports", b"", {"Tacit-Code": quoted[:4_000]}),
    ]
    add(server, study, "codes=required")
    for method, where, body, headers in asked:
        answer = server.request(method, where, body, admin=True, headers=headers)
        assert answer.status in (400, 404, 409, 413, 431), (method, where, answer)
        assert answer.status == 431 or json.loads(answer.body)["error"]
    token = f"Authorization: Bearer {server.token}"
    for where in (f"{path}/reports", "/studies"):
        for length in (quoted, "0" * 3_000 + "16"):
            announced = head("POST", where, f"Content-Length: {length}", token, CLOSED)
            assert set(exchange(server.port, announced, bytes(16))) <= {400, 403, 413, 431}


@pytest.mark.assure
@pytest.mark.parametrize("admin", [False, True])
def test_generated_requests_get_documented_answers(tmp_path: Path, admin: bool) -> None:
    """Requests made from the description, valid and not: what comes back is as described."""
    study = small_study()
    with running(tmp_path, study) as server:
        (tmp_path / "openapi.json").write_text(json.dumps(described(server)))
        header = ["--header", f"Authorization: Bearer {server.token}"] if admin else []
        command: list[str | Path] = [
            Path(sys.executable).with_name("schemathesis"),
            "run",
            "openapi.json",
        ]
        limits = ["--phases", "examples,coverage,fuzzing", "--max-examples", str(EXAMPLES)]
        chosen = ["--checks", ",".join(CHECKS), "--exclude-path", CLOSE, "--seed", "61"]
        found = subprocess.run(
            [*command, "--url", server.address, *limits, *chosen, *header, "--no-color"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert found.returncode == 0, found.stdout
        check_unharmed(server, study)
