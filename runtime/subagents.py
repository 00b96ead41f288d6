"""The sub-agents of a session: what its events say of them, and what their own transcripts in the store say."""

from __future__ import annotations

from typing import Any

from ..events.store import EventStore, SessionRow
from ..projections.fold import Folded, restore_states
from . import restored as parts
from .pricing import PriceBook
from .state_of_app import Reader
from .totals import totals


def subagents_of(
    store: EventStore, row: SessionRow, folded: Folded, reader: Reader, prices: PriceBook
) -> tuple[parts.SubagentInfo, ...]:
    """Every sub-agent once: those that the session names, then those that only have a transcript, in order of their id.

    Their transcripts are read to their ends, also for a restore at an earlier pointer of a session whose events do not name them.
    """
    told: dict[str, dict[str, Any]] = folded.states["agent"]["subagents"]
    children = {child.agent_id or child.session_id: child for child in _descendants(store, row)}
    whole = folded.position == row.head
    found: list[parts.SubagentInfo] = []
    used: set[str] = set()
    for agent_id, entry in told.items():
        child = children.get(agent_id) or next(
            (one for one in children.values() if one.session_id == entry.get("session_id")), None
        )
        if child is not None:
            used.add(child.session_id)
        found.append(_info(store, agent_id, entry, child, reader, prices))
    for agent_id in sorted(children):
        child = children[agent_id]
        if whole and child.session_id not in used:
            found.append(_info(store, agent_id, {}, child, reader, prices))
    return tuple(found)


def _descendants(store: EventStore, row: SessionRow) -> list[SessionRow]:
    found: list[SessionRow] = []
    waiting = [row.session_id]
    seen = {row.session_id}
    while waiting:
        for child in store.sessions(parent=waiting.pop()):
            if child.session_id not in seen:
                seen.add(child.session_id)
                found.append(child)
                waiting.append(child.session_id)
    return found


def _info(
    store: EventStore, agent_id: str, entry: dict[str, Any], child: SessionRow | None, reader: Reader, prices: PriceBook
) -> parts.SubagentInfo:
    own = parts.Totals()
    model, status, prompt = entry.get("model"), entry.get("status"), None
    if child is not None:
        states = restore_states(store, child.session_id).states
        own = totals(states["accounting"]["own"], prices)
        model = states["agent"]["model"] or model
        status = status or _status(states)
        prompt = states["labels"]["first_prompt"]
    if entry.get("prompt_at"):
        event = reader.at(entry["prompt_at"])
        text = None if event is None else event.data.get("prompt")
        prompt = text if isinstance(text, str) else prompt
    if status == "running":
        status = "interrupted"
    names = ("name", "type", "description", "call_id", "worktree")
    return parts.SubagentInfo(
        id=agent_id,
        **{name: entry.get(name) for name in names},
        prompt=prompt,
        model=model,
        status=status or "unknown",
        session_id=child.session_id if child is not None else entry.get("session_id"),
        pointer=reader.pointer(entry["at"]) if "at" in entry else None,
        accounting=own,
    )


def _status(states: dict[str, Any]) -> str:
    run = states["activity"]["run"]
    if states["calls"]["open"]:
        return "interrupted"
    if run is not None:
        return "interrupted" if run["status"] == "running" else str(run["status"])
    return "completed" if states["activity"]["last_side"] == "assistant" else "interrupted"
