"""Messages for Anthropic's Messages API (2023-06-01): roles alternate, results stand first, thinking only of the same model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .family import family_of
from .restored import Message
from .wire_values import EMPTY, arguments_object, other_text, plain_id, plain_name

Wire = dict[str, Any]
MAX_NAME_CHARS = 128
START = "(The conversation so far began with a reply.)"


def anthropic_messages(messages: Iterable[Message], *, source: str, model: str | None) -> list[Wire]:
    """The list for `messages=`; what a system or developer role said becomes user text, since the API has no such turns."""
    made: list[Wire] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        keeps = role == "assistant" and _may_think(message, source, model)
        content = [part for block in message.content for part in _block(block, keeps)]
        if not content:
            continue
        if made and made[-1]["role"] == role:
            made[-1]["content"] += content
        else:
            made.append({"role": role, "content": content})
    for wire in made:
        wire["content"] = _ordered(wire)
    if made and made[0]["role"] == "assistant":
        made.insert(0, {"role": "user", "content": [{"type": "text", "text": START}]})
    return made


def _may_think(message: Message, source: str, model: str | None) -> bool:
    """Signed thinking is bound to the model that made it."""
    if family_of(message.provider, message.model, source) != "anthropic":
        return False
    return model is not None and message.model == model


def _ordered(wire: Wire) -> list[Wire]:
    """Results before anything else; calls of a merged reply after its texts."""
    first, last = ("tool_result", None) if wire["role"] == "user" else (None, "tool_use")
    blocks: list[Wire] = wire["content"]
    return sorted(blocks, key=lambda block: -1 if block["type"] == first else 1 if block["type"] == last else 0)


def _block(block: Any, keeps_thinking: bool) -> list[Wire]:
    kind = block.type
    if kind == "text":
        return [{"type": "text", "text": block.text}] if str(block.text).strip() else []
    if kind == "thinking":
        if not keeps_thinking:
            return []
        if block.redacted:
            return [{"type": "redacted_thinking", "data": block.signature}]
        return [{"type": "thinking", "thinking": block.thinking, "signature": block.signature}]
    if kind == "tool_use":
        if block.call_type == "server":
            return []
        return [
            {
                "type": "tool_use",
                "id": plain_id(block.id),
                "name": plain_name(block.name, MAX_NAME_CHARS),
                "input": arguments_object(block.input),
            }
        ]
    if kind == "tool_result":
        return [_result(block)]
    return _attached(block)


def _result(block: Any) -> Wire:
    content = block.content
    if isinstance(content, str):
        told: Any = content
    else:
        told = [part for item in content for part in _block(item, False)]
    wire: Wire = {"type": "tool_result", "tool_use_id": plain_id(block.tool_use_id), "content": told}
    if block.is_error:
        wire["is_error"] = True
        if not told:
            wire["content"] = EMPTY
    return wire


def _attached(block: Any) -> list[Wire]:
    if block.type == "image":
        if block.data is not None:
            source = {"type": "base64", "media_type": block.media_type or "image/png", "data": block.data}
            return [{"type": "image", "source": source}]
        if str(block.url).startswith(("https://", "http://")):
            return [{"type": "image", "source": {"type": "url", "url": block.url}}]
        return [{"type": "text", "text": "[image left out: its place cannot be reached]"}]
    if block.type == "document":
        return [_document(block)]
    return [{"type": "text", "text": other_text(block)}]


def _document(block: Any) -> Wire:
    if block.data is not None:
        source: Wire = {"type": "base64", "media_type": block.media_type or "application/pdf", "data": block.data}
    elif block.text is not None:
        source = {"type": "text", "media_type": "text/plain", "data": block.text}
    elif block.url is not None:
        source = {"type": "url", "url": block.url}
    else:
        return {"type": "text", "text": f"[document {block.title or ''} left out: it has no content]"}
    wire: Wire = {"type": "document", "source": source}
    if block.title:
        wire["title"] = block.title
    return wire
