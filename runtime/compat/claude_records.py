"""Native Claude Code records of a session as its client reads them: first object of a line, later copies last."""

from __future__ import annotations

import json
from typing import Any

from ...events.event import Event
from ...events.store import EventStore
from ...events.times import to_us
from ...projections.tree import BranchPointer, Node

Record = dict[str, Any]
_DECODER = json.JSONDecoder()
_NODES = ("user", "assistant", "system", "attachment", "progress")


def load_records(store: EventStore, session_id: str, position: int) -> tuple[list[Record], int]:
    """The records up to `position` in file order and the size in bytes of the files they came from.

    Events that no file holds (appended by a live session) become records of the same shape at the end.
    """
    last_of: dict[int, int] = {}
    live: list[Event] = []
    numbers: set[int] = set()
    for event in store.read(session_id, until=position):
        if event.record is None:
            live.append(event)
        else:
            numbers.add(event.record)
    complete = position >= store.session(session_id).head
    if numbers:
        sources = {record.source for record in store.records([min(numbers), max(numbers)])}
        sources |= {row.source for row in store.sources(session_id=session_id) if not row.superseded}
        for source in sources:
            last_of[source] = max(numbers)
    records: list[Record] = []
    size = 0
    for source in sorted(last_of):
        for native in store.source_records(source):
            if native.record > last_of[source] and not complete:
                break
            size += len(native.raw) + 1
            value = first_object(native.raw)
            if value is not None:
                records.append(value)
    if live:
        from .claude_live import records_of_live

        records += records_of_live(store.hydrate(live), records)
    return records, size


def first_object(raw: bytes) -> Record | None:
    """What the client takes from a line: its first JSON object, or nothing."""
    text = raw.strip(b"\x00 \t\r\n").removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    try:
        value, _ = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def nodes_of(records: list[Record]) -> tuple[list[Node], list[BranchPointer]]:
    """Tree nodes (their `order` is the index into `records`) and the recorded ends of the conversation."""
    nodes: list[Node] = []
    pointers: list[BranchPointer] = []
    for order, record in enumerate(records):
        kind = record.get("type")
        if kind == "last-prompt" and isinstance(record.get("leafUuid"), str):
            pointers.append(BranchPointer(order, record["leafUuid"]))
        name = record.get("uuid")
        if kind not in _NODES or not isinstance(name, str):
            continue
        node = Node(
            order=order,
            id=name,
            parent=_text(record.get("parentUuid")),
            type=kind,
            sidechain=record.get("isSidechain") is True,
            ts=to_us(record.get("timestamp")),
        )
        _learn(node, record)
        nodes.append(node)
    return nodes, pointers


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _learn(node: Node, record: Record) -> None:
    message = record.get("message")
    if isinstance(message, dict):
        if node.type == "assistant":
            node.message_id = _text(message.get("id"))
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("type") == "tool_result":
                node.results = (*node.results, str(block.get("tool_use_id")))
    node.summary = record.get("isCompactSummary") is True
    if record.get("subtype") == "compact_boundary":
        node.cuts = True
        node.logical_parent = _text(record.get("logicalParentUuid"))
        _kept(node, record.get("compactMetadata"))


def _kept(node: Node, metadata: Any) -> None:
    if not isinstance(metadata, dict):
        return
    messages, segment = metadata.get("preservedMessages"), metadata.get("preservedSegment")
    if isinstance(messages, dict):
        uuids = messages.get("uuids")
        node.preserved = tuple(name for name in uuids if isinstance(name, str)) if isinstance(uuids, list) else ()
        node.anchor = _text(messages.get("anchorUuid"))
    if isinstance(segment, dict):
        node.segment = (_text(segment.get("headUuid")), _text(segment.get("tailUuid")))
        node.anchor = node.anchor or _text(segment.get("anchorUuid"))
