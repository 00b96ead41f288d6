"""Running the server: an open store, an address, and uvicorn."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from ...events.errors import RehydrateError, UsageError
from ...events.store import EventStore


def serve_forever(
    target: str | None,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    token: str | None = None,
    model: str | None = None,
    api: Literal["responses", "chat"] = "responses",
    project: Path | None = None,
    allowed_hosts: tuple[str, ...] = (),
    say: Callable[[str], None] = print,
    options: dict[str, Any] | None = None,
) -> None:
    """Serve until interrupted.

    Raises:
        UsageError: the extra `web` is not installed, the address is taken, or others reach it and there is no token.
    """
    try:
        import uvicorn

        from .app import create_app
        from .context import Served
        from .guard import Rules
    except ModuleNotFoundError as error:
        raise UsageError(f"The server needs {error.name}.", remedy="Install rehydrate[web].") from error
    rules = Rules.for_address(host, token, allowed_hosts)
    listener = _listener(host, port)
    with EventStore(target) as store:
        where = (project or Path.cwd()).resolve()
        shared = Served(target or store.url, store, where, model=model, api=api, options=options or {})
        config = uvicorn.Config(
            create_app(shared, rules), log_level="warning", lifespan="on", timeout_graceful_shutdown=3, access_log=False
        )
        address = f"[{host}]" if ":" in host else host
        shown = f"http://{address}:{listener.getsockname()[1]}/"
        say(f"Serving {store.name} at {shown}{f'?token={token}' if token else ''}")
        uvicorn.Server(config).run(sockets=[listener])


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise UsageError(
            f"{host}:{port} cannot be listened at: {error.strerror}.", remedy="Choose another --port."
        ) from error
    except OverflowError as error:
        listener.close()
        raise RehydrateError(f"{port} is no port.") from error
    listener.listen(128)
    return listener
