"""Where the source's own picture of the world is told: a whole one and the differences to it since the last compaction."""

from __future__ import annotations

from ..events.event import Event
from .projection import Projection, State

SUBTYPE = "world_state"


def initial() -> State:
    """records: positions of the notices that make up the present picture, the whole one first."""
    return {"records": []}


def apply(state: State, event: Event) -> None:
    if event.lane is not None:
        return
    if event.kind == "ContextCompact":
        state["records"] = []
    elif event.data.get("subtype") == SUBTYPE:
        if event.data.get("level") == "full":
            state["records"] = [event.position]
        elif state["records"]:
            state["records"].append(event.position)


FOLD = Projection("world", 1, "branch", initial, apply, frozenset({"Notice", "ContextCompact"}))
