"""Records without a place in the tree: titles, modes, queue, file history, links. The last one of a kind holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...references import clean
from .content import all_text
from .memory import Memory
from .record import Record, absolute_path, short, shown
from .shape import Json, obj, rows, some, text, whole

_LIMIT = 2000
_FAILED_TITLE = re.compile(r"(API Error|Invalid API key|Credit balance is too low)")
"""What stood in place of a title when the request for one failed."""


def _line(value: Any) -> str | None:
    found = text(value)
    return clean(found)[:_LIMIT] if found is not None else None


def _summary(record: Record, _memory: Memory) -> None:
    """Old titles; the message they belong to may be another session's."""
    target = text(record.value.get("leafUuid"))
    title = shown(record.value.get("summary"))
    if _FAILED_TITLE.match(title):
        record.add("Notice", subtype="summary", text=title)
        return
    record.add("SessionLabel", title=title, set_by="summary", native_target=target)


def _custom_title(record: Record, _memory: Memory) -> None:
    record.add("SessionLabel", title=shown(record.value.get("customTitle")), set_by="person")


def _ai_title(record: Record, _memory: Memory) -> None:
    record.add("SessionLabel", title=shown(record.value.get("aiTitle")), set_by="agent")


def _tag(record: Record, _memory: Memory) -> None:
    record.add("SessionLabel", tag=shown(record.value.get("tag")))


def _agent_name(record: Record, memory: Memory) -> None:
    memory.agent_name = _line(record.value.get("agentName"))
    record.add("AgentMetadata", name=memory.agent_name)


def _agent_color(record: Record, _memory: Memory) -> None:
    color = short(record.value.get("agentColor"))
    record.add("AgentMetadata", color=color, cleared=None if color else ["color"])
    record.add("SessionLabel", color=color or "")


def _agent_setting(record: Record, memory: Memory) -> None:
    definition = _line(record.value.get("agentSetting"))
    name = definition if memory.agent_name is None else None
    record.add("AgentMetadata", definition=definition, name=name, cleared=None if definition else ["definition"])


def _permission_mode(record: Record, memory: Memory) -> None:
    mode = short(record.value.get("permissionMode"))
    record.add("AgentMetadata", permission_mode=mode)
    memory.permission_mode = mode or memory.permission_mode


def _mode(record: Record, _memory: Memory) -> None:
    record.add("AgentMetadata", mode=short(record.value.get("mode")))


def _last_prompt(record: Record, memory: Memory) -> None:
    leaf = text(record.value.get("leafUuid"))
    words = shown(record.value.get("lastPrompt")) or None
    if leaf is None:
        record.add("Notice", subtype="last-prompt", text=words)
    else:
        record.add("BranchChosen", native_leaf=leaf, text=words)
    if words is not None and words != memory.last_prompt:
        record.add("SessionLabel", title=words, set_by="prompt")
        memory.last_prompt = words


def _queue(record: Record, _memory: Memory) -> None:
    operations = {"enqueue": "enqueue", "dequeue": "deliver", "remove": "remove", "popAll": "clear"}
    operation = operations.get(str(record.value.get("operation")))
    if operation is None:
        record.add("Notice", subtype="queue-operation", text=short(record.value.get("operation")))
        return
    said = all_text(record.value.get("content"))
    in_place = isinstance(record.value.get("content"), str)
    record.add(
        "QueuedInput",
        operation=operation,
        content=record.at("content") if in_place and said else None,
        text=shown(said) or None,
    )


def _backup(path: str, value: Json, cwd: str | None) -> Json:
    return some(
        {
            "path": absolute_path(path, cwd),
            "backup": text(value.get("backupFileName")),
            "version": whole(value.get("version")),
            "taken_at": text(value.get("backupTime")),
        }
    )


def _snapshot(record: Record, memory: Memory) -> None:
    snapshot = obj(record.value.get("snapshot"))
    files = obj(snapshot.get("trackedFileBackups"))
    update = record.value.get("isSnapshotUpdate") is True
    record.add(
        "FileCheckpoint",
        message_id=text(snapshot.get("messageId")) or text(record.value.get("messageId")) or "",
        backups=[_backup(path, obj(value), memory.cwd) for path, value in files.items()],
        caused_by=text(record.value.get("messageId")) if update else None,
    )


def _delta(record: Record, memory: Memory) -> None:
    path = text(record.value.get("trackingPath"))
    record.add(
        "FileCheckpoint",
        message_id=text(record.value.get("snapshotMessageId")) or "",
        backups=[_backup(path, obj(record.value.get("backup")), memory.cwd)] if path is not None else [],
        replaces=False,
        caused_by=text(record.value.get("messageId")),
    )


def _pull_request(record: Record, _memory: Memory) -> None:
    value = record.value
    link = {
        "number": whole(value.get("prNumber")),
        "url": text(value.get("prUrl")),
        "repository": text(value.get("prRepository")),
    }
    record.add("WorkspaceObserved", pull_request=some(link))


def _worktree(record: Record, _memory: Memory) -> None:
    session = obj(record.value.get("worktreeSession"))
    if not session:
        record.add("Worktree", operation="left")
        return
    record.add(
        "Worktree",
        operation="entered",
        path=_line(session.get("worktreePath")),
        name=_line(session.get("worktreeName")),
        branch=_line(session.get("worktreeBranch")),
        base_commit=short(session.get("originalHeadCommit")),
        base_branch=_line(session.get("originalBranch")),
        original_cwd=_line(session.get("preEnterOriginalCwd")) or _line(session.get("originalCwd")),
    )


def _relocated(record: Record, _memory: Memory) -> None:
    record.add("Worktree", operation="moved", path=_line(record.value.get("relocatedCwd")))


def _bridge(record: Record, _memory: Memory) -> None:
    bridge = {"id": text(record.value.get("bridgeSessionId")), "sequence": whole(record.value.get("lastSequenceNum"))}
    record.add("AgentMetadata", bridge=some(bridge))


def _replacements(record: Record, _memory: Memory) -> None:
    """Results that the client shows the model as stubs; those of another session do not count."""
    named = text(record.value.get("sessionId"))
    own = record.identity.parent_session or record.identity.session_id
    for number, entry in enumerate(rows(record.value.get("replacements"))):
        value = obj(entry)
        call_id = text(value.get("toolUseId")) or text(value.get("tool_use_id"))
        field = next((key for key in ("replacement", "content", "stub") if text(value.get(key))), None)
        if call_id is not None and field is not None and named in (None, own):
            record.add("ContentReplacement", call_id=call_id, replacement=record.at("replacements", number, field))


def _agent_metadata(record: Record, _memory: Memory) -> None:
    """The sidecar of a sub-agent as a record of a stream."""
    sidecar_facts(record, record.value)


def sidecar_facts(record: Record, value: Json) -> None:
    """What a sub-agent's own session knows of itself."""
    record.add(
        "AgentMetadata",
        name=_line(value.get("name")),
        role=_line(value.get("agentType")),
        parent_agent=_line(value.get("parentAgentId")),
    )


def _journal(record: Record, _memory: Memory) -> None:
    """A line of a workflow's journal: an agent of it began or ended."""
    agent = text(record.value.get("agentId"))
    if agent is None:
        record.add("Notice", subtype=f"workflow-{record.type}")
        return
    parent = record.identity.parent_session or record.identity.session_id
    status = "running" if record.type == "started" else "completed"
    record.add("Subagent", agent_id=agent, session_id=f"{parent}/agent-{agent}", status=status)


def _opaque(record: Record, _memory: Memory) -> None:
    record.add("Notice", subtype=record.type)


METADATA: dict[str, Callable[[Record, Memory], None]] = {
    "summary": _summary,
    "custom-title": _custom_title,
    "ai-title": _ai_title,
    "tag": _tag,
    "agent-name": _agent_name,
    "agent-color": _agent_color,
    "agent-setting": _agent_setting,
    "permission-mode": _permission_mode,
    "mode": _mode,
    "last-prompt": _last_prompt,
    "queue-operation": _queue,
    "file-history-snapshot": _snapshot,
    "file-history-delta": _delta,
    "pr-link": _pull_request,
    "worktree-state": _worktree,
    "relocated": _relocated,
    "bridge-session": _bridge,
    "content-replacement": _replacements,
    "agent_metadata": _agent_metadata,
    "started": _journal,
    "result": _journal,
    **dict.fromkeys(
        (
            "api-request",
            "api-request-blob",
            "api-request-shape",
            "attribution-snapshot",
            "cost-state",
            "frame-link",
            "speculation-accept",
            "task-summary",
            "tools-used",
        ),
        _opaque,
    ),
}
