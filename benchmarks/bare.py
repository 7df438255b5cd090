"""An ASGI handler that does nothing but answer: `python -m benchmarks.bare PORT`."""

import sys
from typing import Any

import uvicorn

_BODY = b'{"reports":1}'
_HEADERS = [
    (b"content-type", b"application/json"),
    (b"content-length", str(len(_BODY)).encode()),
]


async def answer(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """The collector's answer to one report, without looking at the request."""
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        await send({"type": "http.response.body", "body": _BODY})


if __name__ == "__main__":
    uvicorn.run(
        answer,
        port=int(sys.argv[1]),
        loop="uvloop",
        http="httptools",
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
    )
