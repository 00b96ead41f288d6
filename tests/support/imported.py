"""What an import left in the store, in a form that two imports can be compared by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rehydrate.events.native import EOL
from rehydrate.events.store import EventStore


def facts(store: EventStore, session_id: str) -> list[tuple[Any, ...]]:
    """Position, id, kind, data, time and tree place of every event."""
    return [
        (
            event.position,
            event.event_id,
            event.kind,
            event.data,
            event.ts,
            event.native_id,
            event.native_parent,
            event.lane,
        )
        for event in store.read(session_id)
    ]


def texts(store: EventStore, session_id: str) -> list[str]:
    """The texts of messages, in order."""
    found: list[str] = []
    for event in store.hydrate(store.read(session_id, kinds=("UserInput", "AssistantMessage"))):
        blocks = event.data.get("content") or event.data.get("blocks") or []
        found += [block["text"] for block in blocks if block.get("type") == "text"]
    return found


def original(store: EventStore, path: Path) -> bytes:
    """The bytes of the newest import of a file, put together from its records."""
    source = [row for row in store.sources(path=str(path)) if not row.superseded][-1]
    return b"".join(record.raw + EOL[record.eol] for record in store.source_records(source.source)) + source.tail
