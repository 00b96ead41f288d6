"""Proof that the database holds what was written: file, rows, hash chains, native records, blobs and folds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..events.errors import DamagedDatabase, RehydrateError, SessionNotFound
from ..events.store import EventStore, SessionRow
from .opened import StoreLike, opened
from .verify_chain import check_chain, check_lineage
from .verify_file import check_file, check_tables
from .verify_folds import check_folds
from .verify_pages import check_pages
from .verify_result import Mismatch, Verified, caught
from .verify_sources import check_blobs, check_sources


def verify_store(sessions: Iterable[str] | None = None, *, store: StoreLike = None) -> Verified:
    """Check sessions (all without any) and everything they rest on; nothing is changed.

    A damaged place is a mismatch that names it. What no row holds (bytes of a page that are in no use) is not looked at.

    Raises:
        SessionNotFound: one of the named sessions is not there.
    """
    named = list(sessions or ())
    try:
        with opened(store) as events:
            return _verify(events, named)
    except DamagedDatabase as error:
        return Verified(
            sessions=0, events=0, mismatches=(Mismatch(what="file", message=error.message, facts=error.facts),)
        )


def _verify(store: EventStore, named: Sequence[str]) -> Verified:
    found = list(check_file(store))
    rows: list[SessionRow] = []
    with caught(found, "session", "The list of sessions cannot be read"):
        rows = _rows(store, named)
    events = 0
    for row in rows:
        count, mismatches = _session(store, row)
        events += count
        found += mismatches
    if not named:
        found += check_tables(store)
        with caught(found, "file", "The pages of the database cannot be read"):
            found += check_pages(store)
        with caught(found, "blob", "The blobs cannot be read"):
            found += check_blobs(store)
    return Verified(sessions=len(rows), events=events, mismatches=tuple(found))


def _rows(store: EventStore, named: Sequence[str]) -> list[SessionRow]:
    if not named:
        return store.sessions()
    from .resolve import resolve_session

    return [resolve_session(store, name) for name in named]


def _session(store: EventStore, row: SessionRow) -> tuple[int, list[Mismatch]]:
    """The number of events checked, and what is wrong with them."""
    found: list[Mismatch] = []
    count = 0
    with caught(found, "event", f"The events of session {row.session_id} cannot be read", row.session_id):
        count, mismatches = check_chain(store, row.session_id)
        found += mismatches
    with caught(found, "lineage", f"The lineage of session {row.session_id} cannot be read", row.session_id):
        found += check_lineage(store, row)
    with caught(found, "record", f"The native records of session {row.session_id} cannot be read", row.session_id):
        found += check_sources(store, row.session_id)
    if not found:
        with caught(found, "projection", f"Session {row.session_id} cannot be folded", row.session_id):
            found += check_folds(store, row)
    return count, found


__all__ = ["Mismatch", "RehydrateError", "SessionNotFound", "Verified", "verify_store"]
