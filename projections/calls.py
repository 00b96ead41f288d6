"""Calls without an answer: pending calls, approvals that wait for a person, open questions."""

from __future__ import annotations

from typing import Any

from ..events.event import Event
from .projection import Projection, State


def initial() -> State:
    return {"open": [], "approvals": {}}


def apply(state: State, event: Event) -> None:
    if event.lane is not None:
        return
    data = event.data
    if event.kind == "UserInput":
        if data.get("starts_turn") and not data.get("replaces"):
            _passed(state)
        return
    call_id = data["call_id"]
    approvals: dict[str, Any] = state["approvals"]
    if event.kind == "ToolUse":
        if data.get("expects_result", True):
            state["open"].append({"call_id": call_id, "at": event.position, "name": data["name"]})
    elif event.kind == "ToolResult":
        _answered(state["open"], call_id)
        approvals.pop(call_id, None)
    elif event.kind == "ApprovalRequested":
        approvals[call_id] = {
            "call_id": call_id,
            "at": event.position,
            "tool": data.get("tool"),
            "type": data.get("type", "approval"),
            "reason": data.get("reason"),
            "questions": data.get("questions") or [],
            "expires_at": data.get("expires_at"),
        }
    else:
        approvals.pop(call_id, None)


def _passed(state: State) -> None:
    """A person went on: what was open stays without a result, and nobody waits for it any more."""
    for call in state["open"]:
        call["passed"] = True
    state["approvals"].clear()


def _answered(calls: list[dict[str, Any]], call_id: str) -> None:
    """Close the oldest open call with this id: ids may come twice in damaged transcripts."""
    for number, call in enumerate(calls):
        if call["call_id"] == call_id:
            del calls[number]
            return


FOLD = Projection(
    "calls",
    2,
    "branch",
    initial,
    apply,
    frozenset({"ToolUse", "ToolResult", "ApprovalRequested", "ApprovalResolved", "UserInput"}),
)
