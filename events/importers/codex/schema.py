"""Which response items the client takes: one that does not fit its schema is dropped whole (codex-resume-rules.md I2 to I4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .shapes import is_list, is_object

Item = dict[str, Any]

_PARTS: dict[str, str] = {
    "input_text": "text",
    "output_text": "text",
    "input_image": "image_url",
    "input_audio": "audio_url",
}
_OUTPUT_PARTS = {
    "input_text": "text",
    "input_image": "image_url",
    "input_audio": "audio_url",
    "encrypted_content": "encrypted_content",
}
_PHASES = (None, "commentary", "final_answer")
STRIPPED = ("ghost_snapshot", "compaction_trigger")


def accepted(item: Any) -> bool:
    """Whether the item is of a known type and fits its schema."""
    if not is_object(item) or not _text_or_absent(item.get("id")):
        return False
    check = _CHECKS.get(str(item.get("type")))
    return check is not None and check(item)


def known(item: Any) -> bool:
    """Whether the item's type is one that enters history (else it is stripped, also inside a replacement)."""
    return is_object(item) and str(item.get("type")) in _CHECKS


def _text_or_absent(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _parts(value: Any, known_parts: dict[str, str]) -> bool:
    if not is_list(value):
        return False
    return all(
        is_object(part)
        and str(part.get("type")) in known_parts
        and isinstance(part.get(known_parts[str(part["type"])]), str)
        for part in value
    )


def _message(item: Item) -> bool:
    return isinstance(item.get("role"), str) and _parts(item.get("content"), _PARTS) and item.get("phase") in _PHASES


def _agent_message(item: Item) -> bool:
    parts = {"input_text": "text", "encrypted_content": "encrypted_content"}
    return (
        isinstance(item.get("author"), str)
        and isinstance(item.get("recipient"), str)
        and _parts(item.get("content"), parts)
    )


def _reasoning(item: Item) -> bool:
    return _parts(item.get("summary"), {"summary_text": "text"}) and _text_or_absent(item.get("encrypted_content"))


def _function_call(item: Item) -> bool:
    return all(isinstance(item.get(name), str) for name in ("name", "arguments", "call_id"))


def _custom_call(item: Item) -> bool:
    return all(isinstance(item.get(name), str) for name in ("name", "input", "call_id"))


def _shell_call(item: Item) -> bool:
    action = item.get("action")
    if not is_object(action) or not isinstance(item.get("status"), str):
        return False
    command = action.get("command")
    return is_list(command) and all(isinstance(word, str) for word in command)


def _output(item: Item) -> bool:
    output = item.get("output")
    return isinstance(item.get("call_id"), str) and (isinstance(output, str) or _parts(output, _OUTPUT_PARTS))


def _search_call(item: Item) -> bool:
    return isinstance(item.get("execution"), str) and "arguments" in item


def _search_output(item: Item) -> bool:
    return isinstance(item.get("execution"), str) and isinstance(item.get("status"), str) and is_list(item.get("tools"))


def _encrypted(item: Item) -> bool:
    return isinstance(item.get("encrypted_content"), str)


def _anything(item: Item) -> bool:
    return bool(item)


def _image_call(item: Item) -> bool:
    return isinstance(item.get("status"), str) and isinstance(item.get("result"), str)


_CHECKS: dict[str, Callable[[Item], bool]] = {
    "message": _message,
    "agent_message": _agent_message,
    "reasoning": _reasoning,
    "function_call": _function_call,
    "function_call_output": _output,
    "custom_tool_call": _custom_call,
    "custom_tool_call_output": _output,
    "local_shell_call": _shell_call,
    "tool_search_call": _search_call,
    "tool_search_output": _search_output,
    "web_search_call": _anything,
    "image_generation_call": _image_call,
    "compaction": _encrypted,
    "compaction_summary": _encrypted,
    "context_compaction": _anything,
    "additional_tools": _anything,
}
