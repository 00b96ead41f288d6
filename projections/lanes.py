"""Side chains inside a transcript (sub-agents of older clients): how each began, with which model, and what it spent."""

from __future__ import annotations

from typing import Any

from ..events.event import Event
from . import accounting
from .projection import Projection, State


def initial() -> State:
    return {"lanes": {}}


def apply(state: State, event: Event) -> None:
    if event.lane is None:
        return
    lane: dict[str, Any] = state["lanes"].setdefault(
        event.lane, {"first": None, "model": None, "spent": accounting.initial()}
    )
    data = event.data
    if event.kind == "UserInput":
        lane["first"] = lane["first"] or data.get("preview")
    elif event.kind == "Cost":
        accounting.apply(lane["spent"], event)
    elif data.get("model") and not data.get("synthetic") and not data.get("error"):
        lane["model"] = data["model"]


FOLD = Projection("lanes", 1, "all", initial, apply, frozenset({"UserInput", "Cost", "AssistantMessage", "ToolUse"}))
