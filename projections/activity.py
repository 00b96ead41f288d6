"""How much happened and when: turns, messages, the last activity, whether a turn is still open."""

from __future__ import annotations

from typing import Any

from ..events.event import Event
from .projection import Projection, State

MESSAGES = frozenset({"UserInput", "AssistantMessage", "ToolUse", "ToolResult"})


def initial() -> State:
    return {
        "turns": 0,
        "user_messages": 0,
        "assistant_messages": 0,
        "last_us": None,
        "first_us": None,
        "any_us": None,
        "run": None,
        "last_side": None,
        "response": None,
    }


def apply(state: State, event: Event) -> None:
    data = event.data
    if event.ts is not None:
        state["any_us"] = event.ts
    if event.lane is not None:
        return
    if event.kind == "RunStarted":
        state["run"] = {"run_id": data["run_id"], "status": "running", "at": event.position}
    elif event.kind == "RunEnded":
        before: dict[str, Any] = state["run"] or {}
        state["run"] = {
            "run_id": data.get("run_id") or before.get("run_id"),
            "status": data["status"],
            "reason": data.get("reason"),
            "at": event.position,
        }
    elif event.kind in MESSAGES:
        _message(state, event)


def _message(state: State, event: Event) -> None:
    data = event.data
    if event.ts is not None:
        state["last_us"] = event.ts if state["last_us"] is None else max(state["last_us"], event.ts)
        if state["first_us"] is None:
            state["first_us"] = event.ts
    state["last_side"] = {"UserInput": "user", "ToolResult": "result", "ToolUse": "call"}.get(event.kind, "assistant")
    if data.get("replaces"):
        return  # It takes the place of a message that was counted.
    if event.kind == "UserInput":
        if data.get("starts_turn"):
            state["turns"] += 1
        if data.get("origin", "human") in ("human", "queued"):
            state["user_messages"] += 1
    elif event.kind in ("AssistantMessage", "ToolUse"):
        response = data.get("response_id")
        if response is None or response != state["response"]:
            state["assistant_messages"] += event.kind == "AssistantMessage" or response is not None
        state["response"] = response


FOLD = Projection("activity", 1, "branch", initial, apply, MESSAGES | {"RunStarted", "RunEnded", "Cost", "Notice"})
