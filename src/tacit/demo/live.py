"""A whole study live: a collector, and made-up people who join it over HTTP while you watch.

The people live in a process of their own, as theirs would: the collector sees reports only.
"""

import http.client
import multiprocessing
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from tacit.collector.storage import open_store
from tacit.collector.storage.interface import Store
from tacit.collector.web import server
from tacit.collector.web.service import new_admin_token
from tacit.demo import people as made_up
from tacit.demo.offline import Say, check
from tacit.study import Study
from tacit.study.files import write_atomically
from tacit.tables import write_parquet

PEOPLE_PER_SECOND = 300

_CHUNK = 50


def run(out: Path, people: int, epsilon: float, port: int, *, say: Say) -> None:
    """Serve the study of the demonstration from the folder `out` until somebody stops it."""
    check(out, people)
    public = made_up.make_public()
    study = made_up.make_study(public, epsilon)
    rows = write_parquet(public)
    options = server.Options(port=port)
    with server.bind(options) as bound, _fresh_store(out, study, rows) as store:
        store.create(study, planned=people, needs_code=False)
        store.set_public(study.id, rows)
        token = new_admin_token(store)
        bound.listen(server.BACKLOG)
        address = server.address(options, bound)
        say(_where_to_look(address, study, people, token))
        with _joining(address, study, people):
            server.run(store, options, bound)
    say(f"Stopped. The reports are in {out / 'collector.db'}.")


@contextmanager
def _fresh_store(out: Path, study: Study, rows: bytes) -> Iterator[Store]:
    """The files of the study and an empty store; those of an earlier run are replaced."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / "collector.db"
    open_store(file).close()  # refuses while another collector uses it
    for old in out.glob(f"{file.name}*"):
        old.unlink()
    study.save(out / "study.json")
    write_atomically(out / "public.parquet", rows)
    store = open_store(file)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def _joining(address: str, study: Study, people: int) -> Iterator[None]:
    context = multiprocessing.get_context("spawn")
    devices = context.Process(
        target=_join, args=(address, study.to_bytes(), people), name="devices", daemon=True
    )
    devices.start()
    try:
        yield
    finally:
        devices.terminate()
        devices.join()


def _join(address: str, study_file: bytes, people: int) -> None:
    """Every person's device randomizes their record and posts its report by itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the collector, which ends us
    study = Study.from_bytes(study_file)
    connection = http.client.HTTPConnection(urlsplit(address).netloc)
    started = time.monotonic()
    with suppress(OSError, http.client.HTTPException):  # the collector was stopped
        for place, seeds in enumerate(made_up.make_reports(study, people, _CHUNK)):
            for seed in seeds:
                connection.request("POST", f"/studies/{study.id}/reports", seed.tobytes())
                connection.getresponse().read()
            time.sleep(max(0.0, started + place * _CHUNK / PEOPLE_PER_SECOND - time.monotonic()))


def _where_to_look(address: str, study: Study, people: int, token: str) -> str:
    return "\n".join(
        [
            f"{people:,} made-up people join, {PEOPLE_PER_SECOND} a second.",
            f"Dashboard      {address}/dashboard",
            f"Admin token    {token}",
            f"Participants   {address}/join#study={study.id}&collector={address}",
            "Press Ctrl-C to stop.",
        ]
    )
