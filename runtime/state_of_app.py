"""Folded states as the app state of a restored runtime: todos, plan, files, queue, calls, tasks, attribution."""

from __future__ import annotations

from typing import Any, Literal

from ..events.event import Event
from ..events.references import clean
from ..events.store import EventStore
from ..projections.fold import Folded
from ..projections.moves import present_files
from ..projections.projection import State
from . import restored_state as parts
from .world_state import world_state

_ENDED = frozenset(
    {"completed", "failed", "killed", "stopped", "error", "exited", "cancelled", "timeout", "not running"}
)


class Reader:
    """Reads single events of a session, references resolved."""

    def __init__(self, store: EventStore, session_id: str) -> None:
        self._store = store
        self.session_id = session_id

    def at(self, position: int | None) -> Event | None:
        if position is None:
            return None
        events = self._store.hydrate(self._store.read(self.session_id, after=position - 1, until=position))
        return events[0] if events else None

    def pointer(self, position: int) -> str:
        return f"{self.session_id}@{position}"


def app_state(folded: Folded, reader: Reader) -> parts.AppState:
    states = folded.states
    plan = _plan(states["plan"], states["todos"], reader)
    waiting = states["calls"]["approvals"]
    return parts.AppState(
        todos=tuple(parts.Todo(id=number, **item) for number, item in states["todos"]["items"].items()),
        next_todo_id=states["todo_numbers"]["highest"] + 1,
        plan=plan,
        pending_plan=plan.text if plan is not None and plan.status == "proposed" else None,
        files={path: _file(entry, reader) for path, entry in _present(states).items()},
        queued_inputs=tuple(_queued(entry, reader) for entry in states["queue"]["waiting"]),
        pending_calls=tuple(_call(call, call["call_id"] in waiting, reader) for call in states["calls"]["open"]),
        pending_approvals=tuple(_approval(one, reader) for one in waiting.values() if one["type"] == "approval"),
        open_questions=tuple(
            question for one in waiting.values() if one["type"] == "question" for question in _questions(one, reader)
        ),
        background_tasks=tuple(_task(number, task, reader) for number, task in states["tasks"]["tasks"].items()),
        attribution={
            path: tuple(_writer(writer, reader) for writer in writers)
            for path, writers in states["attribution"]["paths"].items()
        },
        world_state=world_state(states["world"]["records"], reader),
    )


def _plan(state: dict[str, Any], todos: dict[str, Any], reader: Reader) -> parts.Plan | None:
    told = reader.at(state["text_at"])
    listed = list(todos["items"].values()) if todos["origin"] == "plan" else []
    known = told is not None or listed or state["path"] is not None or state["status"] is not None or state["active"]
    if not known:
        return None
    steps = tuple(parts.PlanStep(step=item["content"], status=item["status"]) for item in listed)
    text = None if told is None else clean(str(told.data["text"]))
    pointer = None if told is None else reader.pointer(told.position)
    return parts.Plan(
        text=text,
        path=state["path"],
        status=state["status"],
        active=state["active"],
        pointer=pointer,
        steps=steps,
        explanation=todos["explanation"] if listed else None,
    )


def _present(states: dict[str, State]) -> dict[str, Any]:
    """The files under the paths that they have since the session was bound to its present directory."""
    return present_files(states["files"]["paths"], states["workspace"]["moves"])


def _file(entry: dict[str, Any], reader: Reader) -> parts.FileState:
    """Made without validation, as the folds' own values need none: sessions touch many files, many times each."""
    session_id = reader.session_id
    backups = tuple(
        parts.FileBackup.model_construct(
            backup=one["backup"],
            version=one["version"],
            message_id=one["message_id"],
            pointer=f"{session_id}@{one['at']}",
        )
        for one in entry["backups"]
    )
    make = parts.FileOperation.model_construct
    operations = tuple(
        make(operation=operation, pointer=f"{session_id}@{position}", call_id=call_id)
        for position, operation, call_id in entry["ops"]
    )
    return parts.FileState.model_construct(
        operations=operations,
        operation_count=entry["count"],
        last_written_digest=entry["written"],
        last_read_digest=entry["read"],
        read_partially=bool(entry.get("partial")),
        backups=backups,
        backup=backups[-1].backup if backups else None,
        deleted=bool(entry.get("deleted")),
        moved_to=entry.get("moved_to"),
        moved_from=entry.get("moved_from"),
        restorable=bool(backups),
    )


def _queued(entry: dict[str, Any], reader: Reader) -> parts.QueuedInput:
    event = reader.at(entry["at"])
    content = None if event is None else event.data.get("content", event.data.get("text"))
    text = content if isinstance(content, str) else entry["text"] or ""
    return parts.QueuedInput(text=clean(text), pointer=reader.pointer(entry["at"]), queue_id=entry["queue_id"])


def _call(call: dict[str, Any], waits: bool, reader: Reader) -> parts.PendingCall:
    status: Literal["interrupted", "waiting"] = "waiting" if waits else "interrupted"
    return parts.PendingCall(
        call_id=call["call_id"], name=call["name"], pointer=reader.pointer(call["at"]), status=status
    )


def _approval(one: dict[str, Any], reader: Reader) -> parts.PendingApproval:
    return parts.PendingApproval(
        call_id=one["call_id"],
        tool=one["tool"],
        reason=one["reason"],
        pointer=reader.pointer(one["at"]),
        expires_at=one["expires_at"],
    )


def _questions(one: dict[str, Any], reader: Reader) -> list[parts.OpenQuestion]:
    pointer = reader.pointer(one["at"])
    return [
        parts.OpenQuestion(
            id=question["id"],
            call_id=one["call_id"],
            text=question["text"],
            header=question.get("header"),
            choices=tuple(question.get("choices") or ()),
            multiple=bool(question.get("multiple")),
            pointer=pointer,
        )
        for question in one["questions"]
    ]


def _task(number: str, task: dict[str, Any], reader: Reader) -> parts.BackgroundTask:
    recorded = task.get("status")
    return parts.BackgroundTask(
        id=number,
        type=task.get("type"),
        command=task.get("command"),
        status=recorded if recorded in _ENDED else "not running",
        recorded_status=recorded,
        call_id=task.get("call_id"),
        exit_code=task.get("exit_code"),
        output_file=task.get("output_file"),
        pointer=reader.pointer(task["at"]),
    )


def _writer(writer: dict[str, Any], reader: Reader) -> parts.Writer:
    told = {name: writer[name] for name in ("model", "agent", "changes", "lines_added", "lines_removed")}
    return parts.Writer.model_construct(**told, pointer=reader.pointer(writer["at"]))
