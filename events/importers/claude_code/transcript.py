"""One Claude Code file being read: what must be remembered between records, and which module makes a record's events."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ...event import Draft, derived_id
from ..importer import Identity, Line
from .assistant import assistant_events
from .attachments import attachment_events
from .identity import SOURCE
from .memory import Memory
from .metadata import METADATA
from .record import Record
from .shape import obj, some, text
from .system import system_events
from .user import user_events
from .workspace import observe

_NODES: dict[str, Callable[[Record, Memory], None]] = {
    "user": user_events,
    "assistant": assistant_events,
    "system": system_events,
    "attachment": attachment_events,
}


_OWN_ID = re.compile(rb'"uuid"\s*:\s*"([0-9A-Za-z_-]{1,64})"')
_PARENT_ID = re.compile(rb'"parentUuid"\s*:\s*"([0-9A-Za-z_-]{1,64})"')
_NO_PARENT = re.compile(rb'"parentUuid"\s*:\s*null')


class ClaudeTranscript:
    """See `importer.Transcript`."""

    def __init__(self, identity: Identity, state: dict[str, Any] | None) -> None:
        self.identity = identity
        self._memory = Memory.restored(state)

    def state(self) -> dict[str, Any]:
        return self._memory.as_json()

    def drafts(self, line: Line) -> Sequence[Draft]:
        """The events of one record: by its type, or `Unrecognized` where that is unknown or the record is no object."""
        memory = self._memory
        record = Record(obj(line.value), self.identity, line)
        if not memory.started:
            memory.started = True
            self._start(record)
        if not isinstance(line.value, dict):
            record.add(
                "Unrecognized", reason="The record is no JSON object.", line=line.line, byte_offset=line.byte_offset
            )
            return record.drafts
        record.lane = self._lane(record)
        record.follows = memory.last_uuid is not None
        make = _NODES.get(record.type)
        if make is not None:
            make(record, memory)
            observe(record, memory)
        elif record.type == "progress":
            data = obj(record.value.get("data"))
            record.add("Notice", subtype=f"progress/{text(data.get('type')) or 'unknown'}")
        elif record.type in METADATA:
            METADATA[record.type](record, memory)
        else:
            record.add("Unrecognized", type=record.type or None)
        if not any(draft.kind != "SessionStarted" for draft in record.drafts):
            record.add("Notice", subtype=record.type or "empty")
        if record.is_node:
            memory.last_uuid = record.uuid
        return record.drafts

    def place_of(self, raw: bytes) -> tuple[str, str | None] | None:
        """See `importer.LinksDamage`: the ids stand in the first and the last part of a line, so one part often survives."""
        if self.identity.role == "main" and b'"isSidechain":true' in raw:
            return None
        own = _OWN_ID.findall(raw)
        parent = _PARENT_ID.search(raw)
        if not own or (parent is not None and own[-1] == parent.group(1)):
            return None
        if parent is not None:
            return own[-1].decode(), parent.group(1).decode()
        is_root = self._memory.last_uuid is None or _NO_PARENT.search(raw) is not None
        return own[-1].decode(), None if is_root else ""

    def _start(self, record: Record) -> None:
        """The session's first event, from the first record alone."""
        value = record.value
        forked = obj(value.get("forkedFrom"))
        origin = text(forked.get("sessionId"))
        data: dict[str, Any] = {
            "source": SOURCE,
            "native_id": self.identity.session_id,
            "client": SOURCE,
            "client_version": text(value.get("version")),
            "cwd": text(value.get("cwd")),
            "forked_from_native": origin,
            "parent_session": self.identity.parent_session,
            "agent_id": self.identity.agent_id,
        }
        identifier = derived_id(self.identity.session_id, "started")
        record.drafts.append(Draft("SessionStarted", some(data), event_id=identifier, ts=record.ts))

    def _lane(self, record: Record) -> str | None:
        """The inline side chain a record belongs to: its agent, else the id of the side chain's first record."""
        if self.identity.role != "main" or record.value.get("isSidechain") is not True:
            return None
        agent = text(record.value.get("agentId"))
        return agent or self._memory.lane_of(record.uuid, text(record.value.get("parentUuid")))
