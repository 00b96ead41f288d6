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
    """first_native: the source's id of the first message; before_first: how many events stand before it."""
    return {
        "started_at": None,
        "created_us": None,
        "fields": {},
        "forks": [],
        "first_native": None,
        "before_first": 0,
    }


def apply(state: State, event: Event) -> None:
    data = event.data
    if event.kind in ("UserInput", "AssistantMessage"):
        if state["first_native"] is None and event.native_id is not None:
            state["first_native"], state["before_first"] = event.native_id, event.position - 1
        return
    if event.kind == "Notice":
        if data.get("subtype") == "forked-from" and data["value"]["session_id"] not in state["forks"]:
            state["forks"].append(data["value"]["session_id"])
        return
    if state["started_at"] is None:
        state["started_at"], state["created_us"] = event.position, event.ts
    fields = state["fields"]
    for name in FIELDS:
        if data.get(name) is not None and (name not in fields or name in ("client", "client_version")):
            fields[name] = data[name]
    parent = data.get("forked_from") or data.get("forked_from_native")
    if parent and parent not in state["forks"]:
        state["forks"].append(parent)


FOLD = Projection(
    "lineage",
    2,
    "all",
    initial,
    apply,
    frozenset({"SessionStarted", "Notice", "UserInput", "AssistantMessage"}),
)
