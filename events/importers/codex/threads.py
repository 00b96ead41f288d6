"""The tree of agents: spawned threads, their activity and how they ended, in all three forms the client wrote it."""

from __future__ import annotations

import json
from typing import Any

from .batch import Batch, text_or_none
from .memory import Memory
from .shapes import is_list, is_object, list_of, object_of

_STATUS = {
    "running": "running",
    "pending_init": "running",
    "started": "running",
    "interacted": "running",
    "completed": "completed",
    "shutdown": "completed",
    "closed": "completed",
    "errored": "failed",
    "failed": "failed",
    "not_found": "failed",
    "interrupted": "interrupted",
}


AGENT_TOOLS = ("spawn_agent", "wait", "wait_agent", "close_agent", "resume_agent")
_PROMPT_CHARS = 2000


def remembered_agent_call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What the result of a call about agents will need."""
    prompt = text_or_none(arguments.get("message")) or text_or_none(arguments.get("prompt"))
    told = {
        "tool": name,
        "prompt": prompt[:_PROMPT_CHARS] if prompt and name == "spawn_agent" else None,
        "type": text_or_none(arguments.get("agent_type")),
        "model": text_or_none(arguments.get("model")),
        "target": text_or_none(arguments.get("target")) or text_or_none(arguments.get("id")),
    }
    return {"name": name, "agents": {key: value for key, value in told.items() if value is not None}}


def emit_agents(batch: Batch, call: dict[str, Any], text: str, call_id: str) -> None:
    """Subagent events that the result of such a call proves."""
    try:
        result = object_of(json.loads(text))
    except ValueError:
        return
    agent_id = text_or_none(result.get("agent_id"))
    if agent_id is not None and call["tool"] == "spawn_agent":
        batch.add(
            "Subagent",
            agent_id=agent_id,
            session_id=agent_id,
            name=text_or_none(result.get("nickname")),
            status="running",
            call_id=call_id,
            **{key: call.get(key) for key in ("prompt", "type", "model")},
        )
    elif call["tool"] == "close_agent" and "target" in call:
        status = status_of(result.get("previous_status") or result.get("status"))
        batch.add("Subagent", agent_id=call["target"], session_id=call["target"], status=status)
    else:
        for name, state in object_of(result.get("status")).items():
            batch.add("Subagent", agent_id=name, session_id=name, status=status_of(state))


def status_of(value: Any) -> str | None:
    """running, completed, failed, interrupted; None when it is not said."""
    if is_object(value):
        value = value.get("status") or next(iter(value), None)
    if not isinstance(value, str):
        return None
    return _STATUS.get(_snake(value), "unknown")


def _snake(text: str) -> str:
    return "".join(
        f"_{char.lower()}" if char.isupper() and number else char.lower() for number, char in enumerate(text)
    )


def emit_collaboration(batch: Batch, memory: Memory, kind: str, item: dict[str, Any]) -> None:
    """Subagent events for every thread that the record tells about."""
    call_id = text_or_none(item.get("call_id")) or text_or_none(item.get("id"))
    told: dict[str, dict[str, Any]] = {}
    for entry in _entries(item):
        agent_id = text_or_none(entry.get("agent_id"))
        if agent_id is not None:
            told[agent_id] = {
                **told.get(agent_id, {}),
                **{key: value for key, value in entry.items() if value is not None},
            }
    spawned = kind == "collab_agent_spawn_end" or str(item.get("tool")) in ("spawn", "spawn_agent", "spawnAgent")
    call = object_of(memory.calls.get(call_id or "", {}).get("agents"))
    for agent_id, entry in told.items():
        prompt = (
            batch.at(*batch.inner, "prompt") if isinstance(item.get("prompt"), str) and spawned else call.get("prompt")
        )
        batch.add(
            "Subagent",
            agent_id=agent_id,
            session_id=agent_id,
            name=entry.get("name"),
            type=entry.get("type"),
            prompt=prompt,
            model=text_or_none(item.get("model"))
            if spawned or kind in ("SubAgentActivity", "sub_agent_activity")
            else None,
            status=entry.get("status"),
            call_id=call_id if spawned or call.get("prompt") else None,
        )


def _entries(item: dict[str, Any]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    if item.get("new_thread_id"):
        entries.append(
            _entry(
                item["new_thread_id"], item.get("new_agent_nickname"), item.get("new_agent_role"), item.get("status")
            )
        )
    if item.get("receiver_thread_id"):
        entries.append(
            _entry(
                item["receiver_thread_id"],
                item.get("receiver_agent_nickname"),
                item.get("receiver_agent_role"),
                item.get("status"),
            )
        )
    if item.get("agent_thread_id"):
        entries.append(_entry(item["agent_thread_id"], item.get("agent_path"), None, item.get("kind")))
    receivers = item.get("receiver_thread_ids")
    entries += [_entry(receiver) for receiver in receivers] if is_list(receivers) else []
    for name in ("receiver_agents", "agent_statuses"):
        listed = item.get(name)
        for agent in list_of(listed):
            if is_object(agent):
                entries.append(
                    _entry(
                        agent.get("thread_id"),
                        agent.get("agent_nickname"),
                        agent.get("agent_role"),
                        agent.get("status"),
                    )
                )
    for name in ("agents_states", "statuses"):
        states = item.get(name)
        for agent_id, state in states.items() if is_object(states) else ():
            entries.append(_entry(agent_id, status=state))
    return entries


def _entry(agent_id: Any, name: Any = None, role: Any = None, status: Any = None) -> dict[str, Any]:
    return {"agent_id": agent_id, "name": text_or_none(name), "type": text_or_none(role), "status": status_of(status)}
