"""The server is killed under load, again and again: what it acknowledged is there, once."""

import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import numpy as np
import pytest

from tacit.study import Study, Tally
from tests.collector.clients import HOST, PATIENCE, seeds, small_study
from tests.collector.exports import exported, stored_tally
from tests.collector.running import Running, running

CLIENTS = 6
LARGEST_BATCH = 20
MOST_BEFORE_A_KILL = 200  # acknowledged posts
LONGEST_WAIT = 0.02  # seconds, so that kills also fall between acknowledgements


@dataclass
class Client:
    """Posts single reports and small batches; an unanswered post is the next one's bytes again."""

    generator: np.random.Generator
    acknowledged: list[bytes] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    waiting: bytes | None = None

    def post(self, connection: HTTPConnection, path: str) -> None:
        """One post and its answer."""
        if self.waiting is None:
            count = 1 if self.generator.random() < 0.5 else self.generator.integers(LARGEST_BATCH)
            self.waiting = seeds(self.generator, max(1, int(count)))
        connection.request("POST", path, self.waiting)
        answer = connection.getresponse()
        answer.read()
        if answer.status == 200:
            self.acknowledged.append(self.waiting)
            self.waiting = None
        else:
            self.refused.append(answer.status)

    def post_until_killed(self, port: int, path: str, answered: threading.Semaphore) -> None:
        """Post without pause until the connection breaks."""
        with connection_to(port) as connection, contextlib.suppress(OSError, HTTPException):
            while not self.refused:
                self.post(connection, path)
                answered.release()


@contextlib.contextmanager
def connection_to(port: int) -> Iterator[HTTPConnection]:
    """A connection that is kept alive."""
    with contextlib.closing(HTTPConnection(HOST, port, timeout=PATIENCE)) as connection:
        yield connection


def one_life(
    server: Running, study: Study, clients: list[Client], moment: tuple[int, float]
) -> None:
    """Load until so many posts were answered and some time passed; then kill."""
    answered = threading.Semaphore(0)
    path = f"/studies/{study.id}/reports"
    with ThreadPoolExecutor(len(clients)) as pool:
        lives = [pool.submit(one.post_until_killed, server.port, path, answered) for one in clients]
        for _ in range(moment[0]):
            assert answered.acquire(timeout=PATIENCE)
        threading.Event().wait(moment[1])
        server.kill()
    for life in lives:
        life.result()


def check_what_is_stored(server: Running, study: Study, clients: list[Client]) -> None:
    """Acknowledged reports are there once, nothing unknown is, and the tally is that of them."""
    stored = exported(server, study)
    listed = [bytes(seed) for seed in stored]
    acknowledged = {seed for one in clients for post in one.acknowledged for seed in split(post)}
    waiting = {seed for one in clients for seed in split(one.waiting or b"")}
    assert len(listed) == len(set(listed))
    assert acknowledged <= set(listed) <= acknowledged | waiting
    assert stored_tally(server, study) == Tally.of(study).add(stored)


def split(post: bytes) -> list[bytes]:
    """A post's reports."""
    return [post[start : start + 16] for start in range(0, len(post), 16)]


def kill_often(folder: Path, kills: int, check_every: int, seed: int = 20) -> None:
    """The whole story: lives of one store, then every unanswered post sent again."""
    study, generator = small_study(), np.random.default_rng(seed)
    clients = [Client(np.random.default_rng([seed, number])) for number in range(CLIENTS)]
    token, port = None, 0
    for kill in range(kills):
        with running(folder, study, token=token, port=port) as server:
            token, port = server.token, server.port
            if kill % check_every == 0:
                check_what_is_stored(server, study, clients)
            count = int(generator.integers(MOST_BEFORE_A_KILL))
            moment = count, generator.uniform(0, LONGEST_WAIT)
            one_life(server, study, clients, moment)
    with running(folder, study, token=token, port=port) as server:
        for client in clients:
            with connection_to(port) as connection:
                while client.waiting is not None and not client.refused:
                    client.post(connection, f"/studies/{study.id}/reports")
        assert [status for one in clients for status in one.refused] == []
        check_what_is_stored(server, study, clients)
        found = server.request("POST", f"/studies/{study.id}/check", b"", admin=True)
        assert b'"tallies_agree":true' in found.body.replace(b" ", b"")
        assert "Traceback" not in server.log.read_text()


def test_acknowledged_reports_survive_a_few_kills(tmp_path: Path) -> None:
    """Killed three times under load: every acknowledged report is counted exactly once."""
    kill_often(tmp_path, kills=3, check_every=1)


@pytest.mark.assure
@pytest.mark.parametrize("seed", range(4))
def test_acknowledged_reports_survive_200_kills(tmp_path: Path, seed: int) -> None:
    """Four times 50 kills at random moments: what was acknowledged is counted exactly once."""
    kill_often(tmp_path, kills=50, check_every=10, seed=seed)


def test_one_report_sent_100_times_over_16_connections_counts_once(tmp_path: Path) -> None:
    """Every one of the 100 is a success, and one report is stored."""
    study, connections, times = small_study(), 16, 100
    report = seeds(np.random.default_rng(22), 1)
    start = threading.Barrier(connections)

    def repeat(number: int) -> list[int]:
        client = Client(np.random.default_rng(number))
        with connection_to(server.port) as connection:
            start.wait()
            for _ in range(number, times, connections):
                client.waiting = report
                client.post(connection, f"/studies/{study.id}/reports")
        assert client.refused == []
        return [200] * len(client.acknowledged)

    with running(tmp_path, study) as server, ThreadPoolExecutor(connections) as pool:
        successes = [one for found in pool.map(repeat, range(connections)) for one in found]
        assert len(successes) == times
        assert [bytes(seed) for seed in exported(server, study)] == [report]
        assert stored_tally(server, study).count == 1
