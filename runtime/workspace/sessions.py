"""What the store knows that a check needs: the expected place and agent of a session, and where other sessions lie."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import select

from ...events import schema
from ...events.store import EventStore
from ...projections.fold import Folded, restore_states
from .agents import RecordedAgent
from .drift import TouchedFile, touched_files
from .expected import ExpectedPlace, expected_place


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
    return recorded_of(restore_states(store, session_id, position), acts=store.session(session_id).source == "live")


def recorded_of(folded: Folded, *, acts: bool) -> RecordedSession:
    """The same from states that are folded already."""
    states = folded.states
    return RecordedSession(
        session_id=folded.session_id,
        position=folded.position,
        expected=expected_place(folded.session_id, states["workspace"]),
        agent=recorded_agent(states["agent"]),
        files=tuple(touched_files(states["files"])),
        acts=acts,
        drift=states["workspace"].get("drift"),
    )


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
