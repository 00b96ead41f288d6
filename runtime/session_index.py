"""The list of sessions as a read model: one small row each, made from the folds, brought up to date when it is asked for."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import delete, select

from ..events import schema
from ..events.errors import RehydrateError
from ..events.references import preview
from ..events.store import EventStore, SessionRow
from ..events.times import to_iso
from ..projections.fold import Folded, restore_states
from ..projections.labels import title_of
from ..projections.registry import versions_key
from .workspace.expected import expected_place

TITLE_CHARS = 120
_BATCH = 50


def index_row(row: SessionRow, folded: Folded) -> dict[str, Any]:
    """What the list shows of a session."""
    states = folded.states
    labels, activity, workspace = states["labels"], states["activity"], states["workspace"]
    last = next((us for us in (activity["last_us"], activity["any_us"], row.created_us) if us is not None), None)
    created = next(
        (us for us in (activity["first_us"], states["lineage"]["created_us"], row.created_us) if us is not None), None
    )
    project: dict[str, Any] = workspace["project"] or {}
    title = title_of(labels)
    path = project.get("path") or workspace["main_cwd"] or (workspace["cwds"][0] if workspace["cwds"] else None)
    return {
        "session_id": row.session_id,
        "title": None if title is None else preview(title, TITLE_CHARS) or None,
        "source": row.source,
        "project": path,
        "project_id": project.get("id"),
        "worktree": expected_place(row.session_id, workspace).worktree_path,
        "cwd": workspace["cwd"],
        "branch": workspace["branch"],
        "created_at": to_iso(created),
        "last_activity": to_iso(last),
        "last_us": last,
        "events": folded.position,
        "messages": activity["user_messages"] + activity["assistant_messages"],
        "turns": activity["turns"],
        "model": states["agent"]["model"],
        "agent": states["agent"]["fields"].get("name"),
        "tag": labels["tag"],
        "color": labels["color"],
        "archived": bool(labels["archived"]),
        "deleted": bool(labels["deleted"]),
        "forked_from": row.forked_from or states["lineage"]["fields"].get("forked_from"),
        "pointer": f"{row.session_id}@{folded.position}",
        "first_native": states["lineage"]["first_native"],
        "before_first": states["lineage"]["before_first"],
        "place": {name: workspace.get(name) for name in _PLACE},
    }


_PLACE = ("cwd", "branch", "head", "remote", "root_commits", "project", "worktree", "toplevel", "started_in", "rebound")


def refresh_index(store: EventStore, session_id: str) -> dict[str, Any]:
    """Fold one session to its head and store its row; returns the row. A database that cannot be written keeps the old one."""
    row = store.session(session_id)
    made = index_row(row, restore_states(store, session_id))
    _write(store, [(row, made)])
    return made


def _write(store: EventStore, made: list[tuple[SessionRow, dict[str, Any]]]) -> None:
    try:
        with store.writing(wait_s=0):
            store_rows(store, made)
    except RehydrateError:
        return


def store_rows(store: EventStore, made: list[tuple[SessionRow, dict[str, Any]]]) -> None:
    """Replace the rows of these sessions, in one transaction."""
    version = versions_key()
    values = [
        {
            "session_id": row.session_id,
            "seq": row.head,
            "version": version,
            "last_us": data["last_us"],
            "listed": int(row.role == "main" and data["messages"] > 0 and not data["deleted"]),
            "project": data["project"],
            "title": data["title"],
            "data": json.dumps(data, separators=(",", ":"), ensure_ascii=False),
        }
        for row, data in made
    ]
    with store.writing() as connection:
        ids = [row.session_id for row, _ in made]
        connection.execute(delete(schema.session_index).where(schema.session_index.c.session_id.in_(ids)))
        connection.execute(schema.session_index.insert(), values)


def listed_rows(store: EventStore) -> list[dict[str, Any]]:
    """The rows of all main sessions, newest activity first; rows that are missing or behind are made first."""
    rows, stale = _stored(store)
    made: list[tuple[SessionRow, dict[str, Any]]] = []
    for session_id in stale:
        row = store.session(session_id)
        made.append((row, index_row(row, restore_states(store, session_id))))
        if len(made) >= _BATCH:
            _write(store, made)
            rows += [data for _, data in made]
            made = []
    if made:
        _write(store, made)
        rows += [data for _, data in made]
    rows.sort(key=lambda data: data["session_id"])
    rows.sort(key=lambda data: data["last_us"] or 0, reverse=True)
    return rows


def bring_up_to_date(store: EventStore) -> None:
    """Make the rows that are missing or behind; for those who look rows up by what is in them."""
    session, stream, index = schema.session.c, schema.stream.c, schema.session_index.c
    row_of = schema.session.join(schema.stream, session.stream == stream.stream).outerjoin(
        schema.session_index, session.session_id == index.session_id
    )
    behind = (index.seq.is_(None)) | (index.seq != stream.head) | (index.version != versions_key())
    query = select(session.session_id).select_from(row_of).where(session.role == "main", behind).limit(1)
    with store.reading() as connection:
        anything = connection.execute(query).first()
    if anything is not None:
        listed_rows(store)


def _stored(store: EventStore) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows that are up to date, and the ids of the sessions that have none."""
    session, stream, index = schema.session.c, schema.stream.c, schema.session_index.c
    query = (
        select(session.session_id, stream.head, index.seq, index.version, index.data)
        .select_from(
            schema.session.join(schema.stream, session.stream == stream.stream).outerjoin(
                schema.session_index, session.session_id == index.session_id
            )
        )
        .where(session.role == "main")
    )
    version = versions_key()
    rows: list[dict[str, Any]] = []
    stale: list[str] = []
    with store.reading() as connection:
        for found in connection.execute(query):
            data = stored_row(found.data) if found.seq == found.head and found.version == version else None
            if data is None or data.get("session_id") != found.session_id:
                stale.append(found.session_id)
            else:
                rows.append(data)
    return rows, stale


def stored_row(text: str) -> dict[str, Any] | None:
    try:
        data: dict[str, Any] = dict(json.loads(text))
    except (ValueError, TypeError):
        return None
    return data if "last_us" in data and "deleted" in data else None


def drop_index(store: EventStore, session_id: str) -> None:
    with store.writing() as connection:
        connection.execute(delete(schema.session_index).where(schema.session_index.c.session_id == session_id))
