"""What lies beside a Claude Code transcript: sub-agents, tasks, todos and file backups, under the session's new
id."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

from ...events.store import SessionRow
from ..files.content import Copies
from .places import claude_folder_name
from .relink import NewIds, moved
from .subject import Subject
from .transcript import Losses, line_of


def side_files(subject: Subject, ids: NewIds, losses: Losses) -> dict[str, bytes]:
    """Contents by their path below the client's home."""
    files = _todos(subject, ids.session_id)
    files.update(_backups(subject, ids.session_id, losses))
    files.update(_subagents(subject, ids, losses))
    return files


def _todos(subject: Subject, session_id: str) -> dict[str, bytes]:
    """The list where this client keeps it: one file per numbered task, else one file for the list."""
    todos = subject.restored.app_state.todos
    if not todos:
        return {}
    if subject.folded.states["todos"].get("numbered"):
        return {f"tasks/{session_id}/{todo.id}.json": _task(todo, todos) for todo in todos}
    items = [
        {"content": todo.content, "status": todo.status, "activeForm": todo.active_form or todo.content}
        for todo in todos
    ]
    return {f"todos/{session_id}-agent-{session_id}.json": json.dumps(items, indent=2, ensure_ascii=False).encode()}


def _task(todo: Any, todos: Any) -> bytes:
    body: dict[str, Any] = {
        "id": todo.id,
        "subject": todo.content,
        "description": todo.description or "",
        "activeForm": todo.active_form or todo.content,
        "status": todo.status,
        "blocks": [other.id for other in todos if todo.id in other.blocked_by],
        "blockedBy": list(todo.blocked_by),
    }
    if todo.owner:
        body["owner"] = todo.owner
    return json.dumps(body, indent=2, ensure_ascii=False).encode()


def _backups(subject: Subject, session_id: str, losses: Losses) -> dict[str, bytes]:
    copies = Copies.of_session(subject.store, subject.own_ids())
    files: dict[str, bytes] = {}
    missing: set[str] = set()
    events = subject.store.read(subject.row.session_id, until=subject.pointer.position, kinds=["FileCheckpoint"])
    for event in events:
        if event.record is None:
            continue
        for backup in event.data.get("backups") or ():
            name = backup.get("backup")
            if name is None or f"file-history/{session_id}/{name}" in files or name in missing:
                continue
            content = copies.named(str(name))
            if content is None or content.data is None:
                missing.add(str(name))
            else:
                files[f"file-history/{session_id}/{name}"] = content.data
    losses.add("file-backups-missing", len(missing))
    return files


def _subagents(subject: Subject, ids: NewIds, losses: Losses) -> dict[str, bytes]:
    """The transcripts of sub-agents that the session knew of at the pointer, and what is told about each beside
    it."""
    files: dict[str, bytes] = {}
    folder = f"projects/{claude_folder_name(subject.cwd)}/{ids.session_id}"
    known = {agent.id: agent for agent in subject.restored.agent.subagents}
    for session_id in subject.own_ids():
        for row in subject.store.sessions(role="subagent", parent=session_id):
            agent = known.get(row.agent_id or "")
            if agent is None:
                continue
            lines, place = _subagent_lines(subject, row, ids)
            if not lines:
                losses.add("subagents-not-carried")
                continue
            name = f"{folder}/{place}"
            files[name] = b"".join(line + b"\n" for line in lines)
            told = {"agentType": agent.type, "description": agent.description, "toolUseId": agent.call_id}
            told = {key: value for key, value in told.items() if value is not None}
            files[name.removesuffix(".jsonl") + ".meta.json"] = json.dumps(told, ensure_ascii=False).encode()
    return files


def _subagent_lines(subject: Subject, row: SessionRow, ids: NewIds) -> tuple[list[bytes], str]:
    place = f"subagents/agent-{row.agent_id}.jsonl"
    for source in subject.store.sources(session_id=row.session_id):
        if source.superseded:
            continue
        parts = PurePosixPath(source.path.replace("\\", "/")).parts
        if "subagents" in parts:
            last = len(parts) - 1 - parts[::-1].index("subagents")
            place = "/".join(parts[last:])
        lines: list[bytes] = []
        for record in subject.store.source_records(source.source):
            value = record.parsed()
            if isinstance(value, dict):
                value = moved(ids.relink(value), subject.recorded_cwd, subject.cwd)
                value["sessionId"] = ids.session_id
                lines.append(line_of(value))
        return lines, place
    return [], place
