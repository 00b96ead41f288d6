"""Records that could not be read or are of an unknown type: counted, and listed so that a report can name each damaged one."""

from __future__ import annotations

from ..events.event import Event
from .projection import Projection, State

LISTED = 1000


def initial() -> State:
    return {"unknown": {}, "damaged": [], "damaged_count": 0}


def apply(state: State, event: Event) -> None:
    data = event.data
    if data.get("damage"):
        state["damaged_count"] += 1
        if len(state["damaged"]) < LISTED:
            names = ("damage", "line", "byte_offset", "size_bytes", "reason", "recovered", "type")
            state["damaged"].append({"at": event.position, **{name: data[name] for name in names if name in data}})
    else:
        name = data.get("type") or "(no type)"
        state["unknown"][name] = state["unknown"].get(name, 0) + 1


FOLD = Projection("damage", 1, "all", initial, apply, frozenset({"Unrecognized"}))
