"""Prompts that wait: each is visible until it is delivered or taken back, and is delivered at most once."""

from __future__ import annotations

from typing import Any

from ..events.event import Event
from ..events.references import preview
from .projection import Projection, State


def initial() -> State:
    """taken: deliveries whose text is not known before the input itself shows up."""
    return {"waiting": [], "taken": 0}


def apply(state: State, event: Event) -> None:
    waiting: list[dict[str, Any]] = state["waiting"]
    data = event.data
    if event.kind == "UserInput":
        _shown(state, event)
        return
    operation = data["operation"]
    if operation == "enqueue":
        waiting.append({"at": event.position, "text": _text(data), "queue_id": data.get("queue_id")})
    elif operation == "clear":
        waiting.clear()
        state["taken"] = 0
    elif operation == "deliver" and data.get("queue_id") is None and _text(data) is None:
        state["taken"] += 1
    else:
        text = _text(data)
        _take(waiting, data.get("queue_id"), text, oldest=text is None and data.get("queue_id") is None)


def _shown(state: State, event: Event) -> None:
    """An input takes its own prompt out of the queue; a process that died may have left older ones in it."""
    data = event.data
    said = data.get("preview")
    if event.lane is not None or not said or not (state["taken"] or data.get("origin") == "queued"):
        return
    known = len(state["waiting"])
    _take(state["waiting"], None, said, oldest=False)
    if state["taken"]:
        state["taken"] -= 1
        if len(state["waiting"]) == known:
            _take(state["waiting"], None, None, oldest=True)


def _text(data: dict[str, Any]) -> str | None:
    text = data.get("text")
    content = data.get("content")
    if text is None and isinstance(content, str):
        text = content
    return None if text is None else preview(text)


def _take(waiting: list[dict[str, Any]], queue_id: str | None, text: str | None, *, oldest: bool) -> None:
    for number, entry in enumerate(waiting):
        same_id = queue_id is not None and entry["queue_id"] == queue_id
        same_text = queue_id is None and text is not None and entry["text"] == text
        if oldest or same_id or same_text:
            del waiting[number]
            return


FOLD = Projection("queue", 2, "branch", initial, apply, frozenset({"QueuedInput", "UserInput"}))
