"""What an administrator gets out of a running server."""

import json
import re
from typing import Any

import numpy as np

from tacit.study import Study, Tally
from tacit.study.report import MAGIC, Seeds
from tests.collector.running import Running


def exported(server: Running, study: Study) -> Seeds:
    """The reports file, without its header."""
    found = server.request("GET", f"/studies/{study.id}/reports", admin=True)
    header = MAGIC + bytes.fromhex(study.id)
    assert found.status == 200
    assert found.body.startswith(header)
    return np.frombuffer(found.body, np.uint8, offset=len(header)).reshape(-1, 16)


def stored_tally(server: Running, study: Study) -> Tally:
    """The tally as stored, not recomputed."""
    found = server.request("GET", f"/studies/{study.id}/tally", admin=True)
    assert found.status == 200
    return Tally.from_bytes(found.body)


def progress(server: Running, study: Study) -> dict[str, Any]:
    """What the dashboard shows."""
    found = server.request("GET", f"/studies/{study.id}/progress", admin=True)
    assert found.status == 200
    shown: dict[str, Any] = json.loads(found.body)
    return shown


def metric(server: Running, name: str) -> float:
    """The sum of a metric over its labels."""
    text = server.request("GET", "/metrics", admin=True).body.decode()
    return sum(float(value) for value in re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", text, re.M))
