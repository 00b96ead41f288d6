"""`delete` hides a session by an event; its content stays until `purge.py` removes it."""

from __future__ import annotations

from ..events.event import Draft
from ..events.kinds import SessionLabel
from ..events.store import EventStore, SessionRow
from ..events.times import now_us
from .labels import Labelled
from .opened import StoreLike, opened


def delete_session(session: str, *, store: StoreLike = None) -> Labelled:
    """Take the session out of every list. Its content stays until `purge_sessions`; `unarchive_session` brings it back.

    Raises:
        SessionNotFound, AmbiguousSession, LeaseConflict: nothing was written.
    """
    from .live.lease import lease
    from .resolve import resolve_session

    with opened(store) as opened_store:
        row = resolve_session(opened_store, session)
        with lease(opened_store, row.session_id) as held:
            draft = Draft.of(SessionLabel(deleted=True), ts=now_us())
            (event,) = opened_store.append(row.session_id, [draft], token=held.token)
        return Labelled(session_id=row.session_id, pointer=event.pointer, deleted=True)


def deleted_sessions(store: EventStore) -> list[SessionRow]:
    """The sessions whose last word on it is that they are deleted."""
    return [row for row in store.sessions(role="main") if _is_deleted(store, row)]


def _is_deleted(store: EventStore, row: SessionRow) -> bool:
    for event in store.read(row.session_id, reverse=True, kinds=["SessionLabel"]):
        if event.data.get("deleted") is not None:
            own = row.forked_from is None or event.position > int(row.forked_from.rpartition("@")[2])
            return bool(event.data["deleted"]) and own
    return False
