"""Where a collector may be reached: one rule for apps, the command line and the page.

`tests/vectors/addresses.json` has what is taken and what is refused, here and in the page.
"""

import re
from typing import Any

from tacit.errors import ConfigurationError

_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME = rf"(?:{_LABEL}\.)*[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])?"  # a last part of digits is no name
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_PORT = "(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
_PATH = r"(?:/(?!\.\.?(?:/|$))[a-z0-9._~-]+)*"
_ADDRESS = re.compile(
    rf"(?:https://(?:{_NAME}|{_BYTE}(?:\.{_BYTE}){{3}})|http://(?:localhost|127\.0\.0\.1))"
    rf"(?::{_PORT})?{_PATH}",
    re.ASCII | re.IGNORECASE,
)


def checked_collector(collector: Any) -> str:
    """The address without slashes at its end: by TLS, or on this very machine.

    Machines are named or have four numbers. The content policy of the page can say neither the
    rest of 127.0.0.0/8 nor ::1, so `localhost` and 127.0.0.1 stand for this machine everywhere.
    """
    address = collector.rstrip("/") if isinstance(collector, str) else ""
    if not _ADDRESS.fullmatch(address):
        raise ConfigurationError(
            f"collector must be an address such as https://collector.example; use https, http is "
            f"for this machine alone (localhost, 127.0.0.1); got collector={collector!r}"
        )
    return address
