"""What the import met: damaged records, records of unknown types, remarks on the source, each listed for the report."""

from __future__ import annotations

from typing import Any

from ..events.damage import is_remark
from ..events.event import Event
from .projection import Projection, State

LISTED = 1000


def initial() -> State:
    return {"unknown": {}, "damaged": [], "damaged_count": 0, "remarks": []}


def apply(state: State, event: Event) -> None:
    data = event.data
    if event.kind == "Notice":
        if is_remark(event.kind, data) and len(state["remarks"]) < LISTED:
            told: dict[str, Any] = {name: data[name] for name in ("subtype", "text", "value") if name in data}
            state["remarks"].append({"at": event.position, **told})
    elif data.get("damage"):
        state["damaged_count"] += 1
        if len(state["damaged"]) < LISTED:
            names = ("damage", "line", "byte_offset", "size_bytes", "reason", "recovered", "type")
            state["damaged"].append({"at": event.position, **{name: data[name] for name in names if name in data}})
    else:
        name = data.get("type") or "(no type)"
        state["unknown"][name] = state["unknown"].get(name, 0) + 1


FOLD = Projection("damage", 2, "all", initial, apply, frozenset({"Unrecognized", "Notice"}))
