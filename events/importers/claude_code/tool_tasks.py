"""Commands and jobs that outlive their call: started, asked about, stopped. A restore never starts one again."""

from __future__ import annotations

import re

from .content import all_text
from .record import Record
from .shape import Json, obj, rows, text, whole


def background_command(record: Record, call_id: str, call: Json, twin: Json) -> None:
    """A command went into the background; a git operation made a pull request."""
    task_id = text(twin.get("backgroundTaskId")) or text(twin.get("taskId"))
    if task_id is not None:
        kind = "monitor" if call.get("n") == "Monitor" else "shell"
        command = text(call.get("c"))
        record.add("BackgroundTask", task_id=task_id, type=kind, command=command, status="running", call_id=call_id)
    pull = obj(obj(twin.get("gitOperation")).get("pr"))
    if pull:
        link = {"number": whole(pull.get("number")), "url": text(pull.get("url"))}
        record.add("WorkspaceObserved", pull_request=link)


def task_told(record: Record, _call_id: str, call: Json, twin: Json) -> None:
    """The state of a background task as a look at it told."""
    task = obj(twin.get("task")) or twin
    task_id = text(task.get("task_id")) or text(task.get("shellId")) or text(call.get("id"))
    if task_id is None:
        return
    record.add(
        "BackgroundTask",
        task_id=task_id,
        type=text(task.get("task_type")),
        status=text(task.get("status")),
        exit_code=whole(task.get("exitCode")),
    )


def task_stopped(record: Record, _call_id: str, call: Json, twin: Json) -> None:
    """A background task was stopped, a schedule deleted."""
    task_id = text(twin.get("task_id")) or text(twin.get("shell_id")) or text(twin.get("id")) or text(call.get("id"))
    if task_id is not None:
        record.add("BackgroundTask", task_id=task_id, type=text(twin.get("task_type")), status="stopped")


def workflow_started(record: Record, call_id: str, _call: Json, twin: Json) -> None:
    """A workflow of sub-agents runs in the background."""
    task_id = text(twin.get("taskId")) or text(twin.get("runId"))
    if task_id is not None:
        record.add("BackgroundTask", task_id=task_id, type="workflow", status="running", call_id=call_id)


def schedule_result(record: Record, call_id: str, call: Json, twin: Json) -> None:
    """A job was scheduled; nothing here ever runs it."""
    task_id = text(twin.get("id")) or text(twin.get("cronId")) or text(twin.get("jobId")) or _told_id(record)
    record.add(
        "BackgroundTask",
        task_id=task_id or call_id,
        type="schedule",
        command=text(call.get("c")),
        status="scheduled",
        call_id=call_id,
    )


def _told_id(record: Record) -> str | None:
    for block in rows(record.message.get("content")):
        if obj(block).get("type") == "tool_result":
            found = re.search(r"\bjob ([0-9a-f]{6,})\b", all_text(obj(block).get("content")))
            if found:
                return found.group(1)
    return None
