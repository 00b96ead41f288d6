"""Where a session comes from: source, client, native id, the sessions it was forked from or belongs to."""

from __future__ import annotations

from ..events.event import Event
from .projection import Projection, State

FIELDS = (
    "source",
    "native_id",
    "client",
    "client_version",
    "forked_from",
    "forked_from_native",
    "parent_session",
    "agent_id",
)


def initial() -> State:
    return {"started_at": None, "created_us": None, "fields": {}, "forks": []}


def apply(state: State, event: Event) -> None:
    data = event.data
    if state["started_at"] is None:
        state["started_at"], state["created_us"] = event.position, event.ts
    fields = state["fields"]
    for name in FIELDS:
        if data.get(name) is not None and (name not in fields or name in ("client", "client_version")):
            fields[name] = data[name]
    parent = data.get("forked_from") or data.get("forked_from_native")
    if parent and parent not in state["forks"]:
        state["forks"].append(parent)


FOLD = Projection("lineage", 1, "all", initial, apply, frozenset({"SessionStarted"}))
