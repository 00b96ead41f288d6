"""The agent's todo list: whole lists replace it, differences change it; numbered ids are never given twice."""

from __future__ import annotations

from typing import Any

from ..events.event import Event
from .projection import Projection, State

FIELDS = ("content", "status", "active_form", "owner", "description", "priority")


def initial() -> State:
    return {"items": {}, "numbered": False, "explanation": None, "origin": None}


def apply(state: State, event: Event) -> None:
    if event.lane is not None:
        return
    data = event.data
    items: dict[str, Any] = state["items"]
    whole = data.get("items")
    if whole is not None:
        items = state["items"] = {str(item["id"]): _item(item) for item in whole}
    for item in data.get("created") or ():
        items[str(item["id"])] = _item(item)
    for change in data.get("changed") or ():
        _change(items, change)
    for removed in data.get("removed") or ():
        items.pop(str(removed), None)
        for other in items.values():
            other["blocked_by"] = [number for number in other["blocked_by"] if number != str(removed)]
    state["numbered"] = bool(state["numbered"] or data.get("numbered"))
    state["origin"] = data.get("origin", "tool")
    if "explanation" in data:
        state["explanation"] = data["explanation"]


def _item(item: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {field: item.get(field) for field in FIELDS}
    made["status"] = item.get("status") or "pending"
    made["blocked_by"] = [str(number) for number in item.get("blocked_by") or ()]
    return made


def _change(items: dict[str, Any], change: dict[str, Any]) -> None:
    number = str(change["id"])
    item = items.get(number)
    if item is None:
        return
    for field in FIELDS:
        if change.get(field) is not None:
            item[field] = change[field]
    for other in change.get("add_blocked_by") or ():
        if str(other) not in item["blocked_by"]:
            item["blocked_by"].append(str(other))
    for other in change.get("add_blocks") or ():
        blocked = items.get(str(other))
        if blocked is not None and number not in blocked["blocked_by"]:
            blocked["blocked_by"].append(number)


def initial_numbers() -> State:
    return {"highest": 0}


def apply_numbers(state: State, event: Event) -> None:
    """The highest id ever seen, on any branch: going back must not hand out a number twice."""
    data = event.data
    if event.lane is not None or not data.get("numbered"):
        return
    for item in [*(data.get("items") or ()), *(data.get("created") or ()), *(data.get("changed") or ())]:
        if str(item["id"]).isdecimal():
            state["highest"] = max(state["highest"], int(item["id"]))


FOLD = Projection("todos", 1, "branch", initial, apply, frozenset({"TodoSnapshot"}))
NUMBERS = Projection("todo_numbers", 1, "all", initial_numbers, apply_numbers, frozenset({"TodoSnapshot"}))
