"""Input items for OpenAI's Responses API: every call directly followed by its output, reasoning only before what it led to."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from .family import family_of
from .restored import Message
from .wire_values import EMPTY, arguments_text, other_text, plain_name, short_id

Item = dict[str, Any]
OPAQUE = ("compaction", "compaction_summary", "context_compaction", "tool_search_output")
_CLIENT_FIELDS = ("internal_chat_message_metadata_passthrough",)


def response_items(messages: Iterable[Message], *, source: str, model: str | None, provider: str | None) -> list[Item]:
    """The list for `input=`. Reasoning is sent with its encrypted content only, and only to the provider family it came from."""
    target = family_of(provider, model, "" if provider or model else source)
    listed = list(messages)
    outputs = _outputs(listed)
    items: list[Item] = []
    for message in listed:
        if message.role == "assistant":
            same = target == "openai" and family_of(message.provider, message.model, source) == "openai"
            items += _reply(message, outputs, keeps_reasoning=same and _one_provider(message, provider))
        else:
            content = [part for block in message.content if block.type != "tool_result" for part in _part(block)]
            if content:
                items.append({"type": "message", "role": message.role, "content": content})
    return items


def _one_provider(message: Message, provider: str | None) -> bool:
    return provider is None or message.provider is None or message.provider == provider


def _outputs(messages: list[Message]) -> dict[str, Any]:
    return {
        block.tool_use_id: block for message in messages for block in message.content if block.type == "tool_result"
    }


def _reply(message: Message, outputs: dict[str, Any], *, keeps_reasoning: bool) -> list[Item]:
    """The items of a reply; calls side by side come first and their outputs, in the same order, right behind them."""
    items: list[Item] = []
    reasoning: list[Item] = []
    answers: list[Item] = []
    for block in message.content:
        if block.type == "thinking":
            if keeps_reasoning and isinstance(block.signature, str) and block.signature:
                reasoning.append(_reasoning(block))
            continue
        made = _call(block, outputs) if block.type == "tool_use" else _said(block)
        if keeps_reasoning and block.type in ("other", "tool_use"):
            made = _opaque(block) or made
        if not made:
            continue
        call, answer = made[:1], made[1:]
        if reasoning or not answer:
            items += answers
            answers = []
        items += [*reasoning, *call]
        answers += answer
        reasoning = []
    return [*items, *answers]


def _reasoning(block: Any) -> Item:
    text = block.thinking if isinstance(block.thinking, str) else ""
    summary = [{"type": "summary_text", "text": text}] if text.strip() else []
    item: Item = {"type": "reasoning", "summary": summary, "encrypted_content": block.signature}
    if block.item_id:
        item["id"] = block.item_id
    return item


def _opaque(block: Any) -> list[Item]:
    """Items that only the provider understands go back to it as they came: compactions, its own searches and pictures."""
    given: Any = block.value if block.type == "other" else block.input
    if not isinstance(given, dict):
        return []
    value = cast("Item", given)
    if block.type == "other" and block.native_type in OPAQUE:
        return [{name: part for name, part in value.items() if name not in _CLIENT_FIELDS}]
    if block.type == "tool_use" and block.call_type == "server":
        if value.get("type") == "image_generation_call":
            return [{name: part for name, part in value.items() if name not in _CLIENT_FIELDS}]
        if block.name == "web_search":
            named = {"id": block.id} if block.id.startswith("ws") else {}
            return [{"type": "web_search_call", **named, "status": "completed", "action": value}]
    return []


def _said(block: Any) -> list[Item]:
    if block.type == "text":
        text = block.text
    elif block.type == "image":
        text = "[image]"
    elif block.type == "document":
        text = f"[document {block.title or ''}]"
    else:
        text = other_text(block)
    if not str(text).strip():
        return []
    return [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]


def _call(block: Any, outputs: dict[str, Any]) -> list[Item]:
    """The call and its output; nothing for a call that the provider answers itself."""
    if block.call_type == "server":
        return []
    output = outputs.get(block.id)
    if output is None:
        return []
    named = {"call_id": short_id(block.id), "name": plain_name(block.name)}
    answer = {"call_id": named["call_id"], "output": _output(output)}
    if block.call_type == "custom":
        text = block.input if isinstance(block.input, str) else json.dumps(block.input, ensure_ascii=False)
        return [{"type": "custom_tool_call", **named, "input": text}, {"type": "custom_tool_call_output", **answer}]
    call = {"type": "function_call", **named, "arguments": arguments_text(block.input)}
    return [call, {"type": "function_call_output", **answer}]


def _output(block: Any) -> Any:
    """A text; a list of parts only where the result holds more than text."""
    content = block.content
    if isinstance(content, str):
        return content or EMPTY
    parts = [part for item in content for part in _part(item)]
    if all(part["type"] == "input_text" for part in parts):
        return "\n".join(part["text"] for part in parts) or EMPTY
    return parts


def _part(block: Any) -> list[Item]:
    if block.type == "text":
        return [{"type": "input_text", "text": block.text}] if str(block.text).strip() else []
    if block.type == "image":
        url = block.url if block.data is None else f"data:{block.media_type or 'image/png'};base64,{block.data}"
        return [{"type": "input_image", "image_url": url, "detail": "auto"}]
    if block.type == "document":
        return [_document(block)]
    if block.type == "other" and block.native_type == "encrypted_content":
        return []
    if block.type == "other":
        return [{"type": "input_text", "text": other_text(block)}]
    return []


def _document(block: Any) -> Item:
    if block.text is not None:
        return {"type": "input_text", "text": block.text or EMPTY}
    if block.data is not None:
        data = f"data:{block.media_type or 'application/pdf'};base64,{block.data}"
        return {"type": "input_file", "filename": block.title or "document.pdf", "file_data": data}
    if block.url is not None:
        return {"type": "input_file", "file_url": block.url}
    return {"type": "input_text", "text": f"[document {block.title or ''} left out: it has no content]"}
