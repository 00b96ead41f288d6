"""What the whole server shares: the store, the running runs, and what new sessions are begun with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import anyio
from starlette.requests import Request

from ...events.store import EventStore
from .running import Runs

Result = TypeVar("Result")


@dataclass
class Served:
    """store: for reads and short writes; each run opens its own. model, project: for new sessions."""

    target: str | None
    store: EventStore
    project: Path
    model: str | None = None
    api: Literal["responses", "chat"] = "responses"
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    runs: Runs = field(default_factory=Runs)


def served(request: Request) -> Served:
    """The server's shared state."""
    found = request.app.state.served
    assert isinstance(found, Served)
    return found


async def aside(function: Callable[..., Result], *args: Any, **kwargs: Any) -> Result:
    """Call in a worker thread, so that the server goes on answering."""
    return await anyio.to_thread.run_sync(lambda: function(*args, **kwargs))
