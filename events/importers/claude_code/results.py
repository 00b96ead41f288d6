"""Results of calls: the answer itself, then the state facts that a successful one proves."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .content import all_text, blocks_at, first_text
from .memory import Memory
from .record import Record, shown
from .shape import Json, obj, rows, text, texts
from .todos import task_changed, task_created, tasks_listed, todo_items
from .tool_agents import agent_message, agent_result
from .tool_files import file_read, file_written, notebook_edited
from .tool_tasks import background_command, schedule_result, task_stopped, task_told, workflow_started

_REJECTED = re.compile(
    r"(Error: )?(The user doesn't want to (proceed with this tool use|take this action)|User rejected tool use"
    r"|Permission prompt was aborted|Permission to use .{0,100} has been denied"
    r"|User chose to stay in plan mode)"
)
_NOT_GRANTED = re.compile(r"Claude requested permissions to .* but you haven't granted it yet")
_WORKTREE = re.compile(r"worktree at (\S+) on branch (\S+?)[.\s]")
_TOOL_ERROR = re.compile(r"\s*<tool_use_error>")
Handler = Callable[[Record, str, Json, Json], None]
"""Takes the record, the call's id, what was remembered of the call, and the structured result."""


def result_events(record: Record, memory: Memory, number: int, *, alone: bool) -> None:
    """Events of the result block at this place of the content.

    alone: it is the record's only result, so the structured twin belongs to it.
    """
    block = obj(rows(record.message.get("content"))[number])
    call_id = text(block.get("tool_use_id")) or f"{record.uuid or 'result'}-{number}"
    said = first_text(block.get("content"))
    twin = record.value.get("toolUseResult") if alone else None
    failed = block.get("is_error") is True or (isinstance(twin, str) and twin.startswith("Error:"))
    denied = _denied(record, said, failed=failed)
    content = block.get("content")
    path = ("message", "content", number, "content")
    record.add(
        "ToolResult",
        call_id=call_id,
        content=record.text_at(*path) if isinstance(content, str) or content is None else blocks_at(record, *path),
        is_error=failed or None,
        structured=record.at("toolUseResult") if twin is not None else None,
        denied=denied,
        source_message_id=text(record.value.get("sourceToolAssistantUUID")),
        preview=shown(said) or None,
    )
    call = memory.close_call(call_id)
    name = str(call.get("n", ""))
    if denied is not None:
        record.add("ApprovalResolved", call_id=call_id, decision="refused", by="person", reason=shown(said) or None)
    if failed or denied is not None or _TOOL_ERROR.match(said):
        _failed(record, call_id, name, call, said, denied)
        return
    handler = HANDLERS.get(name)
    if handler is not None:
        handler(record, call_id, call, obj(twin))


def _denied(record: Record, said: str, *, failed: bool) -> str | None:
    kind = text(record.value.get("toolDenialKind"))
    if kind is not None:
        return kind
    if failed and _REJECTED.match(said):
        return "user-rejected"
    if failed and _NOT_GRANTED.match(said):
        return "not-granted"
    return None


def _failed(record: Record, call_id: str, name: str, _call: Json, said: str, denied: str | None) -> None:
    if name == "ExitPlanMode" and denied is not None:
        record.add("PlanSnapshot", status="rejected", call_id=call_id)
    elif name in ("Task", "Agent"):
        status = "interrupted" if denied is not None or "interrupted by user" in said else "failed"
        record.add("Subagent", agent_id=call_id, status=status, call_id=call_id)


def _todo_write(record: Record, call_id: str, call: Json, twin: Json) -> None:
    todos = twin.get("newTodos") if isinstance(twin.get("newTodos"), list) else call.get("i")
    record.add("TodoSnapshot", items=todo_items(todos), origin="tool", call_id=call_id)


def _task_create(record: Record, call_id: str, call: Json, twin: Json) -> None:
    task = obj(twin.get("task"))
    if not task:
        found = re.search(r"#(\d+)", _said(record))
        task = {"id": found.group(1)} if found else {}
    task_created(record, task, obj(call.get("i")), call_id)


def _task_update(record: Record, call_id: str, call: Json, twin: Json) -> None:
    if twin.get("success") is False or "not found" in _said(record).lower()[:60]:
        return
    task_changed(record, obj(call.get("i")), call_id)


def _said(record: Record) -> str:
    for block in rows(record.message.get("content")):
        if obj(block).get("type") == "tool_result":
            return all_text(obj(block).get("content"))
    return ""


def _task_list(record: Record, call_id: str, _call: Json, twin: Json) -> None:
    if isinstance(twin.get("tasks"), list):
        tasks_listed(record, twin["tasks"], call_id)


def _exit_plan(record: Record, call_id: str, _call: Json, twin: Json) -> None:
    edited = text(twin.get("plan")) is not None
    record.add("ApprovalResolved", call_id=call_id, decision="approved", by="person")
    record.add(
        "PlanSnapshot",
        text=record.at("toolUseResult", "plan") if edited else None,
        path=text(twin.get("filePath")),
        status="accepted",
        active=False,
        call_id=call_id,
    )


def _enter_plan(record: Record, call_id: str, _call: Json, _twin: Json) -> None:
    record.add("PlanSnapshot", active=True, call_id=call_id)


def _answered(record: Record, call_id: str, _call: Json, twin: Json) -> None:
    given = obj(twin.get("answers"))
    answers = {question: _answer(answer) for question, answer in given.items()}
    record.add("ApprovalResolved", call_id=call_id, decision="answered", answers=answers or None, by="person")


def _answer(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(texts(value))


def _skill(record: Record, _call_id: str, _call: Json, twin: Json) -> None:
    grants = texts(twin.get("allowedTools"))
    if grants:
        record.add("AgentMetadata", grants=grants)


def _enter_worktree(record: Record, _call_id: str, call: Json, twin: Json) -> None:
    told = _WORKTREE.search(_said(record))
    path = text(twin.get("worktreePath")) or text(call.get("p")) or (told.group(1) if told else None)
    if path is None:
        return
    record.add(
        "Worktree",
        operation="entered",
        path=path,
        name=text(call.get("name")) or _last_part(path),
        branch=text(twin.get("worktreeBranch")) or (told.group(2) if told else None),
        original_cwd=text(twin.get("originalCwd")) or text(record.value.get("cwd")),
    )


def _exit_worktree(record: Record, _call_id: str, _call: Json, twin: Json) -> None:
    action = text(twin.get("action"))
    record.add(
        "Worktree",
        operation="left",
        path=text(twin.get("worktreePath")),
        branch=text(twin.get("worktreeBranch")),
        original_cwd=text(twin.get("restoredCwd")) or text(twin.get("originalCwd")),
        kept=None if action is None else action == "keep",
    )


def _last_part(path: str | None) -> str | None:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] if path else None


HANDLERS: dict[str, Handler] = {
    "TodoWrite": _todo_write,
    "TaskCreate": _task_create,
    "TaskUpdate": _task_update,
    "TaskList": _task_list,
    "ExitPlanMode": _exit_plan,
    "EnterPlanMode": _enter_plan,
    "AskUserQuestion": _answered,
    "Skill": _skill,
    "EnterWorktree": _enter_worktree,
    "ExitWorktree": _exit_worktree,
    "Write": file_written,
    "Edit": file_written,
    "MultiEdit": file_written,
    "NotebookEdit": notebook_edited,
    "Read": file_read,
    "Task": agent_result,
    "Agent": agent_result,
    "SendMessage": agent_message,
    "Bash": background_command,
    "PowerShell": background_command,
    "Monitor": background_command,
    "TaskOutput": task_told,
    "BashOutput": task_told,
    "TaskStop": task_stopped,
    "KillShell": task_stopped,
    "KillBash": task_stopped,
    "Workflow": workflow_started,
    "CronCreate": schedule_result,
    "CronDelete": task_stopped,
    "ScheduleWakeup": schedule_result,
}
