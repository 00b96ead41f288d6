"""Title, tag, colour, archived: a person's title beats the agent's, that a summary's, that the first prompt."""

from __future__ import annotations

from ..events.event import Event
from .projection import Projection, State

RANKS = ("person", "agent", "summary", "prompt", "client")
"""Who set a title, strongest first."""

_HUMAN = ("human", "queued")


def initial() -> State:
    return {
        "titles": {},
        "tag": None,
        "color": None,
        "archived": False,
        "deleted": False,
        "first_prompt": None,
        "last_prompt": None,
    }


def apply(state: State, event: Event) -> None:
    data = event.data
    if event.lane is not None:
        return
    if event.kind == "UserInput":
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
        if data["title"]:
            state["titles"][data.get("set_by", "person")] = data["title"]
        else:
            state["titles"].pop(data.get("set_by", "person"), None)
    for name in ("tag", "color"):
        if name in data:
            state[name] = data[name] or None
    for name in ("archived", "deleted"):
        if data.get(name) is not None:
            state[name] = data[name]


def title_of(state: State) -> str | None:
    """The title by rank, else the first prompt, else None."""
    for rank in RANKS:
        if state["titles"].get(rank):
            return str(state["titles"][rank])
    first = state["first_prompt"]
    return None if first is None else str(first)


FOLD = Projection("labels", 1, "all", initial, apply, frozenset({"SessionLabel", "UserInput", "SessionStarted"}))
