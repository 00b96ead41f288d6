"""The first client's sessions: one JSON document with a header and a list of items, rewritten as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...event import Draft
from ...times import to_us
from .batch import Batch
from .items import emit_item
from .memory import Memory
from .session import emit_meta
from .shapes import is_list, is_object

OUTDATED = "The file has a form of 2025; today's Codex does not find or read it."


def is_header(value: Any) -> bool:
    """Whether the JSON value is such a document."""
    return (
        is_object(value)
        and is_object(value.get("session"))
        and isinstance(value["session"].get("id"), str)
        and is_list(value.get("items"))
    )


def document_drafts(file_id: str, memory: Memory, value: dict[str, Any], session_id: str) -> list[Draft]:
    """All events of the document. Ids are made from the item's number, so that a longer document adds the rest only."""
    return [draft for batch in _batches(file_id, memory, value, session_id) for draft in batch.drafts]


def _batches(file_id: str, memory: Memory, value: dict[str, Any], session_id: str) -> Iterator[Batch]:
    started = to_us(value["session"].get("timestamp"))
    header = Batch(file_id, "session", value, ("session",), started)
    emit_meta(header, memory, {**value["session"], "originator": "codex-cli"}, session_id)
    header.remark("format-outdated", OUTDATED)
    yield header
    for number, item in enumerate(value["items"]):
        batch = Batch(file_id, f"item-{number}", value, ("items", number), None)
        if is_object(item):
            emit_item(batch, memory, item)
        if not batch.drafts:
            batch.add("Unrecognized", type="item")
        yield batch
