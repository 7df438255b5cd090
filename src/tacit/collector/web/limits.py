"""What a client may ask of the server: so many requests a second, and so many connections."""

import hashlib
import math
import resource
import secrets
from ipaddress import IPv6Address

MOST_CONNECTIONS = 20_000

_FILES_KEPT_FREE = 128
_CLIENTS_REMEMBERED = 100_000


class RateLimit:
    """So many requests a second and client, twice as many at once.

    Remembers, under a keyed hash of the address that no other process can make, until when each
    client has used up its share; what lies in the past is forgotten.
    """

    def __init__(self, per_second: float) -> None:
        self._interval = 1.0 / per_second
        self._ahead = 2.0
        self._key = secrets.token_bytes(32)
        self._used_until: dict[bytes, float] = {}

    def wait(self, address: str, now: float) -> float:
        """0 if a request may pass (which is counted), else the seconds until one may."""
        client = hashlib.blake2b(network(address), digest_size=16, key=self._key).digest()
        until = max(self._used_until.get(client, 0.0), now) + self._interval
        if until - now > self._ahead:
            return until - now - self._ahead
        self._used_until[client] = until
        if len(self._used_until) > _CLIENTS_REMEMBERED:
            self._forget(now)
        return 0.0

    def _forget(self, now: float) -> None:
        """Those who have not asked for a while; all, where too many ask at once to tell apart."""
        kept = {client: until for client, until in self._used_until.items() if until > now}
        self._used_until = kept if len(kept) < _CLIENTS_REMEMBERED // 2 else {}


def network(address: str) -> bytes:
    """Who is one client: an IPv4 address, or the 64 bits that a household gets under IPv6."""
    if ":" not in address:
        return address.encode()
    try:
        parsed = IPv6Address(address)
    except ValueError:
        return address.encode()
    return str(parsed.ipv4_mapped).encode() if parsed.ipv4_mapped else parsed.packed[:8]


def retry_after(seconds: float) -> str:
    """Whole seconds, as the header wants them."""
    return str(max(1, math.ceil(seconds)))


def raise_open_files() -> int:
    """Allow as many open files as the system does; returns how many may be connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    allowed = MOST_CONNECTIONS if hard == resource.RLIM_INFINITY else hard - _FILES_KEPT_FREE
    return max(1, min(MOST_CONNECTIONS, allowed))
