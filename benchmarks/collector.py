"""The collector beside a bare ASGI handler: both on one core, their clients on the other.

Rounds of the two alternate and the median of their ratios is told, since a busy machine slows
neighbouring rounds alike. Every success counted here was answered after its reports were
committed to disk and found to be new among those stored.
"""

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.load import Answered, Load, drive
from benchmarks.measure import Measured
from benchmarks.servers import Server, bare, collector
from benchmarks.studies import made_up_study
from tacit import Study
from tacit.collector.storage.interface import Post
from tacit.collector.storage.sqlite.store import SQLiteStore

_SERVER_CORE, _CLIENT_CORE = 0, 1
_ROUNDS, _SECONDS = 7, 2.0
_BATCH_ROUNDS = 3
_WARM_UP_SECONDS = 2.0
_SINGLE_CONNECTIONS, _BATCH_CONNECTIONS = 256, 8
_BATCH = 10_000
_STORED = 10_200_000  # its set of fingerprints has just doubled: what else grows would be seen
_FLAT = 1.1  # of the memory before the load


def measure() -> Iterator[Measured]:
    """Singles against the bare handler, latency at half that load, batches, and memory."""
    study = made_up_study(10)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "reports.sqlite"
        _preload(store, study)
        with bare(_SERVER_CORE) as peer, collector(store, study, _SERVER_CORE) as ours:
            for server, reports in ((peer, 1), (ours, 1), (ours, _BATCH)):
                _post(server, reports, _WARM_UP_SECONDS)
            yield from _told(peer, ours)


def _told(peer: Server, ours: Server) -> Iterator[Measured]:
    before = ours.resident
    ours.forget_peak()
    rounds = [(_post(peer, 1).rate, _post(ours, 1).rate) for _ in range(_ROUNDS)]
    bare_rate, rate = (statistics.median(rates) for rates in zip(*rounds, strict=True))
    yield Measured("bare ASGI handler (peer)", bare_rate, "requests/s")
    yield Measured("collector, one report a request, durable", rate, "requests/s")
    ratio = statistics.median(ours / bare for bare, ours in rounds)
    yield Measured("one report a request / peer", ratio, "times", at_least=0.5)
    steady = [_post(ours, 1, rate=rate / 2) for _ in range(_ROUNDS)]
    for name, limit in (("median", None), ("p99", 50.0)):
        value = statistics.median(getattr(one, name) for one in steady)
        yield Measured(f"{name} time to answer at half that load", value, "ms", at_most=limit)
    batches = statistics.median(_post(ours, _BATCH).rate for _ in range(_BATCH_ROUNDS)) * _BATCH
    name = f"collector, {_BATCH:,} a request, {_STORED / 1e6:g} million stored"
    yield Measured(name, batches, "reports/s", at_least=100_000.0)
    yield Measured("collector's memory before all that", before, "MB")
    yield Measured("collector's memory after", ours.resident, "MB")
    yield Measured("its peak / before", ours.peak / before, "times", at_most=_FLAT)


def _post(
    server: Server, reports: int, seconds: float = _SECONDS, rate: float | None = None
) -> Answered:
    connections = _SINGLE_CONNECTIONS if reports == 1 else _BATCH_CONNECTIONS
    load = Load(server.port, server.path, reports, connections, seconds, rate)
    answered = drive(load, _CLIENT_CORE)
    if answered.failed:
        raise RuntimeError(f"{answered.failed} requests were refused under {load}")
    return answered


def _preload(path: Path, study: Study) -> None:
    """Reports in the bundles that full batches make, put there without HTTP."""
    store, generator = SQLiteStore.open(path), np.random.default_rng(0)
    store.create(study, planned=None, needs_code=False)
    for _ in range(_STORED // _BATCH):
        seeds = generator.integers(0, 256, (_BATCH, 16), dtype=np.uint8)
        store.append([Post(study.id, seeds)], "2020-01-01")
    store.close()
