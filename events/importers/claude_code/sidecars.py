"""Facts from the files beside a transcript: sub-agents' sidecars, copies of files before edits, task lists, the plan."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...event import Draft, derived_id
from ...references import clean
from ..importer import Identity, SideEvent
from .places import config_of
from .shape import Json, obj, some, text
from .todos import todo_items

BACKUP_LIMIT_BYTES = 8 * 1024 * 1024
"""A larger backup stays where it is; its name and size are noted."""
_SLUG = re.compile(rb'"slug":"([A-Za-z0-9_-]{1,120})"')
_TAIL_BYTES = 256 * 1024


def side_events(path: Path, identity: Identity) -> Sequence[SideEvent]:
    """See `importer.Importer.side_events`. Unreadable files beside a transcript are left out."""
    if identity.role == "subagent":
        return list(_own_sidecar(path, identity))
    session_id = identity.session_id
    found = [*_subagents(path, session_id)]
    config = config_of(path)
    if config is not None:
        found += _backups(config / "file-history" / session_id, session_id)
        found += _task_lists(config, session_id)
        found += _plan(config / "plans", path, session_id)
    return found


def _event(session_id: str, kind: str, key: str, data: Json, *contents: bytes) -> SideEvent:
    told = json.dumps(data, sort_keys=True)
    return SideEvent(Draft(kind, some(data), event_id=derived_id(session_id, "beside", kind, key, told)), contents)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def _own_sidecar(path: Path, identity: Identity) -> Iterator[SideEvent]:
    value = obj(_json(path.with_suffix(".meta.json")))
    data = some({"role": text(value.get("agentType")), "parent_agent": text(value.get("parentAgentId"))})
    if data:
        yield _event(identity.session_id, "AgentMetadata", "meta", data)


def _subagents(path: Path, session_id: str) -> Iterator[SideEvent]:
    folder = path.with_suffix("") / "subagents"
    for sidecar in sorted(folder.rglob("agent-*.meta.json")) if folder.is_dir() else ():
        agent = sidecar.name.removeprefix("agent-").removesuffix(".meta.json")
        value = obj(_json(sidecar))
        if not value or agent.startswith("acompact-"):
            continue
        data = {
            "agent_id": agent,
            "session_id": f"{session_id}/agent-{agent}",
            "type": text(value.get("agentType")),
            "name": text(value.get("name")),
            "description": clean(str(value["description"])) if text(value.get("description")) else None,
            "call_id": text(value.get("toolUseId")),
            "worktree": text(value.get("worktreePath")),
        }
        yield _event(session_id, "Subagent", agent, some(data))


def _backups(folder: Path, session_id: str) -> Iterator[SideEvent]:
    """One note per backup: its name in the client's store, and the digest under which its content is kept here."""
    for copy in sorted(folder.iterdir()) if folder.is_dir() else ():
        try:
            size = copy.stat().st_size
            content = copy.read_bytes() if size <= BACKUP_LIMIT_BYTES else None
        except OSError:
            continue
        value: Json = {"backup": copy.name, "bytes": size}
        if content is not None:
            value["digest"] = hashlib.sha256(content).hexdigest()
        stored = () if content is None else (content,)
        yield _event(session_id, "Notice", copy.name, {"subtype": "file-backup", "value": value}, *stored)


def _task_lists(config: Path, session_id: str) -> Iterator[SideEvent]:
    """The list as the client keeps it on disk; it may be newer than the transcript after a crash."""
    todos = _json(config / "todos" / f"{session_id}-agent-{session_id}.json")
    items = todo_items(todos)
    if items:
        yield _event(session_id, "TodoSnapshot", "todos", {"items": items, "origin": "file"})
    folder = config / "tasks" / session_id
    tasks = [obj(_json(file)) for file in folder.glob("*.json")] if folder.is_dir() else []
    numbered = sorted((task for task in tasks if str(task.get("id", "")).isdecimal()), key=lambda task: int(task["id"]))
    items = todo_items(numbered)
    if items:
        data = {"items": items, "origin": "file", "numbered": True}
        yield _event(session_id, "TodoSnapshot", "tasks", data)


def _plan(folder: Path, path: Path, session_id: str) -> Iterator[SideEvent]:
    if not folder.is_dir():
        return
    try:
        with path.open("rb") as stream:
            stream.seek(max(path.stat().st_size - _TAIL_BYTES, 0))
            slugs = _SLUG.findall(stream.read())
        plan = folder / f"{slugs[-1].decode()}.md" if slugs else None
        words = plan.read_text("utf-8", "replace") if plan is not None and plan.is_file() else None
    except OSError:
        return
    if plan is not None and words:
        yield _event(session_id, "PlanSnapshot", plan.name, {"text": words})
