"""Which session a Claude Code file belongs to, told by its first records and, where it is an id, by its name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ...errors import UnreadableSource
from ..importer import Identity, Probe
from .shape import Json, is_obj, obj, text

SOURCE = "claude-code"
TREE_TYPES = ("user", "assistant", "system", "attachment", "progress")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_BESIDE = {
    "summary": "leafUuid",
    "file-history-snapshot": "snapshot",
    "file-history-delta": "backup",
}
_JOURNAL = ("started", "result")


def recognizes(probe: Probe) -> bool:
    """Whether the beginning holds a record of the shape that Claude Code writes."""
    return any(_is_record(obj(line.value)) for line in probe.lines)


def _is_record(record: Json) -> bool:
    kind = record.get("type")
    if not isinstance(kind, str) or "payload" in record:
        return False
    if kind in TREE_TYPES:
        message = obj(record.get("message"))
        return "parentUuid" in record or "uuid" in record or "sessionId" in record or "role" in message
    if kind in _BESIDE:
        return _BESIDE[kind] in record
    if kind in _JOURNAL:
        return isinstance(record.get("key"), str) and isinstance(record.get("agentId"), str)
    return isinstance(record.get("sessionId"), str)


def identify(probe: Probe) -> Identity:
    """The session of a file.

    A main file belongs to the session its name gives when that is a UUID, else to the one its first records name; a sub-agent's
    file (its first record is a side chain) to `<session>/agent-<agent id>`.

    Raises:
        UnreadableSource: neither the records nor the name give an id.
    """
    records = [line.value for line in probe.lines if is_obj(line.value)]
    journal = _journal(probe.path, records)
    if journal is not None:
        return journal
    agent = _agent(probe.path, records)
    named = _first_session(records)
    if agent is not None:
        parent = named or _parent_of_path(probe.path)
        if parent is not None:
            session = f"{parent}/agent-{agent}"
            return Identity(session, SOURCE, "subagent", parent_session=parent, agent_id=agent)
    stem = probe.path.stem
    session_id = stem if _UUID.fullmatch(stem) else named
    if session_id is None and any(record.get("type") in TREE_TYPES for record in records):
        session_id = stem
    if not session_id:
        raise UnreadableSource(
            f"{probe.path} names no session.",
            remedy="Give the file the session's id as its name.",
            path=str(probe.path),
        )
    return Identity(session_id, SOURCE)


def _first_session(records: Iterable[Json]) -> str | None:
    for record in records:
        named = text(record.get("sessionId")) or text(record.get("session_id"))
        if named is not None:
            return named.split("#", 1)[0]
    return None


def _agent(path: Path, records: Iterable[Json]) -> str | None:
    """The agent's id when the file is a sub-agent's transcript: its first record of the tree is a side chain."""
    for record in records:
        if record.get("type") not in TREE_TYPES or "isSidechain" not in record:
            continue
        if record.get("isSidechain") is not True:
            return None
        named = text(record.get("agentId"))
        if named is None and path.stem.startswith("agent-"):
            named = path.stem.removeprefix("agent-")
        return named
    return None


def _journal(path: Path, records: list[Json]) -> Identity | None:
    """A workflow's journal lies in `<session>/subagents/workflows/<run>/journal.jsonl` and names neither."""
    if not records or not all(record.get("type") in _JOURNAL and "key" in record for record in records[:3]):
        return None
    parent = _parent_of_path(path)
    if parent is None:
        raise UnreadableSource(
            f"{path} is a workflow's journal, but its folder names no session.",
            remedy="Import it where the client keeps it, inside its session's folder.",
            path=str(path),
        )
    run = path.parent.name
    return Identity(f"{parent}/workflow-{run}", SOURCE, "subagent", parent_session=parent, agent_id=f"workflow-{run}")


def _parent_of_path(path: Path) -> str | None:
    parts = path.parts
    return parts[parts.index("subagents") - 1] if "subagents" in parts[1:] else None


def session_named(record: Json) -> str | None:
    """The session a record says it was written for."""
    return _first_session([record])
