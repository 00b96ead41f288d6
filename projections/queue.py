"""Prompts that wait: each is visible until it is delivered or taken back, and is delivered at most once."""

from __future__ import annotations

from typing import Any

from ..events.event import Event
from ..events.references import preview
from .projection import Projection, State


def initial() -> State:
    return {"waiting": []}


def apply(state: State, event: Event) -> None:
    waiting: list[dict[str, Any]] = state["waiting"]
    data = event.data
    if event.kind == "UserInput":
        # A queued prompt that shows up as an input was delivered, whether or not the source logged the delivery.
        if data.get("origin") == "queued" and data.get("preview"):
            _take(waiting, None, data["preview"], oldest=False)
        return
    operation = data["operation"]
    if operation == "enqueue":
        waiting.append({"at": event.position, "text": _text(data), "queue_id": data.get("queue_id")})
    elif operation == "clear":
        waiting.clear()
    else:
        text = _text(data)
        _take(waiting, data.get("queue_id"), text, oldest=text is None and data.get("queue_id") is None)


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


FOLD = Projection("queue", 1, "branch", initial, apply, frozenset({"QueuedInput", "UserInput"}))
