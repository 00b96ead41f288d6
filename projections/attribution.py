"""Who wrote what: by file the models and agents that changed it, with their counts of changes and lines."""

from __future__ import annotations

from typing import Any

from ..events.event import Event
from .projection import Projection, State


def initial() -> State:
    return {"models": {}, "agent": None, "paths": {}}


def apply(state: State, event: Event) -> None:
    data = event.data
    lane = event.lane or ""
    if event.kind == "FileChanged":
        _credit(state, data.get("moved_to") or data["path"], event)
    elif event.kind == "AgentMetadata":
        if event.lane is None:
            state["agent"] = data.get("name", state["agent"])
            if data.get("model"):
                state["models"][""] = data["model"]
    elif data.get("model") and not data.get("synthetic") and not data.get("error"):
        state["models"][lane] = data["model"]


def _credit(state: State, path: str, event: Event) -> None:
    data = event.data
    lane = event.lane or ""
    model = state["models"].get(lane)
    agent = lane or state["agent"]
    writers: list[dict[str, Any]] = state["paths"].setdefault(path, [])
    writer: dict[str, Any] | None = next(
        (one for one in writers if (one["model"], one["agent"]) == (model, agent)), None
    )
    if writer is None:
        writer = {"model": model, "agent": agent, "changes": 0, "lines_added": 0, "lines_removed": 0, "at": 0}
        writers.append(writer)
    writer["changes"] += 1
    writer["lines_added"] += data.get("lines_added") or 0
    writer["lines_removed"] += data.get("lines_removed") or 0
    writer["at"] = event.position


FOLD = Projection(
    "attribution",
    1,
    "branch",
    initial,
    apply,
    frozenset({"FileChanged", "AssistantMessage", "ToolUse", "AgentMetadata"}),
)
