"""Random requests on every address the API describes: documented answers, never a traceback."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.study import Study
from tests.collector.clients import seeds, small_study
from tests.collector.exports import exported, stored_tally
from tests.collector.running import Running, running

BODIES = 5
EXAMPLES = 30  # requests for each operation and kind of data
CLOSE = "/studies/{id}/close"
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
