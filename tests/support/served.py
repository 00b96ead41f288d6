"""The HTTP server of the product on a free port of the loopback, in a thread."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from rehydrate.events.store import EventStore
from rehydrate.runtime.web.app import create_app
from rehydrate.runtime.web.context import Served
from rehydrate.runtime.web.guard import Rules


@contextmanager
def served(database: str, project: Path, *, token: str | None = None, **options: Any) -> Iterator[str]:
    """Base URL of a running server; `options` go to `open_session` and `start_session`."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    with EventStore(database) as store:
        shared = Served(database, store, project, model="gpt-test", options=options)
        app = create_app(shared, Rules.for_address("127.0.0.1", token))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
            listener.close()


def sse(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """Server-sent events as `{"id", "event", "data"}`, data parsed."""
    import json

    event: dict[str, Any] = {}
    for line in lines:
        if not line:
            if "data" in event:
                yield {**event, "data": json.loads(event["data"])}
            event = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            event[name] = value.removeprefix(" ")
