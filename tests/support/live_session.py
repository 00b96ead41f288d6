"""Short ways to a live session against the scripted model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rehydrate.events.event import Event
from rehydrate.events.store import EventStore
from rehydrate.runtime.live.model import Limits
from rehydrate.runtime.live.opening import open_session, start_session
from rehydrate.runtime.live.session import Session

from .strict_server import StrictServer

QUICK = Limits(backoff_s=0.01, idle_s=20)


def begun(workspace: Path, database: str | EventStore, server: StrictServer, **options: Any) -> Session:
    """A new session in `workspace`."""
    given = {"model": "gpt-test", "limits": QUICK, **options}
    return start_session(workspace, store=database, base_url=server.base_url, **given)


def gone_on_with(session: str, database: str | EventStore, server: StrictServer, **options: Any) -> Session:
    """An existing session, opened again."""
    return open_session(session, store=database, base_url=server.base_url, **{"limits": QUICK, **options})


def events_of(database: str, session_id: str, *kinds: str) -> list[Event]:
    """The stored events of these kinds, values in place."""
    with EventStore(database) as store:
        return store.hydrate(store.read(session_id, kinds=kinds or None))
