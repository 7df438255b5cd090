"""The collector as a process: a socket, an event loop, and a stop that loses nothing."""

import asyncio
import contextlib
import gc
import logging
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import uvicorn

from tacit.collector.storage.interface import Store
from tacit.collector.web.app import Collector
from tacit.collector.web.connections import OWED_SECONDS, BoundedProtocol, Shared
from tacit.collector.web.headers import ALWAYS, UNDER_TLS
from tacit.collector.web.limits import raise_open_files
from tacit.collector.web.service import Service
from tacit.errors import ConfigurationError

BACKLOG = 2048
KEEP_ALIVE_SECONDS = 5
STOP_SECONDS = 10

_ALLOCATIONS_PER_COLLECTION = 5_000

_log = logging.getLogger("tacit.collector")


@dataclass(frozen=True)
class Options:
    """How the collector is reached; `behind_proxy`, a trusted proxy's address or network."""

    host: str = "127.0.0.1"
    port: int = 8000
    rate: int = 0
    tls_cert: Path | None = None
    tls_key: Path | None = None
    behind_proxy: str | None = None

    @property
    def tls(self) -> bool:
        """Whether the collector itself speaks TLS."""
        return self.tls_cert is not None


def check(options: Options) -> None:
    """Refuse, before anything is opened, what would send admin token or reports in the clear."""
    if (options.tls_cert is None) != (options.tls_key is None):
        raise ConfigurationError("give --tls-cert and --tls-key together")
    if options.tls_cert is not None:
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(options.tls_cert, options.tls_key)
        except (OSError, ValueError) as error:
            pair = f"--tls-cert {options.tls_cert} with --tls-key {options.tls_key}"
            raise ConfigurationError(f"cannot use {pair}: {error}") from error
    _trusted(options.behind_proxy)
    if not (options.tls or options.behind_proxy or _is_loopback(options.host)):
        raise ConfigurationError(
            f"host {options.host} can be reached from other machines, where the admin token would "
            f"travel unencrypted; give --tls-cert and --tls-key, or put a proxy that speaks TLS in "
            f"front and name it with --behind-proxy, or keep --host 127.0.0.1"
        )


def bind(options: Options) -> socket.socket:
    """A socket that is ours but takes no connection yet."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((options.host, options.port))
    except (OSError, OverflowError) as error:
        bound.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(
            f"cannot listen on port {options.port} of {options.host}: {reason.lower()}; "
            f"choose another with --port or --host"
        ) from error
    return bound


def address(options: Options, bound: socket.socket) -> str:
    """Where the collector is found from this machine."""
    host = f"[{options.host}]" if ":" in options.host else options.host
    return f"{'https' if options.tls else 'http'}://{host}:{bound.getsockname()[1]}"


def run(
    store: Store,
    options: Options,
    bound: socket.socket,
    announce: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve until asked to stop, then answer what is under way; the store stays open.

    `announce` is told the address once connections are taken and a signal stops the server.
    """
    service = Service(store)
    server = _Server(_config(Collector(service, options.rate), options))
    service.connections = lambda: len(server.server_state.connections)
    factory = server.config.get_loop_factory()
    _spare_the_collector()
    with server.stopped_by_signals(), asyncio.Runner(loop_factory=factory) as runner:
        bound.listen(BACKLOG)
        announce(address(options, bound))
        runner.run(_serve(server, service, bound))


async def _serve(server: "_Server", service: Service, bound: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_log_without_addresses)
    if server.config.is_ssl:  # uvicorn cannot be told; the loop would wait for a minute
        bounded = partial(loop.create_server, ssl_handshake_timeout=OWED_SECONDS)
        loop.create_server = bounded  # type: ignore[method-assign]
    service.writer.maintain()
    try:
        await server.serve(sockets=[bound])
    finally:
        await service.writer.close()


def _spare_the_collector() -> None:
    """Requests leave no cycles; looking for them took a fifth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS_PER_COLLECTION)


class _Server(uvicorn.Server):
    """uvicorn's server, which would take signals too late and end the process by them."""

    @contextlib.contextmanager
    def stopped_by_signals(self) -> Iterator[None]:
        """SIGINT and SIGTERM end the serving; compacting follows."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        stops = (signal.SIGINT, signal.SIGTERM)
        before = {stop: signal.signal(stop, self.handle_exit) for stop in stops}
        try:
            yield
        finally:
            for stop, handler in before.items():
                signal.signal(stop, handler)

    def capture_signals(self) -> Any:
        """They are taken already."""
        return contextlib.nullcontext()


def _config(app: Collector, options: Options) -> uvicorn.Config:
    always = {**ALWAYS, **(UNDER_TLS if options.tls else {})}
    protocol: Any = partial(BoundedProtocol, shared=Shared(raise_open_files()))
    return uvicorn.Config(
        app,
        loop="uvloop",
        http=protocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=True,
        headers=list(always.items()),
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
        proxy_headers=options.behind_proxy is not None,
        forwarded_allow_ips=_trusted(options.behind_proxy),
        ssl_certfile=options.tls_cert,
        ssl_keyfile=options.tls_key,
    )


def _trusted(proxy: str | None) -> str | None:
    """A proxy's address or network as uvicorn reads it; anything else it would never match."""
    if proxy is None:
        return None
    try:
        network = ip_network(proxy, strict=False)
    except ValueError as error:
        raise ConfigurationError(
            f"--behind-proxy must be the IP address of the proxy, as 127.0.0.1, or its network, "
            f"as 10.0.0.0/8, got {proxy!r}"
        ) from error
    if network.prefixlen == 0:
        raise ConfigurationError(
            f"--behind-proxy {proxy} would let every client choose the address it is counted "
            f"under; name the proxy's own address or network"
        )
    return str(network)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _log_without_addresses(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What goes wrong outside a request; transports and sockets would show who was there."""
    error = context.get("exception")
    if not isinstance(error, OSError):  # connections break, handshakes fail: nothing to do
        _log.error("%s: %r", context.get("message", "error"), error)
