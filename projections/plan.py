"""The plan in prose: where its text is, whether a person accepted it, whether plan mode is on."""

from __future__ import annotations

from ..events.event import Event
from .projection import Projection, State


def initial() -> State:
    return {"text_at": None, "path": None, "status": None, "active": False, "call_id": None}


def apply(state: State, event: Event) -> None:
    if event.lane is not None:
        return
    data = event.data
    if data.get("text") is not None:
        state["text_at"] = event.position
    for field in ("path", "status", "active", "call_id"):
        if data.get(field) is not None:
            state[field] = data[field]


FOLD = Projection("plan", 1, "branch", initial, apply, frozenset({"PlanSnapshot"}))
