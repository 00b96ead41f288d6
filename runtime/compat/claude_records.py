"""Native Claude Code records of a session as its client reads them: first object of a line, later copies last."""

from __future__ import annotations

import json
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import func, select

from ...events import schema
from ...events.event import Event
from ...events.importers.claude_code.shape import is_obj, is_rows, obj, rows, texts
from ...events.references import clean
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
    live: list[Event] = []
    numbers: set[int] = set()
    for event in store.read(session_id, until=position):
        if event.record is None:
            live.append(event)
        else:
            numbers.add(event.record)
    last_of = _last_of_sources(store, sorted(numbers))
    whole: set[int] = set()
    if position >= store.session(session_id).head:
        # Records at the end that gave no event of their own (copies of earlier ones) count for the client as well.
        whole = {row.source for row in store.sources(session_id=session_id) if not row.superseded}
        last_of |= dict.fromkeys(whole, 0)
    records: list[Record] = []
    size = 0
    for source in sorted(last_of):
        kept = [row for row in store.source_records(source) if source in whole or row.record <= last_of[source]]
        for _, parts in groupby(kept, key=attrgetter("line")):
            raw = b"".join(part.raw for part in parts)
            size += len(raw) + 1
            value = first_object(raw)
            if value is not None:
                records.append(value)
    if live:
        from .claude_live import records_of_live

        records += records_of_live(store.hydrate(live), records)
    return records, size


def _last_of_sources(store: EventStore, numbers: list[int]) -> dict[int, int]:
    """By source the highest of these record numbers."""
    columns = schema.record.c
    found: dict[int, int] = {}
    with store.reading() as connection:
        for start in range(0, len(numbers), 500):
            wanted = columns.record.in_(numbers[start : start + 500])
            query = select(columns.source, func.max(columns.record)).where(wanted).group_by(columns.source)
            found |= {int(source): int(last) for source, last in connection.execute(query)}
    return found


def first_object(raw: bytes) -> Record | None:
    """What the client takes from a line: its first JSON object, or nothing."""
    text = raw.strip(b"\x00 \t\r\n").removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    try:
        value, _ = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if not is_obj(value):
        return None
    return cleaned(value) if "\\ud" in text or "\\uD" in text else value


def cleaned(value: Any) -> Any:
    """The value with lone surrogates in its texts replaced by U+FFFD."""
    if isinstance(value, str):
        return clean(value)
    if is_obj(value):
        return {clean(key): cleaned(part) for key, part in value.items()}
    return [cleaned(part) for part in value] if is_rows(value) else value


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
    message = obj(record.get("message"))
    if node.type == "assistant":
        node.message_id = _text(message.get("id"))
    for block in map(obj, rows(message.get("content"))):
        if block.get("type") == "tool_result":
            node.results = (*node.results, str(block.get("tool_use_id")))
    node.summary = record.get("isCompactSummary") is True
    if record.get("subtype") == "compact_boundary":
        node.cuts = True
        node.logical_parent = _text(record.get("logicalParentUuid"))
        _kept(node, record.get("compactMetadata"))


def _kept(node: Node, metadata: Any) -> None:
    messages = obj(obj(metadata).get("preservedMessages"))
    segment = obj(obj(metadata).get("preservedSegment"))
    node.preserved = tuple(texts(messages.get("uuids")))
    node.anchor = _text(messages.get("anchorUuid"))
    if segment:
        node.segment = (_text(segment.get("headUuid")), _text(segment.get("tailUuid")))
        node.anchor = node.anchor or _text(segment.get("anchorUuid"))
