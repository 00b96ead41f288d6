"""Following a session that another process writes: its events as they become durable."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from ...events.event import Event
from ...events.store import EventStore
from ..opened import StoreLike, opened

POLL_S = 0.2


def tail_session(
    session: str,
    *,
    after: int | None = None,
    follow: bool = True,
    store: StoreLike = None,
    stop: Callable[[], bool] | None = None,
    poll_s: float = POLL_S,
) -> Iterator[Event]:
    """Events after the position `after` (None: the present end), values in place; with `follow` it waits for more until `stop()`.

    Raises:
        SessionNotFound: there is no such session.
    """
    with opened(store) as events:
        from .opening import looked_up

        session_id = looked_up(events, session)
        at = events.session(session_id).head if after is None else after
        while True:
            for event in fresh(events, session_id, at):
                at = event.position
                yield event
            if not follow or (stop is not None and stop()):
                return
            time.sleep(poll_s)


def fresh(store: EventStore, session_id: str, after: int) -> list[Event]:
    """The events that are there after a position, values in place."""
    if store.session(session_id).head <= after:
        return []
    return store.hydrate(store.read(session_id, after=after))
