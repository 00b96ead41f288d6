"""The tree of agents: spawned threads, their activity and how they ended, in all three forms the client wrote it."""

from __future__ import annotations

from typing import Any

from .batch import Batch, text_or_none
from .shapes import is_list, is_object, list_of

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


def emit_collaboration(batch: Batch, kind: str, item: dict[str, Any]) -> None:
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
    for agent_id, entry in told.items():
        prompt = batch.at(*batch.inner, "prompt") if isinstance(item.get("prompt"), str) and spawned else None
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
            call_id=call_id if spawned else None,
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
