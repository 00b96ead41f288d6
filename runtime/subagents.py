"""The sub-agents of a session: what its events say of them, and what their own transcripts in the store say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from ..events import schema
from ..events.references import preview
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

    A fork has those that its parents had started by the cut (`inherited`). Transcripts are read to their ends; one that no event
    names counts from the time of its first record on.
    """
    told: dict[str, dict[str, Any]] = folded.states["agent"]["subagents"]
    cut = _cut(row)
    lanes: dict[str, dict[str, Any]] = dict(folded.states["lanes"]["lanes"])
    children = _children(store, row)
    found: list[parts.SubagentInfo] = []
    used: set[str] = set()
    for agent_id, entry in told.items():
        match = children.get(agent_id) or next(
            (one for one in children.values() if one.row.session_id == entry.get("session_id")), None
        )
        if match is not None:
            used.add(match.row.session_id)
        inherited = cut is not None and entry["at"] <= cut
        info = _info(store, agent_id, entry, None if match is None else match.row, reader, prices, inherited)
        found.append(info if match is not None else _from_lane(info, lanes, prices))
    for agent_id in sorted(children):
        child = children[agent_id]
        if child.row.session_id not in used and child.began_by(folded, store, row):
            found.append(_info(store, agent_id, {}, child.row, reader, prices, child.inherited))
    return tuple(found)


def _cut(row: SessionRow) -> int | None:
    return None if row.forked_from is None else int(row.forked_from.rpartition("@")[2])


@dataclass(frozen=True, slots=True)
class _Child:
    """A sub-agent's own session, found below the session itself or below one that it was forked from."""

    row: SessionRow
    inherited: bool

    def began_by(self, folded: Folded, store: EventStore, row: SessionRow) -> bool:
        """Whether it had begun when the restored place was reached; at the very end of its own session it surely had."""
        if not self.inherited and folded.position == row.head:
            return True
        first = restore_states(store, self.row.session_id).states["activity"]["first_us"]
        at = folded.position if not self.inherited else min(folded.position, _cut(row) or folded.position)
        last = _time_at(store, row, at)
        return first is None or last is None or first <= last


def _time_at(store: EventStore, row: SessionRow, position: int) -> int | None:
    """The time of the newest event up to a position that has one."""
    return next(
        (event.ts for event in store.read(row.session_id, until=position, reverse=True) if event.ts is not None), None
    )


def _children(store: EventStore, row: SessionRow) -> dict[str, _Child]:
    found = {
        child.agent_id or child.session_id: _Child(child, inherited=False)
        for child in _descendants(store, row.session_id)
    }
    for name in _ancestors(store, row):
        for child in _descendants(store, name):
            found.setdefault(child.agent_id or child.session_id, _Child(child, inherited=True))
    return found


def _ancestors(store: EventStore, row: SessionRow) -> list[str]:
    """The sessions whose events a fork shares, the nearest first; one that was purged since still counts."""
    if row.forked_from is None:
        return []
    streams = [part.stream for part in reversed(store.segments(row, 1, row.head)) if part.stream != row.stream]
    stream = schema.stream.c
    with store.reading() as connection:
        found = connection.execute(select(stream.stream, stream.session_id).where(stream.stream.in_(streams))).all()
    names = {one.stream: one.session_id for one in found}
    return list(dict.fromkeys(names[number] for number in streams if number in names))


def _descendants(store: EventStore, session_id: str) -> list[SessionRow]:
    found: list[SessionRow] = []
    waiting = [session_id]
    seen = {session_id}
    while waiting:
        for child in store.sessions(parent=waiting.pop()):
            if child.session_id not in seen:
                seen.add(child.session_id)
                found.append(child)
                waiting.append(child.session_id)
    return found


def _info(
    store: EventStore,
    agent_id: str,
    entry: dict[str, Any],
    child: SessionRow | None,
    reader: Reader,
    prices: PriceBook,
    inherited: bool,
) -> parts.SubagentInfo:
    own = parts.Totals()
    model, status, prompt = entry.get("model"), entry.get("status"), None
    if child is not None:
        states = restore_states(store, child.session_id).states
        own = totals(states["accounting"]["own"], prices)
        model = states["agent"]["model"] or model
        status = status or _status(states)
        prompt = states["labels"]["agent_prompt"] or states["labels"]["first_prompt"]
    if entry.get("prompt_at"):
        event = reader.at(entry["prompt_at"])
        text = None if event is None else event.data.get("prompt")
        prompt = text if isinstance(text, str) else prompt
    if status == "running":
        status = "interrupted"
    return parts.SubagentInfo(
        id=agent_id,
        name=entry.get("name"),
        type=entry.get("type"),
        description=entry.get("description"),
        call_id=entry.get("call_id"),
        worktree=entry.get("worktree"),
        prompt=prompt,
        model=model,
        status=status or "unknown",
        session_id=child.session_id if child is not None else entry.get("session_id"),
        pointer=reader.pointer(entry["at"]) if "at" in entry else None,
        accounting=own,
        inherited=inherited,
    )


def _from_lane(info: parts.SubagentInfo, lanes: dict[str, dict[str, Any]], prices: PriceBook) -> parts.SubagentInfo:
    """A sub-agent whose transcript is a side chain of this one: found by its prompt, each chain belongs to one of them."""
    wanted = None if info.prompt is None else preview(info.prompt)
    name = next((name for name, lane in lanes.items() if wanted and lane["first"] == wanted), None)
    if name is None:
        return info
    lane = lanes.pop(name)
    spent = totals(lane["spent"]["own"], prices)
    return info.model_copy(update={"model": lane["model"] or info.model, "accounting": spent, "inline": True})


def _status(states: dict[str, Any]) -> str:
    run = states["activity"]["run"]
    if states["calls"]["open"]:
        return "interrupted"
    if run is not None:
        return "interrupted" if run["status"] == "running" else str(run["status"])
    return "completed" if states["activity"]["last_side"] == "assistant" else "interrupted"
