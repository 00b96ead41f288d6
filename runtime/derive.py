"""Sessions derived again from their native records by today's importers."""

from __future__ import annotations

from collections.abc import Iterable

from ..events.blocks import Frozen
from ..events.importers.derive import derive_session
from .opened import StoreLike, opened


class DerivedSession(Frozen):
    """changed: its events are others than before; the old ones stay in an older generation, forks keep them."""

    session_id: str
    changed: bool
    events_before: int
    events: int
    generation: int


class DerivedStore(Frozen):
    sessions: int
    events: int
    changed: tuple[DerivedSession, ...] = ()


def derive_sessions(sessions: Iterable[str] = (), *, store: StoreLike = None) -> DerivedStore:
    """Derive sessions (all without any) again; one whose events come out the same is left as it is.

    Raises:
        SessionNotFound: one of them is not there.
    """
    named = list(sessions)
    with opened(store) as events:
        if named:
            from .resolve import resolve_session

            ids = [resolve_session(events, name).session_id for name in named]
        else:
            ids = [row.session_id for row in events.sessions()]
        done = [derive_session(events, session_id) for session_id in ids]
    changed = tuple(
        DerivedSession(
            session_id=one.session_id,
            changed=one.changed,
            events_before=one.events_before,
            events=one.events,
            generation=one.generation,
        )
        for one in done
        if one.changed
    )
    return DerivedStore(sessions=len(done), events=sum(one.events for one in done), changed=changed)
