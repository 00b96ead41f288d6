"""What the store knows that a check needs: the expected place and agent of a session, and where other sessions lie."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import select

from ...events import schema
from ...events.kinds import ProjectIdentity
from ...events.store import EventStore
from ...projections.fold import Folded, restore_states
from .agents import RecordedAgent
from .drift import TouchedFile, touched_files
from .expected import ExpectedPlace, expected_place
from .paths import below


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session as far as its place is concerned. acts: it was started by this product, not imported.

    drift: what was last written down of it.
    """

    session_id: str
    position: int
    expected: ExpectedPlace
    agent: RecordedAgent
    files: tuple[TouchedFile, ...]
    acts: bool
    drift: dict[str, Any] | None = None


def recorded_session(store: EventStore, session_id: str, position: int | None = None) -> RecordedSession:
    """Fold what the events up to `position` (None: all) say about place, agent and files.

    Raises:
        SessionNotFound, EventNotFound: there is no such session or position.
    """
    folded = restore_states(store, session_id, position)
    return recorded_of(folded, store)


def recorded_of(folded: Folded, store: EventStore) -> RecordedSession:
    """The same from states that are folded already."""
    states = folded.states
    place = expected_place(folded.session_id, states["workspace"])
    if place.project is None and place.cwd is not None:
        place = place.model_copy(update={"project": noted_project(store, folded.session_id, place.cwd)})
    return RecordedSession(
        session_id=folded.session_id,
        position=folded.position,
        expected=place,
        agent=recorded_agent(states["agent"]),
        files=tuple(touched_files(states["files"], states["workspace"]["moves"])),
        acts=store.session(folded.session_id).source == "live",
        drift=states["workspace"].get("drift"),
    )


def noted_project(store: EventStore, session_id: str, cwd: str) -> ProjectIdentity | None:
    """The project of a session at a place in it that lies before the event which noted it (an import looks at its end).

    Only what was seen of the directory that the session was in there; a later rebinding tells nothing about the past.
    """
    for event in store.read(session_id, kinds=("SessionStarted", "WorkspaceObserved")):
        noted = event.data.get("project")
        if noted and not event.data.get("rebound"):
            identity = ProjectIdentity.model_validate(noted)
            tops = (identity.path, event.data.get("toplevel"))
            real = os.path.realpath(cwd)
            inside = any(below(one, top) is not None for top in tops if top for one in (cwd, real))
            return identity if inside else None
    return None


def recorded_agent(state: dict[str, Any]) -> RecordedAgent:
    """Read the state of the `agent` projection."""
    fields = state.get("fields", {})
    tools, servers = state.get("tools"), fields.get("mcp_servers")
    return RecordedAgent(
        name=fields.get("name"),
        definition=fields.get("definition"),
        definition_digest=fields.get("definition_digest"),
        model=state.get("model") or fields.get("model"),
        provider=fields.get("provider"),
        tools=None if tools is None else tuple(tools),
        mcp_servers=None if servers is None else tuple(servers),
    )


def known_places(store: EventStore, recorded: RecordedSession) -> Iterator[str]:
    """Directories of the other sessions, the newest first; looked up only when somebody asks for the next one."""
    with store.reading() as connection:
        columns = schema.session_index.c
        rows = connection.execute(select(columns.session_id, columns.data).order_by(columns.last_us.desc())).all()
    seen = {recorded.expected.cwd}
    for session_id, data in rows:
        if session_id == recorded.session_id:
            continue
        for place in _directories(data):
            if place not in seen:
                seen.add(place)
                yield place


def _directories(data: str) -> Iterator[str]:
    """Directories in a row of the session list; a list is a cache, so anything unexpected in it is passed over."""
    try:
        row = json.loads(data)
    except ValueError:
        return
    if isinstance(row, dict):
        fields = cast("dict[str, Any]", row)
        for name in ("cwd", "worktree", "project"):
            value = fields.get(name)
            if isinstance(value, str) and value.startswith("/"):
                yield value
