"""Events that no transcript file holds (a session went on here) in the shape of the client's records."""

from __future__ import annotations

from typing import Any

from ...events.event import Event
from ...events.importers.claude_code.shape import is_rows, obj
from ...events.times import to_iso

Record = dict[str, Any]


def records_of_live(events: list[Event], before: list[Record]) -> list[Record]:
    """Records for the live events that a model sees, chained behind the last record of the imported part."""
    parent = next((record["uuid"] for record in reversed(before) if _links(record)), None)
    records: list[Record] = []
    for event in events:
        message = _message(event)
        if message is None:
            continue
        record: Record = {
            "type": message["role"],
            "uuid": event.event_id,
            "parentUuid": parent,
            "isSidechain": False,
            "timestamp": to_iso(event.ts),
            "message": message,
        }
        parent = event.event_id
        records.append(record)
    return records


def _links(record: Record) -> bool:
    return isinstance(record.get("uuid"), str) and record.get("isSidechain") is not True


def _message(event: Event) -> dict[str, Any] | None:
    data = event.data
    if event.kind == "UserInput" and data.get("visible_to_model", True):
        return {"role": "user", "content": [native_block(block) for block in data.get("content", [])]}
    if event.kind == "AssistantMessage" and data.get("visible_to_model", True):
        blocks = [native_block(block) for block in data.get("blocks", [])]
        return {"role": "assistant", "id": data.get("response_id"), "model": data.get("model"), "content": blocks}
    if event.kind == "ToolUse":
        call: Record = {
            "type": "tool_use",
            "id": data["call_id"],
            "name": data["name"],
            "input": data.get("arguments") or {},
        }
        return {"role": "assistant", "id": data.get("response_id"), "model": data.get("model"), "content": [call]}
    if event.kind == "ToolResult":
        content = data.get("content")
        if is_rows(content):
            content = [native_block(block) for block in content]
        result: Record = {"type": "tool_result", "tool_use_id": data["call_id"], "content": content}
        if data.get("is_error"):
            result["is_error"] = True
        return {"role": "user", "content": [result]}
    return None


def native_block(block: dict[str, Any]) -> dict[str, Any]:
    """One of our blocks as an Anthropic block."""
    kind = block.get("type")
    if kind == "thinking" and block.get("redacted"):
        return {"type": "redacted_thinking", "data": block.get("signature") or ""}
    if kind == "thinking":
        signature = block.get("signature")
        thinking = {"type": "thinking", "thinking": block.get("thinking", "")}
        return {**thinking, "signature": signature} if signature else thinking
    if kind in ("image", "document") and block.get("data") is not None:
        source = {"type": "base64", "media_type": block.get("media_type"), "data": block["data"]}
        return {"type": kind, "source": source}
    if kind in ("image", "document") and block.get("url") is not None:
        return {"type": kind, "source": {"type": "url", "url": block["url"]}}
    if kind == "other":
        return obj(block.get("value")) or {"type": "text", "text": ""}
    return {key: value for key, value in block.items() if value is not None}
