"""What the protocol takes from inside uvicorn, which promises none of it: looked at when imported.

The versions are bounded in pyproject.toml; this is for whoever installed another one.
"""

from collections.abc import Iterable
from importlib.metadata import version

from tacit.errors import ConfigurationError

__all__ = ["FlowControl", "HttpToolsProtocol", "RequestResponseCycle"]

WORKS_WITH = ">=0.36,<0.55"

_NEEDED = {
    "HttpToolsProtocol": "connection_made connection_lost pause_writing resume_writing "
    "data_received send_400_response on_headers_complete on_message_complete on_response_complete "
    "connections cycle flow loop parser pipeline scope server_state transport",
    "RequestResponseCycle": "disconnected keep_alive message_event more_body on_response "
    "response_complete response_started transport",
    "FlowControl": "pause_reading resume_reading write_paused",
    "ServerState": "connections default_headers",
}


def refuse_moved(parts: Iterable[type]) -> None:
    """Raise where a class of uvicorn lacks what is used of it."""
    for part in parts:
        # An attribute that only an instance has is known by the code that sets it.
        set_by_code = part.__init__.__code__.co_names  # type: ignore[misc]
        missing = set(_NEEDED[part.__name__].split()) - {*vars(part), *set_by_code}
        if missing:
            raise moved(f"{part.__name__}.{min(missing)}")


def moved(what: object) -> ConfigurationError:
    """The error of a version that does not fit."""
    return ConfigurationError(
        f"the collector works with uvicorn {WORKS_WITH}, but {version('uvicorn')} is installed, "
        f"where something has moved ({what}); run: pip install 'uvicorn{WORKS_WITH}'"
    )


try:
    from uvicorn.protocols.http.flow_control import FlowControl
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
    from uvicorn.server import ServerState
except ImportError as error:
    raise moved(error) from error

refuse_moved((HttpToolsProtocol, RequestResponseCycle, FlowControl, ServerState))
