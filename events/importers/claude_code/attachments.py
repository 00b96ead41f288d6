"""Attachments: what the client put beside a prompt. Some are messages, some carry state, some are only its own reminders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .content import all_text, blocks_at
from .markup import notified_task
from .memory import Memory
from .record import Record, shown
from .shape import Json, obj, rows, text, texts
from .todos import todo_items
from .tool_files import part_and_digest

_PATH = "attachment"
_QUIET = frozenset(
    [
        "agent_listing_delta",
        "async_hook_response",
        "auto_mode",
        "auto_mode_exit",
        "budget_usd",
        "compaction_reminder",
        "context_efficiency",
        "critical_system_reminder",
        "date",
        "date_change",
        "diagnostics",
        "deferred_tools_delta",
        "environment",
        "fork_briefing",
        "goal_status",
        "hook_blocking_error",
        "hook_cancelled",
        "hook_error_during_execution",
        "hook_non_blocking_error",
        "hook_permission_decision",
        "hook_stopped_continuation",
        "hook_success",
        "hook_system_message",
        "instructions",
        "invoked_skills",
        "mcp_instructions_delta",
        "mcp_resource",
        "model",
        "opened_file_in_ide",
        "output_style",
        "output_token_usage",
        "plan_file_reference",
        "plan_mode",
        "plan_mode_exit",
        "plan_mode_reentry",
        "prompt_snapshot",
        "remote_session_change",
        "selected_lines_in_ide",
        "session_context",
        "silent_turn_reminder",
        "skill_listing",
        "task_reminder",
        "task_status",
        "token_usage",
        "todo_reminder",
        "total_tokens_reminder",
        "ultra_effort_enter",
        "ultra_effort_exit",
        "ultramemory",
        "verify_plan_reminder",
        "command_permissions",
        "already_read_file",
        "agent_mention",
    ]
)
"""Types without words of the user's side in them, or whose words are the client's own of the day."""


def attachment_events(record: Record, memory: Memory) -> None:
    """The message an attachment is, if it is one, then the state it carries."""
    value = obj(record.value.get(_PATH))
    kind = text(value.get("type"))
    make = _MESSAGES.get(kind or "")
    if make is not None:
        make(record, value)
    elif kind in _QUIET:
        _logged(record, kind or "", value)
    else:
        record.add("Unrecognized", type=f"attachment/{(kind or 'none')[:100]}")
    state = _STATE.get(kind or "")
    if state is not None and record.lane is None:
        state(record, memory, value)


def _logged(record: Record, kind: str, value: Json) -> None:
    record.add("Notice", subtype=f"attachment/{kind}", call_id=text(value.get("toolUseID")))


def _message(record: Record, blocks: list[Json], origin: str, kind: str, said: Any, **more: Any) -> None:
    hidden = None if origin in ("queued", "notification") else False
    record.add(
        "UserInput",
        content=blocks,
        origin=origin,
        attachment_type=kind,
        visible_to_reader=hidden,
        preview=shown(said) or None,
        **more,
    )


def _queued(record: Record, value: Json) -> None:
    said = all_text(value.get("prompt"))
    kind = text(obj(value.get("origin")).get("kind"))
    notified = "task-notification" in (kind, value.get("commandMode")) or said.lstrip().startswith(
        "<task-notification>"
    )
    origin = "notification" if notified else "meta" if value.get("isMeta") else "queued"
    _message(record, blocks_at(record, _PATH, "prompt"), origin, "queued_command", said)
    if notified:
        notified_task(record, said)


def _hook_context(record: Record, value: Json) -> None:
    blocks = blocks_at(record, _PATH, "content")
    _message(record, blocks, "hook", "hook_additional_context", all_text(value.get("content")))


def _hook_success(record: Record, value: Json) -> None:
    if value.get("hookEvent") in ("SessionStart", "UserPromptSubmit") and text(value.get("content")):
        _message(record, blocks_at(record, _PATH, "content"), "hook", "hook_success", value.get("content"))
    else:
        _logged(record, "hook_success", value)


def _file(record: Record, value: Json) -> None:
    content = obj(value.get("content"))
    file = obj(content.get("file"))
    path = text(file.get("filePath")) or text(value.get("filename"))
    blocks: list[Json] = []
    if isinstance(file.get("content"), str):
        blocks = [
            {"type": "text", "text": f"Content of {path}:"},
            {"type": "text", "text": record.text_at(_PATH, "content", "file", "content")},
        ]
    _message(record, blocks, "attachment", "file", path)
    if path is not None:
        partial, digest = part_and_digest(file)
        record.add("FileRead", path=path, digest=digest, partial=True if partial else None, type="attachment")


def _directory(record: Record, value: Json) -> None:
    blocks = [{"type": "text", "text": f"Content of {text(value.get('path'))}:"}, *blocks_at(record, _PATH, "content")]
    _message(record, blocks, "attachment", "directory", value.get("path"))


def _edited(record: Record, value: Json) -> None:
    note = f"Note: {text(value.get('filename'))} was modified since it was last read. Relevant lines:"
    blocks = [{"type": "text", "text": note}, *blocks_at(record, _PATH, "snippet")]
    _message(record, blocks, "attachment", "edited_text_file", value.get("filename"))


def _reference(record: Record, value: Json) -> None:
    note = f"Note: {text(value.get('filename'))} was read before the last conversation was summarized."
    _message(record, [{"type": "text", "text": note}], "attachment", "compact_file_reference", value.get("filename"))


def _nested_memory(record: Record, value: Json) -> None:
    inner = (_PATH, "content") if isinstance(value.get("content"), str) else (_PATH, "content", "content")
    blocks = [{"type": "text", "text": f"Contents of {text(value.get('path'))}:"}, *blocks_at(record, *inner)]
    _message(record, blocks, "attachment", "nested_memory", value.get("path"))


_MESSAGES: dict[str, Callable[[Record, Json], None]] = {
    "queued_command": _queued,
    "hook_additional_context": _hook_context,
    "hook_success": _hook_success,
    "file": _file,
    "directory": _directory,
    "edited_text_file": _edited,
    "compact_file_reference": _reference,
    "nested_memory": _nested_memory,
}


def _tasks(record: Record, _memory: Memory, value: Json) -> None:
    if isinstance(value.get("content"), list):
        record.add("TodoSnapshot", items=todo_items(value["content"]), origin="reminder", numbered=True)


def _todos(record: Record, _memory: Memory, value: Json) -> None:
    if isinstance(value.get("content"), list):
        record.add("TodoSnapshot", items=todo_items(value["content"]), origin="reminder")


def _plan_on(record: Record, _memory: Memory, value: Json) -> None:
    record.add("PlanSnapshot", active=True, path=text(value.get("planFilePath")))


def _plan_off(record: Record, _memory: Memory, value: Json) -> None:
    record.add("PlanSnapshot", active=False, path=text(value.get("planFilePath")))


def _plan_file(record: Record, _memory: Memory, value: Json) -> None:
    has_text = text(value.get("planContent")) is not None
    words = record.at(_PATH, "planContent") if has_text else None
    record.add("PlanSnapshot", path=text(value.get("planFilePath")), text=words)


def _goal(record: Record, _memory: Memory, value: Json) -> None:
    goal = {
        "condition": text(value.get("condition")),
        "met": value.get("met") is True,
        "reason": text(value.get("reason")),
    }
    record.add("AgentMetadata", goal={key: part for key, part in goal.items() if part is not None})


def _grants(record: Record, _memory: Memory, value: Json) -> None:
    grants = texts(value.get("allowedTools"))
    if grants:
        record.add("AgentMetadata", grants=grants)


def _tools(record: Record, _memory: Memory, value: Json) -> None:
    added = texts(value.get("addedNames")) + texts(value.get("readdedNames"))
    removed = texts(value.get("removedNames"))
    if added or removed:
        record.add("AgentMetadata", tools_added=added or None, tools_removed=removed or None)


def _servers(record: Record, memory: Memory, value: Json) -> None:
    gone = set(texts(value.get("removedNames")))
    servers = [name for name in memory.mcp_servers if name not in gone]
    servers += [name for name in texts(value.get("addedNames")) if name not in servers]
    memory.mcp_servers = servers
    record.add("AgentMetadata", mcp_servers=servers)


def _skills(record: Record, _memory: Memory, value: Json) -> None:
    names = texts(value.get("names")) or [text(obj(item).get("name")) or "" for item in rows(value.get("skills"))]
    if any(names) and value.get("isInitial", True):
        record.add("AgentMetadata", skills=[name for name in names if name])


def _mode(name: str) -> Callable[[Record, Memory, Json], None]:
    def apply(record: Record, _memory: Memory, _value: Json) -> None:
        record.add("AgentMetadata", mode=name)

    return apply


def _ultra(record: Record, memory: Memory, _value: Json) -> None:
    record.add("AgentMetadata", effort="ultra")
    memory.effort = "ultra"


def _ultra_off(record: Record, memory: Memory, _value: Json) -> None:
    record.add("AgentMetadata", cleared=["effort"])
    memory.effort = None


_STATE: dict[str, Callable[[Record, Memory, Json], None]] = {
    "task_reminder": _tasks,
    "todo_reminder": _todos,
    "plan_mode": _plan_on,
    "plan_mode_reentry": _plan_on,
    "plan_mode_exit": _plan_off,
    "plan_file_reference": _plan_file,
    "goal_status": _goal,
    "command_permissions": _grants,
    "deferred_tools_delta": _tools,
    "mcp_instructions_delta": _servers,
    "skill_listing": _skills,
    "invoked_skills": _skills,
    "auto_mode": _mode("auto"),
    "auto_mode_exit": _mode("normal"),
    "ultra_effort_enter": _ultra,
    "ultra_effort_exit": _ultra_off,
}
