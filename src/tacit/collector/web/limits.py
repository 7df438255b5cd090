"""What a client may ask of the server: so many reports a second, so much memory, and no more."""

import hashlib
import math
import resource
import secrets
from dataclasses import dataclass
from ipaddress import IPv6Address

MOST_CONNECTIONS = 20_000
UNFINISHED_BYTES = 256 * 2**20

FILES_KEPT_FREE = 128
CLIENTS_REMEMBERED = 100_000
FORGET_SECONDS = 5.0
KEY_SECONDS = 86_400.0
_ROUNDING = 1e-6  # seconds


class RateLimit:
    """So many requests a second and client, twice as many at once; each further report is another.

    Remembers, under a keyed hash of the address that no other process can make, until when each
    client has used up its share; what lies in the past is forgotten, and so is the key.
    """

    def __init__(self, per_second: float) -> None:
        self.most_at_once = int(2.0 * per_second)
        self._interval = 1.0 / per_second
        self._ahead = 2.0
        self.used_until: dict[bytes, float] = {}
        self._forget_at = self._key_until = -math.inf

    def wait(self, address: str, now: float, further: int = 0) -> float:
        """0 if a request may pass (which is counted), else the seconds until it may.

        Once that is known, `further` are the reports beyond the first of a request that passed.
        """
        if now >= self._forget_at or len(self.used_until) >= CLIENTS_REMEMBERED:
            self._forget(now)
        client = hashlib.blake2b(network(address), digest_size=16, key=self.key).digest()
        until = max(self.used_until.get(client, 0.0), now) + (further or 1) * self._interval
        if until - now > self._ahead + _ROUNDING:
            again = self._interval if further else 0.0  # the request itself comes once more
            return until - now - self._ahead + again
        self.used_until[client] = until
        return 0.0

    def _forget(self, now: float) -> None:
        """Those who have not asked for a while; all, where too many ask at once to tell apart.

        Where nobody is remembered, or for a day, the key is replaced: no hash outlives it.
        """
        self._forget_at = now + FORGET_SECONDS
        kept = {client: until for client, until in self.used_until.items() if until > now}
        if not kept or len(kept) >= CLIENTS_REMEMBERED // 2 or now >= self._key_until:
            kept = {}
            self.key = secrets.token_bytes(32)
            self._key_until = now + KEY_SECONDS
        self.used_until = kept


@dataclass
class Room:
    """Memory for bodies of which a part is missing, over all connections."""

    left: int = UNFINISHED_BYTES


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
    allowed = MOST_CONNECTIONS if hard == resource.RLIM_INFINITY else hard - FILES_KEPT_FREE
    return max(1, min(MOST_CONNECTIONS, allowed))
