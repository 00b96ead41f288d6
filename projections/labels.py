"""Title, tag, colour, archived: a person's title beats the agent's, then the last prompt, a summary, the first prompt."""

from __future__ import annotations

from typing import Any

from ..events.event import Event
from .projection import Projection, State

RANKS = ("person", "agent", "prompt", "summary", "client")
"""Who set a title, strongest first."""

_HUMAN = ("human", "queued")
_KEPT = 64
"""Summaries that wait for their message, and messages that a summary may still name."""


def initial() -> State:
    return {
        "titles": {},
        "tag": None,
        "color": None,
        "archived": False,
        "deleted": False,
        "first_prompt": None,
        "last_prompt": None,
        "agent_prompt": None,
        "claims": {},
        "recent": [],
    }


def apply(state: State, event: Event) -> None:
    data = event.data
    if event.lane is not None:
        return
    if event.native_id is not None:
        _met(state, event.native_id)
    if event.kind in ("AssistantMessage", "ToolUse", "ToolResult"):
        return
    if event.kind == "UserInput":
        if data.get("origin") == "agent" and data.get("preview") and state["agent_prompt"] is None:
            state["agent_prompt"] = data["preview"]
        if data.get("origin", "human") in _HUMAN and data.get("visible_to_reader", True) and data.get("preview"):
            if state["first_prompt"] is None:
                state["first_prompt"] = data["preview"]
            state["last_prompt"] = data["preview"]
        return
    if event.kind == "SessionStarted":
        if data.get("forked_from"):
            state["archived"] = state["deleted"] = False  # That was said of the parent.
        return
    if "title" in data:
        if data["title"] and data.get("native_target"):
            _claim(state, data)
        elif data["title"]:
            state["titles"][data.get("set_by", "person")] = data["title"]
        else:
            state["titles"].pop(data.get("set_by", "person"), None)
    for name in ("tag", "color"):
        if name in data:
            state[name] = data[name] or None
    for name in ("archived", "deleted"):
        if data.get(name) is not None:
            state[name] = data[name]


def _met(state: State, native_id: str) -> None:
    """A message that a summary may be of."""
    state["recent"] = [*state["recent"], native_id][-_KEPT:]
    title = state["claims"].pop(native_id, None)
    if title is not None:
        state["titles"]["summary"] = title


def _claim(state: State, data: dict[str, Any]) -> None:
    """A title of the session that holds the message it names: sources write those of others into the same file."""
    if data["native_target"] in state["recent"]:
        state["titles"][data.get("set_by", "person")] = data["title"]
        return
    claims = {**state["claims"], data["native_target"]: data["title"]}
    state["claims"] = dict(list(claims.items())[-_KEPT:])


def title_of(state: State) -> str | None:
    """The title by rank, else the first prompt, else None."""
    for rank in RANKS:
        if state["titles"].get(rank):
            return str(state["titles"][rank])
    first = state["first_prompt"]
    return None if first is None else str(first)


FOLD = Projection(
    "labels",
    3,
    "all",
    initial,
    apply,
    frozenset({"SessionLabel", "UserInput", "SessionStarted", "AssistantMessage", "ToolUse", "ToolResult"}),
)
