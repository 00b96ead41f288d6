"""Input items of the Responses API as facts of ours, so that folds and readers know what an SDK session said and did."""

from __future__ import annotations

from typing import Any

from ...events.blocks import TextBlock, ThinkingBlock
from ...events.kinds import AssistantMessage, Fact, ToolResult, ToolUse, UserInput
from ...events.references import preview
from ..live.json_shapes import is_list, is_object
from ..live.tools import parsed_arguments

Item = dict[str, Any]


def plain_item(item: Any) -> Item:
    """An item as plain JSON, whether it came as a dict or as an object of the SDK."""
    if is_object(item):
        return dict(item)
    if hasattr(item, "model_dump"):
        made = item.model_dump(mode="json", exclude_unset=True)
        return dict(made)
    raise TypeError(f"{type(item).__name__} is no item")


def fact_of(item: Item) -> Fact | None:
    """What an item says, None for a kind that we keep as it is only."""
    kind = item.get("type") or "message"
    if kind == "message" or "role" in item:
        return _message(item)
    if kind == "function_call":
        arguments = str(item.get("arguments") or "")
        return ToolUse(
            call_id=str(item["call_id"]),
            name=str(item["name"]),
            arguments=parsed_arguments(arguments),
            item_id=item.get("id"),
            preview=preview(arguments),
            provider="openai",
        )
    if kind == "function_call_output":
        text = _text(item.get("output"))
        return ToolResult(call_id=str(item["call_id"]), content=text, preview=preview(text))
    if kind == "reasoning":
        summary = "\n\n".join(str(part.get("text", "")) for part in item.get("summary") or () if is_object(part))
        block = ThinkingBlock(thinking=summary, signature=item.get("encrypted_content"), item_id=item.get("id"))
        return AssistantMessage(blocks=[block], provider="openai")
    return None


def _message(item: Item) -> Fact:
    role = item.get("role", "user")
    text = _text(item.get("content"))
    if role == "assistant":
        blocks = [TextBlock(text=text)] if text else []
        return AssistantMessage(blocks=list(blocks), preview=preview(text), provider="openai")
    human = role == "user"
    return UserInput.model_validate(
        {
            "content": _blocks(item.get("content")),
            "role": role if role in ("user", "developer", "system") else "user",
            "origin": "human" if human else "context",
            "starts_turn": human,
            "preview": preview(text),
        }
    )


def _blocks(content: Any) -> list[dict[str, Any]]:
    if not is_list(content):
        return [{"type": "text", "text": _text(content)}]
    blocks: list[dict[str, Any]] = []
    for part in content:
        if part.get("type") in ("input_text", "output_text", "text"):
            blocks.append({"type": "text", "text": str(part.get("text", ""))})
        elif part.get("type") == "input_image" and part.get("image_url"):
            blocks.append({"type": "image", "url": str(part["image_url"])})
        else:
            blocks.append({"type": "other", "native_type": str(part.get("type")), "value": part})
    return blocks


def _text(content: Any) -> str:
    if is_list(content):
        return "\n".join(str(part.get("text", "")) for part in content if is_object(part) and part.get("text"))
    return "" if content is None else str(content)
