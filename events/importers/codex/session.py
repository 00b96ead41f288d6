"""Session metadata: who the thread is, where it came from, and how far a copied past reaches."""

from __future__ import annotations

import hashlib
import uuid
from typing import Any

from .batch import Batch, text_or_none, time_of, whole
from .memory import Memory
from .shapes import is_list, is_object, object_of

_BURST_US = 900_000
_REQUIRED = ("id", "timestamp", "cwd", "originator", "cli_version")


def emit_meta(batch: Batch, memory: Memory, payload: dict[str, Any], session_id: str) -> None:
    """The first meta with the session's id is its own; a later one updates it, one with another id marks a copied past."""
    own = text_or_none(payload.get("id"))
    if own is not None and own != session_id:
        memory.ancestor = own
        memory.copying = True
        memory.copied_us = batch.ts
        batch.add("Notice", subtype="ancestor_meta", value={"id": own})
        return
    first = memory.own_id is None
    memory.own_id = session_id
    if first:
        _begin(batch, memory, payload)
        _check(batch, payload)
    _emit_agent(batch, payload)
    _emit_place(batch, memory, payload)


def _check(batch: Batch, payload: dict[str, Any]) -> None:
    """What the client insists on and we do not."""
    missing = [name for name in _REQUIRED if not isinstance(payload.get(name), str)]
    if missing and "session_meta" in str(batch.kind):
        text = f"The session metadata lacks {', '.join(missing)}; Codex itself refuses the whole file for that."
        batch.remark("metadata-incomplete", text, missing=missing)


def _begin(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    memory.created_us = time_of(payload.get("timestamp")) or batch.ts
    memory.provider = text_or_none(payload.get("model_provider"))
    memory.spawned = parent_of(payload) is not None
    forked = text_or_none(payload.get("forked_from_id"))
    by_pointer = is_object(payload.get("history_base"))
    start = whole(payload.get("subagent_history_start_ordinal"))
    if start is not None:
        memory.start_ordinal, memory.copying, memory.ancestor = start, True, forked or parent_of(payload)
    elif forked is not None and not by_pointer:
        memory.copying, memory.ancestor, memory.copied_us = True, forked, batch.ts
    if memory.started:
        return
    memory.started = True
    kept = (
        "source",
        "thread_source",
        "history_mode",
        "history_base",
        "session_id",
        "memory_mode",
        "multi_agent_version",
        "agent_path",
    )
    extra = {key: payload[key] for key in kept if payload.get(key) is not None}
    batch.add(
        "SessionStarted",
        source="codex",
        native_id=memory.own_id,
        client=text_or_none(payload.get("originator")),
        client_version=text_or_none(payload.get("cli_version")),
        cwd=text_or_none(payload.get("cwd")),
        forked_from_native=forked,
        parent_session=parent_of(payload),
        provider=memory.provider,
        extra=extra or None,
    )


def parent_of(payload: dict[str, Any]) -> str | None:
    """The thread that spawned this one."""
    source = payload.get("source")
    spawn: Any = source.get("subagent") if is_object(source) else None
    inner = spawn.get("thread_spawn") if is_object(spawn) else None
    parent = inner.get("parent_thread_id") if is_object(inner) else None
    return text_or_none(payload.get("parent_thread_id")) or text_or_none(parent)


def _emit_agent(batch: Batch, payload: dict[str, Any]) -> None:
    source = payload.get("source")
    spawn: Any = source.get("subagent") if is_object(source) else None
    inner: dict[str, Any] = {}
    if is_object(spawn):
        found = spawn.get("thread_spawn")
        inner = found if is_object(found) else {"agent_role": spawn.get("other")}
    elif isinstance(spawn, str):
        inner = {"agent_role": spawn}
    nickname = text_or_none(payload.get("agent_nickname")) or text_or_none(inner.get("agent_nickname"))
    role = text_or_none(payload.get("agent_role") or payload.get("agent_type")) or text_or_none(inner.get("agent_role"))
    base = payload.get("base_instructions")
    instructions = base.get("text") if is_object(base) else payload.get("instructions")
    tools = payload.get("dynamic_tools")
    names = (
        [tool["name"] for tool in tools if is_object(tool) and isinstance(tool.get("name"), str)]
        if is_list(tools)
        else None
    )
    facts = {
        "name": nickname or text_or_none(payload.get("agent_path")),
        "nickname": nickname,
        "role": role,
        "provider": text_or_none(payload.get("model_provider")),
        "instructions_digest": _digest(instructions) if isinstance(instructions, str) and instructions else None,
        "instructions": batch.at("base_instructions", "text") if is_object(base) and instructions else None,
        "parent_agent": parent_of(payload),
        "tools_added": names or None,
    }
    if any(value is not None for value in facts.values()):
        batch.add("AgentMetadata", **facts)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _emit_place(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    git = payload.get("git")
    git = object_of(git)
    cwd = text_or_none(payload.get("cwd"))
    if memory.cwd is None:
        memory.cwd = cwd
    elif cwd is not None and not git:
        cwd = memory.cwd
    roots = payload.get("runtime_workspace_roots") or payload.get("selected_capability_roots")
    batch.add(
        "WorkspaceObserved",
        cwd=cwd,
        branch=text_or_none(git.get("branch")),
        head=text_or_none(git.get("commit_hash")),
        remote=text_or_none(git.get("repository_url")),
        roots=[root for root in roots if isinstance(root, str)] if is_list(roots) and roots else None,
    )


def still_copied(memory: Memory, kind: str, payload: dict[str, Any], ts: int | None, ordinal: int | None) -> bool:
    """Whether this line belongs to the copied past.

    A paginated sub-agent tells by ordinal. Elsewhere the first turn that began after the thread was made is its own (turn ids of
    version 7 and `started_at` keep their time in a copy); where turns have no time, the copy is one burst of lines.
    """
    if memory.start_ordinal is not None:
        return ordinal is not None and ordinal < memory.start_ordinal
    if kind == "session_meta":
        return True
    born = _turn_time(kind, payload)
    if born is not None and memory.created_us is not None:
        memory.copied_turns = True
        moment, resolution = born
        return moment < memory.created_us // resolution * resolution
    if memory.copied_turns or ts is None or memory.copied_us is None:
        return True
    before, memory.copied_us = memory.copied_us, ts
    return ts - before <= _BURST_US


def _turn_time(kind: str, payload: dict[str, Any]) -> tuple[int, int] | None:
    """When the turn that the line names began, and how exact that is, in microseconds; None when no time is to be had."""
    if kind not in ("turn_context", "event_msg", "response_item"):
        return None
    link = payload.get("internal_chat_message_metadata_passthrough")
    turn_id = payload.get("turn_id") or (link.get("turn_id") if is_object(link) else None)
    if isinstance(turn_id, str):
        try:
            parsed = uuid.UUID(turn_id)
        except ValueError:
            parsed = None
        if parsed is not None and parsed.version == 7:
            return (parsed.int >> 80) * 1000, 1000
    if payload.get("type") in ("task_started", "turn_started"):
        started = whole(payload.get("started_at"))
        return None if started is None else (started * 1_000_000, 1_000_000)
    return None
