"""Folding again from the first event: stored states and the list's rows are compared with the result and replaced by it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import delete, select

from ..events import schema
from ..events.blocks import Frozen
from ..events.store import EventStore, SessionRow
from ..projections.fold import Folded, decode, fold_events, save_state
from ..projections.registry import versions_key
from .opened import StoreLike, opened
from .resolve import resolve_session
from .session_index import index_row, store_rows
from .verify_result import Mismatch


class Rebuilt(Frozen):
    """How many sessions and events were folded, and each stored value that was not what the events give (now replaced)."""

    sessions: int
    events: int
    mismatches: tuple[Mismatch, ...] = ()


def rebuild_projections(sessions: Iterable[str] | None = None, store: StoreLike = None) -> Rebuilt:
    """Fold sessions (None or none named: all) from event 1, report what was stored wrongly, and store it anew.

    Raises:
        SessionNotFound, AmbiguousSession: a named session does not exist; nothing was changed.
        DamagedDatabase: events cannot be read.
    """
    with opened(store) as events:
        named = list(sessions or ())
        rows = [resolve_session(events, name) for name in named] if named else events.sessions()
        mismatches: list[Mismatch] = []
        for row in rows:
            mismatches += _rebuild(events, row)
        return Rebuilt(sessions=len(rows), events=sum(row.head for row in rows), mismatches=tuple(mismatches))


def _rebuild(store: EventStore, row: SessionRow) -> list[Mismatch]:
    folded = fold_anew(store, row, row.head)
    found = compare_stored(store, row, folded)
    with store.writing():
        store.drop_snapshots(row)
        if folded.folded:
            save_state(store, row, folded)
        store_rows(store, [(row, index_row(row, folded))])
    return found


def fold_anew(store: EventStore, row: SessionRow, position: int) -> Folded:
    """The states at a position from event 1, whatever is stored."""
    path, states, count = fold_events(lambda: store.read(row.session_id, until=position))
    return Folded(row.session_id, position, path, states, count)


def compare_stored(store: EventStore, row: SessionRow, folded: Folded) -> list[Mismatch]:
    """Every stored state and the list's row of a session that differ from a fold from event 1. Writes nothing."""
    found: list[Mismatch] = []
    for position, body in _snapshots(store, row):
        fresh = folded if position == folded.position else fold_anew(store, row, position)
        found += _compare_snapshot(row, position, body, fresh)
    found += _compare_index(store, row, folded)
    return found


def _snapshots(store: EventStore, row: SessionRow) -> list[tuple[int, bytes]]:
    columns = schema.snapshot.c
    query = (
        select(columns.seq, columns.body)
        .where(columns.stream == row.stream, columns.version == versions_key(), columns.seq <= row.head)
        .order_by(columns.seq)
    )
    with store.reading() as connection:
        return [(int(found.seq), bytes(found.body)) for found in connection.execute(query)]


def _compare_snapshot(row: SessionRow, position: int, body: bytes, fresh: Folded) -> list[Mismatch]:
    place = f"{row.session_id}@{position}"
    kept = decode(body)
    if kept is None:
        return [_mismatch(row, position, f"The stored state at {place} cannot be read.", {})]
    differing = [name for name, state in fresh.states.items() if kept["states"].get(name) != state]
    if kept["path"] != json.loads(json.dumps(fresh.path.as_json())):
        differing.append("path")
    if not differing:
        return []
    text = f"The stored state at {place} differs from its events in: {', '.join(differing)}."
    return [_mismatch(row, position, text, {"projections": differing})]


def _compare_index(store: EventStore, row: SessionRow, folded: Folded) -> list[Mismatch]:
    columns = schema.session_index.c
    with store.reading() as connection:
        stored = connection.execute(select(schema.session_index).where(columns.session_id == row.session_id)).first()
    if stored is None or stored.seq != row.head or stored.version != versions_key():
        return []
    fresh = json.loads(json.dumps(index_row(row, folded)))
    data: dict[str, Any] = {}
    try:
        data.update(json.loads(stored.data))
    except (ValueError, TypeError):
        data.clear()
    if data == fresh and stored.title == fresh["title"] and stored.last_us == fresh["last_us"]:
        return []
    names = sorted(name for name in fresh if data.get(name) != fresh[name])
    text = f"The list's row of session {row.session_id} differs from its events."
    return [_mismatch(row, row.head, text, {"fields": names})]


def _mismatch(row: SessionRow, position: int, message: str, facts: dict[str, Any]) -> Mismatch:
    return Mismatch(what="projection", message=message, session_id=row.session_id, position=position, facts=facts)


def drop_list(store: EventStore) -> None:
    """Forget all rows of the list; they are made again when it is asked for."""
    with store.writing() as connection:
        connection.execute(delete(schema.session_index))
