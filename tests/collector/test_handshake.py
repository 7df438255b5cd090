"""A client that connects to the collector's own TLS and then says nothing."""

from pathlib import Path

import pytest

from tacit.collector.web.connections import OWED_SECONDS
from tests.collector.clients import connected
from tests.collector.conftest import make_study
from tests.collector.running import running
from tests.collector.test_limits import make_certificate


@pytest.mark.assure
def test_a_handshake_that_never_comes_is_not_waited_for(tmp_path: Path) -> None:
    """The connection ends when a head would be overdue, and the log has nothing about it."""
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    make_certificate(cert, key)
    options = ("--tls-cert", str(cert), "--tls-key", str(key))
    with running(tmp_path, make_study(), None, *options) as server:
        with connected(server.port) as silent:
            silent.settimeout(3 * OWED_SECONDS)  # the loop itself would wait twice as long
            assert silent.recv(1) == b""
        assert server.stop() == 0
        assert "Traceback" not in server.log.read_text()
