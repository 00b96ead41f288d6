"""Background commands and jobs as last heard of; none of them runs after a restore."""

from __future__ import annotations

from ..events.event import Event
from .projection import Projection, State

FIELDS = ("type", "command", "status", "call_id", "exit_code", "output_file")


def initial() -> State:
    return {"tasks": {}}


def apply(state: State, event: Event) -> None:
    data = event.data
    task = state["tasks"].setdefault(data["task_id"], {"started_at": event.position, "at": event.position})
    task["at"] = event.position
    for field in FIELDS:
        if data.get(field) is not None:
            task[field] = data[field]


FOLD = Projection("tasks", 1, "all", initial, apply, frozenset({"BackgroundTask"}))
