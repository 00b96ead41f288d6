"""Events that were added after the import, as the rollout lines that the client would have written for them."""

from __future__ import annotations

import json
from typing import Any

from ...events.event import Event
from ...events.importers.codex.shapes import list_of

Lines = list[tuple[str, dict[str, Any]]]


def line_of(event: Event) -> Lines:
    """The lines of one hydrated event without a native record; most kinds give none."""
    data = event.data
    match event.kind:
        case "UserInput" if data.get("visible_to_model", True):
            role = data.get("role", "user")
            return [_message(role, [part for block in data.get("content", []) for part in _part(block, "input_text")])]
        case "AssistantMessage" if data.get("visible_to_model", True):
            return _reply(data)
        case "ToolUse":
            return [("response_item", _call(data))]
        case "ToolResult":
            return [("response_item", _result(data))]
        case "Rewound" if data.get("turns"):
            return [("event_msg", {"type": "thread_rolled_back", "num_turns": data["turns"]})]
        case "RunStarted":
            return [("event_msg", {"type": "task_started", "turn_id": data.get("turn_id") or data.get("run_id")})]
        case "RunEnded":
            return [("event_msg", {"type": "task_complete", "turn_id": data.get("turn_id") or data.get("run_id")})]
        case "ContextCompact" if data.get("summary") and not data.get("micro"):
            return [("compacted", {"message": data["summary"]})]
        case _:
            return []


def _message(role: str, content: list[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    return "response_item", {"type": "message", "role": role, "content": content}


def _part(block: dict[str, Any], text_type: str) -> list[dict[str, Any]]:
    if block.get("type") == "text":
        return [{"type": text_type, "text": block["text"]}]
    if block.get("type") == "image":
        url = block.get("url") or f"data:{block.get('media_type') or 'image/png'};base64,{block.get('data')}"
        return [{"type": "input_image", "image_url": url}]
    return []


def _reply(data: dict[str, Any]) -> Lines:
    lines: Lines = []
    for block in data.get("blocks", []):
        if block.get("type") == "thinking" and block.get("signature"):
            text = block.get("thinking")
            summary = [{"type": "summary_text", "text": text}] if text else []
            item: dict[str, Any] = {"type": "reasoning", "summary": summary, "encrypted_content": block["signature"]}
            lines.append(("response_item", {**item, **({"id": block["item_id"]} if block.get("item_id") else {})}))
        else:
            lines += [_message("assistant", [part]) for part in _part(block, "output_text")]
    return lines


def _call(data: dict[str, Any]) -> dict[str, Any]:
    arguments = data.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    if data.get("call_type") == "custom":
        return {"type": "custom_tool_call", "call_id": data["call_id"], "name": data["name"], "input": text}
    return {"type": "function_call", "call_id": data["call_id"], "name": data["name"], "arguments": text}


def _result(data: dict[str, Any]) -> dict[str, Any]:
    content = data.get("content")
    blocks: list[Any] = list_of(content)
    output = content if isinstance(content, str) else [part for block in blocks for part in _part(block, "input_text")]
    kind = "custom_tool_call_output" if data.get("call_type") == "custom" else "function_call_output"
    return {"type": kind, "call_id": data["call_id"], "output": output}
