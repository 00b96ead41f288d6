"""Message content as our blocks: short values in place, long ones as references into the record."""

from __future__ import annotations

from typing import Any

from .record import Record
from .shape import obj, rows, text


def blocks_at(record: Record, *path: str | int) -> list[dict[str, Any]]:
    """The blocks of the content at a path: a text, or a list of texts and blocks."""
    content = _value(record, path)
    if isinstance(content, str):
        return [{"type": "text", "text": record.text_at(*path)}]
    return [block_at(record, *path, number) for number, block in enumerate(rows(content)) if not is_stray(block)]


def is_stray(block: Any) -> bool:
    """Whether a block is a whole record that damage left inside another one's content."""
    value = obj(block)
    return "uuid" in value and ("sessionId" in value or "parentUuid" in value)


def block_at(record: Record, *path: str | int) -> dict[str, Any]:
    """One block, as far as it is of a kind we know, else `other` with its value."""
    value = _value(record, path)
    if isinstance(value, str):
        return {"type": "text", "text": record.text_at(*path)}
    block = obj(value)
    kind = block.get("type")
    if kind == "text":
        return {"type": "text", "text": record.text_at(*path, "text")}
    if kind == "thinking":
        thinking: dict[str, Any] = {"type": "thinking", "thinking": record.text_at(*path, "thinking")}
        if text(block.get("signature")):
            thinking["signature"] = record.at(*path, "signature")
        return thinking
    if kind == "redacted_thinking":
        return {"type": "thinking", "redacted": True, "signature": record.text_at(*path, "data")}
    if kind in ("image", "document"):
        found = _media(record, str(kind), block, path)
        if found is not None:
            return found
    other: dict[str, Any] = {"type": "other", "value": record.at(*path)}
    if isinstance(kind, str):
        other["native_type"] = kind
    return other


def _media(record: Record, kind: str, block: dict[str, Any], path: tuple[str | int, ...]) -> dict[str, Any] | None:
    source = obj(block.get("source"))
    made: dict[str, Any] = {"type": kind}
    if text(source.get("media_type")):
        made["media_type"] = source["media_type"]
    if kind == "document" and text(block.get("title")):
        made["title"] = record.at(*path, "title")
    if source.get("type") == "base64" and isinstance(source.get("data"), str):
        return {**made, "data": record.text_at(*path, "source", "data")}
    if source.get("type") == "url" and isinstance(source.get("url"), str):
        return {**made, "url": record.text_at(*path, "source", "url")}
    if source.get("type") == "text" and isinstance(source.get("data"), str) and kind == "document":
        return {**made, "text": record.text_at(*path, "source", "data")}
    return None


def first_text(content: Any) -> str:
    """The first text in message content that is not empty."""
    if isinstance(content, str):
        return content
    for block in rows(content):
        found = (
            block if isinstance(block, str) else obj(block).get("text") if obj(block).get("type") == "text" else None
        )
        if isinstance(found, str) and found.strip():
            return found
    return ""


def all_text(content: Any) -> str:
    """All texts in message content, one after the other."""
    if isinstance(content, str):
        return content
    found = [block if isinstance(block, str) else obj(block).get("text") for block in rows(content)]
    return "\n".join(part for part in found if isinstance(part, str))


def _value(record: Record, path: tuple[str | int, ...]) -> Any:
    from ...references import follow

    return follow(record.value, path)
