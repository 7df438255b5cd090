"""The disk fills up, or bits of the file flip: nothing is half-written, nothing goes unnoticed."""

import contextlib
import os
import resource
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tacit.study import Study, Tally
from tests.collector.clients import seeds, small_study
from tests.collector.exports import exported, metric, progress, stored_tally
from tests.collector.running import Running, running

BATCH = 1_000
ROOM = 3 << 20  # bytes
MOST_POSTS = 1_000
LOOKS, SECONDS_BETWEEN = 100, 0.2


def post(server: Running, study: Study, body: bytes) -> int:
    """The status of a post."""
    return server.request("POST", f"/studies/{study.id}/reports", body).status


def sorted_reports(posts: list[bytes]) -> list[bytes]:
    """Reports of several posts, in the order of their bytes."""
    joined = b"".join(posts)
    return sorted(joined[start : start + 16] for start in range(0, len(joined), 16))


def check_what_is_stored(server: Running, study: Study, posts: list[bytes]) -> None:
    """Exactly these reports, and the tally of them."""
    stored = exported(server, study)
    assert sorted(map(bytes, stored)) == sorted_reports(posts)
    assert stored_tally(server, study) == Tally.of(study).add(stored)


def wait_until_ready(server: Running) -> None:
    """A proxy sends nothing to a server that is not ready, so it has to find out by itself."""
    for _ in range(LOOKS):
        if server.request("GET", "/health/ready").status == 200:
            return
        threading.Event().wait(SECONDS_BETWEEN)
    raise AssertionError("the server did not become ready again")


def fill_and_resume(server: Running, study: Study, make_room: Callable[[], None]) -> list[bytes]:
    """Post until there is no room; make some; post again. Returns what was acknowledged."""
    generator = np.random.default_rng(30)
    acknowledged: list[bytes] = []
    status = 200
    while status == 200 and len(acknowledged) < MOST_POSTS:
        body = seeds(generator, BATCH)
        status = post(server, study, body)
        acknowledged += [body] if status == 200 else []
    assert status == 503
    assert post(server, study, body) == 503
    assert post(server, study, seeds(generator, 2 * BATCH)) == 503
    assert server.request("GET", "/health/ready").status == 503
    assert server.request("GET", "/health/live").status == 200
    check_what_is_stored(server, study, acknowledged)
    make_room()
    wait_until_ready(server)
    for again in (body, acknowledged[0]):
        assert post(server, study, again) == 200
    check_what_is_stored(server, study, [*acknowledged, body])
    assert metric(server, "tacit_refusals_total") >= 3
    return [*acknowledged, body]


def test_a_file_that_may_not_grow_refuses_and_resumes(tmp_path: Path) -> None:
    """At the limit on file sizes: 503, not ready, nothing half-written; then it goes on."""
    study = small_study()
    prefix = ("sh", "-c", f'ulimit -S -f {ROOM // 512}; exec "$@"', "sh")
    with running(tmp_path, study, prefix=prefix) as server:
        _, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)

        def raise_limit() -> None:
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (hard, hard))

        acknowledged = fill_and_resume(server, study, raise_limit)
        assert server.stop() == 0
        assert "Traceback" not in server.log.read_text()
    with running(tmp_path, study, token=server.token) as server:
        check_what_is_stored(server, study, acknowledged)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few megabytes."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={2 * ROOM}", "tmpfs", str(folder)]
    subprocess.run(mount, check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.assure
def test_a_full_disk_refuses_and_resumes(small_disk: Path) -> None:
    """With no block left: 503, not ready, nothing half-written; then it goes on."""
    study, ballast = small_study(), small_disk / "ballast"
    ballast.write_bytes(bytes(ROOM))
    with running(small_disk, study) as server:
        acknowledged = fill_and_resume(server, study, ballast.unlink)
        assert server.stop() == 0
        assert "Traceback" not in server.log.read_text()
    with running(small_disk, study, token=server.token) as server:
        check_what_is_stored(server, study, acknowledged)


@contextlib.contextmanager
def filled(folder: Path, study: Study, posts: list[bytes]) -> Iterator[Running]:
    """A server that took some posts."""
    with running(folder, study) as server:
        assert [post(server, study, body) for body in posts] == [200] * len(posts)
        yield server


def test_a_flipped_bit_is_set_aside_and_told(tmp_path: Path) -> None:
    """One damaged report is quarantined, counted everywhere, and leaves the tally."""
    study, generator = small_study(), np.random.default_rng(31)
    posts = [seeds(generator, BATCH) for _ in range(3)]
    with filled(tmp_path, study, posts) as server:
        assert server.stop() == 0
    content = bytearray(server.store.read_bytes())
    lost = next(report for report in sorted_reports(posts)[BATCH:] if content.count(report) == 1)
    content[content.index(lost) + 5] ^= 0x10
    server.store.write_bytes(content)
    with running(tmp_path, study, token=server.token) as server:
        rest = [report for report in sorted_reports(posts) if report != lost]
        check_what_is_stored(server, study, rest)
        assert progress(server, study)["quarantined"] == 1
        assert progress(server, study)["count"] == len(rest)
        assert metric(server, "tacit_quarantined") == 1
        assert post(server, study, lost) == 200
        check_what_is_stored(server, study, [*rest, lost])
        assert server.stop() == 0
        assert "Traceback" not in server.log.read_text()
