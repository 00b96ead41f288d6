"""A new session that shares the past of another up to a pointer: by reference, so that its cost does not grow with
the past."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ConfigDict
from sqlalchemy import select

from ..events import schema
from ..events.blocks import Frozen
from ..events.event import Draft
from ..events.kinds import ProjectIdentity, SessionLabel, SessionStarted
from ..events.pointer import Pointer
from ..events.store import EventStore, SessionRow
from ..events.times import now_us
from .opened import StoreLike, opened
from .resolve import resolve_pointer
from .workspace.sessions import recorded_session

UNTITLED = "untitled"
_NEAR = 50
"""Events at either end of a session that are looked at for a title: a fork must not read the whole past."""


class ForkResult(Frozen):
    """The new session, the pointer it was made from, and its own present end."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: str
    forked_from: str
    pointer: str
    title: str | None = None


def fork_session(pointer: str | Pointer, *, title: str | None = None, store: StoreLike = None) -> ForkResult:
    """Make a session that holds everything up to and including `pointer`, and goes on by itself from there.

    No event is copied and the parent gets none. Calls open at the cut stay open events; a restore gives them an
    interrupted result in both sessions alike, and the first run of the fork writes that repair down. The fork of a
    sub-agent is a session of its own. Without `title` it is the parent's, numbered so that forks can be told apart.

    Raises:
        SessionNotFound, AmbiguousSession, InvalidPointer, EventNotFound: the pointer leads nowhere; nothing was
        created.
    """
    with opened(store) as events:
        origin = resolve_pointer(events, pointer)
        return fork_at(events, origin, title=title)


def fork_at(store: EventStore, origin: Pointer, *, title: str | None = None) -> ForkResult:
    """As `fork_session`, from a pointer that is already looked up; one transaction, nothing is left when it fails."""
    project = _project_at(store, origin)
    with store.writing():
        parent = store.session(origin.session_id)
        session_id = new_session_id()
        store.create_fork(
            session_id, origin.session_id, origin.position, source=parent.source, agent_id=parent.agent_id
        )
        name = title or next_title(store, parent)
        moment = now_us()
        started = SessionStarted(source=parent.source, forked_from=str(origin), project=project)
        label = SessionLabel(title=name, set_by="person")
        last = store.append(session_id, [Draft.of(started, ts=moment), Draft.of(label, ts=moment)], origin.position)[-1]
    return ForkResult(session_id=session_id, forked_from=str(origin), pointer=last.pointer, title=name)


def _project_at(store: EventStore, origin: Pointer) -> ProjectIdentity | None:
    """The project, where the fork's own past does not tell it: an import notes it behind the last event of a file.

    From the list's row when the session never left that project, so that the past need not be folded for it.
    """
    first = next(iter(store.read(origin.session_id, until=1)), None)
    if first is None or first.data.get("project") or (first.data.get("source") == "live" and not first.data.get("cwd")):
        return None
    with store.reading() as connection:
        query = select(schema.session_index.c.data).where(schema.session_index.c.session_id == origin.session_id)
        listed = connection.execute(query).scalar()
    place: dict[str, Any] = {} if listed is None else json.loads(listed).get("place") or {}
    project: dict[str, Any] = place.get("project") or {}
    root = project.get("path")
    places = {place.get("cwd"), place.get("started_in"), first.data.get("cwd")} - {None}
    if root and places and all(str(one) == root or str(one).startswith(f"{root}/") for one in places):
        return ProjectIdentity.model_validate(project)
    return recorded_session(store, origin.session_id, origin.position).expected.project


def new_session_id() -> str:
    """A UUID (version 7): the only kind of id that every client accepts for a session file."""
    import uuid_utils

    return str(uuid_utils.uuid7())


def forks_of(store: EventStore, session_id: str) -> list[tuple[str, int]]:
    """The other way of the lineage: sessions made from this one, with the position each was cut at, oldest first."""
    with store.reading() as connection:
        session, stream = schema.session.c, schema.stream.c
        query = (
            select(session.session_id, stream.forked_from)
            .join_from(schema.session, schema.stream, session.stream == stream.stream)
            .where(stream.forked_from.startswith(f"{session_id}@", autoescape=True))
            .order_by(session.created_us, session.session_id)
        )
        rows = connection.execute(query).all()
    return [(row.session_id, int(row.forked_from.rpartition("@")[2])) for row in rows]


def next_title(store: EventStore, parent: SessionRow) -> str:
    """The parent's title with `(fork)` or the next free `(fork N)`."""
    base = _base_title(known_title(store, parent) or UNTITLED)
    number = len(forks_of(store, parent.session_id)) or 1
    with store.reading() as connection:
        column = schema.session_index.c.title
        query = select(column).where(column.startswith(base, autoescape=True))
        taken = {row.title for row in connection.execute(query)}
    while (name := f"{base} (fork)" if number == 1 else f"{base} (fork {number})") in taken:
        number += 1
    return name


def _base_title(title: str) -> str:
    import re

    return re.sub(r" \(fork(?: \d+)?\)$", "", title)


def known_title(store: EventStore, row: SessionRow) -> str | None:
    """The session's title without folding it: from the list, else a label or a prompt near its end or its start."""
    with store.reading() as connection:
        query = select(schema.session_index.c.title).where(schema.session_index.c.session_id == row.session_id)
        listed = connection.execute(query).scalar()
    if listed:
        return str(listed)
    for part in ({"after": max(row.head - _NEAR, 0)}, {"until": _NEAR}):
        for event in store.read(row.session_id, reverse=True, kinds=["SessionLabel"], **part):
            if event.data.get("title"):
                return str(event.data["title"])
    for event in store.read(row.session_id, until=_NEAR, kinds=["UserInput"]):
        if event.data.get("preview") and event.data.get("origin", "human") == "human":
            return str(event.data["preview"])[:80]
    return None
