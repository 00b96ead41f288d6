"""Messages for OpenAI's Chat Completions API and its look-alikes: calls on the reply, one `tool` message per call behind it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .restored import Message
from .wire_values import EMPTY, arguments_text, other_text, plain_name, short_id

Wire = dict[str, Any]


def chat_messages(messages: Iterable[Message]) -> list[Wire]:
    """The list for `messages=`; reasoning has no place there. Pictures of a result follow it as user content."""
    listed = list(messages)
    made: list[Wire] = []
    for message in listed:
        if message.role == "assistant":
            reply = _reply(message)
            if reply is not None:
                made.append(reply)
        else:
            made += _answers(message)
    return _together(made)


def _reply(message: Message) -> Wire | None:
    texts = [_text(block) for block in message.content if block.type not in ("thinking", "tool_use")]
    text = "\n\n".join(part for part in texts if part.strip())
    calls = [
        {
            "id": short_id(block.id),
            "type": "function",
            "function": {"name": plain_name(block.name), "arguments": arguments_text(block.input)},
        }
        for block in message.content
        if block.type == "tool_use" and block.call_type != "server"
    ]
    if not text and not calls:
        return None
    wire: Wire = {"role": "assistant", "content": text or None}
    if calls:
        wire["tool_calls"] = calls
    return wire


def _answers(message: Message) -> list[Wire]:
    made: list[Wire] = []
    beside: list[Wire] = []
    for block in message.content:
        if block.type == "tool_result":
            text, pictures = _result(block)
            made.append({"role": "tool", "tool_call_id": short_id(block.tool_use_id), "content": text})
            beside += pictures
        else:
            beside += _part(block)
    if beside:
        texts = all(part["type"] == "text" for part in beside)
        content: Any = "\n\n".join(part["text"] for part in beside) if texts else beside
        role = message.role if texts else "user"
        made.append({"role": role, "content": content})
    return made


def _together(made: list[Wire]) -> list[Wire]:
    """Replies that follow each other are one, so that strict look-alikes accept the list."""
    found: list[Wire] = []
    for wire in made:
        last = found[-1] if found else None
        if last is not None and last["role"] == wire["role"] == "assistant" and "tool_calls" not in last:
            texts = [part for part in (last["content"], wire["content"]) if part]
            found[-1] = {**wire, "content": "\n\n".join(texts) or None}
        else:
            found.append(wire)
    return found


def _result(block: Any) -> tuple[str, list[Wire]]:
    if isinstance(block.content, str):
        return block.content or EMPTY, []
    texts = [_text(item) for item in block.content if item.type != "image"]
    pictures = [part for item in block.content if item.type == "image" for part in _part(item)]
    return "\n".join(text for text in texts if text) or EMPTY, pictures


def _text(block: Any) -> str:
    if block.type == "text":
        return str(block.text)
    if block.type == "document":
        return block.text if isinstance(block.text, str) else f"[document {block.title or ''}]"
    if block.type == "image":
        return "[image]"
    return other_text(block)


def _part(block: Any) -> list[Wire]:
    if block.type == "image":
        url = block.url if block.data is None else f"data:{block.media_type or 'image/png'};base64,{block.data}"
        return [{"type": "image_url", "image_url": {"url": url}}]
    text = _text(block)
    return [{"type": "text", "text": text}] if text.strip() else []
