"""Todo lists and tasks: old entries have no id of their own, newer tasks are numbered and changed one by one."""

from __future__ import annotations

from typing import Any

from ...references import clean
from .record import Record
from .shape import Json, obj, rows, some, text, texts

_STATUS = {"pending": "pending", "in_progress": "in_progress", "completed": "completed"}
_PLACEHOLDER = "(untitled)"


def todo_items(value: Any) -> list[Json]:
    """The items of a todo list or of a list of tasks; an entry without an id is named by its place, from 1."""
    found: list[Json] = []
    for number, entry in enumerate(rows(value), 1):
        item = obj(entry)
        if not item or item.get("status") == "deleted":
            continue
        found.append(
            some(
                {
                    "id": _id(item.get("id")) or str(number),
                    "content": _line(item.get("content")) or _line(item.get("subject")) or _PLACEHOLDER,
                    "status": _STATUS.get(str(item.get("status")), "pending"),
                    "active_form": _line(item.get("activeForm")),
                    "owner": _line(item.get("owner")),
                    "blocked_by": [_id(other) or "" for other in rows(item.get("blockedBy"))] or None,
                    "description": _line(item.get("description")),
                    "priority": _line(item.get("priority")),
                }
            )
        )
    return found


def task_created(record: Record, task: Json, arguments: Json, call_id: str) -> None:
    """A task exists under the id that only the result tells; the rest stands in the call."""
    number = _id(task.get("id"))
    if number is None:
        return
    item = todo_items([{**arguments, "id": number, "subject": task.get("subject") or arguments.get("subject")}])
    record.add("TodoSnapshot", created=item, origin="tool", numbered=True, call_id=call_id)


def task_changed(record: Record, arguments: Json, call_id: str) -> None:
    """A task was changed as the call asked."""
    number = _id(arguments.get("taskId"))
    if number is None:
        return
    if arguments.get("status") == "deleted":
        record.add("TodoSnapshot", removed=[number], origin="tool", numbered=True, call_id=call_id)
        return
    change = some(
        {
            "id": number,
            "content": _line(arguments.get("subject")),
            "status": _STATUS.get(str(arguments.get("status"))),
            "active_form": _line(arguments.get("activeForm")),
            "owner": _line(arguments.get("owner")),
            "add_blocked_by": [_id(other) or "" for other in rows(arguments.get("addBlockedBy"))] or None,
            "add_blocks": [_id(other) or "" for other in rows(arguments.get("addBlocks"))] or None,
            "description": _line(arguments.get("description")),
        }
    )
    record.add("TodoSnapshot", changed=[change], origin="tool", numbered=True, call_id=call_id)


def tasks_listed(record: Record, tasks: Any, call_id: str) -> None:
    """A listing tells the whole list, but not descriptions."""
    items = todo_items(tasks)
    record.add("TodoSnapshot", changed=[{**_as_change(item)} for item in items], numbered=True, call_id=call_id)


def _as_change(item: Json) -> Json:
    change = {key: value for key, value in item.items() if key in ("id", "content", "status", "active_form", "owner")}
    if texts(item.get("blocked_by")):
        change["add_blocked_by"] = item["blocked_by"]
    return change


def _id(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    found = text(value)
    return clean(found) if found is not None else None


def _line(value: Any) -> str | None:
    found = text(value)
    return clean(found) if found is not None else None
