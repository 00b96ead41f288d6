"""Assistant records: text and thinking, calls, what the reply cost, and what the calls already prove."""

from __future__ import annotations

from typing import Any

from .calls import call_facts
from .content import block_at, first_text, is_stray
from .memory import Memory
from .record import Record, shown
from .shape import obj, rows, text
from .usage import cost_event

SYNTHETIC = "<synthetic>"


def assistant_events(record: Record, memory: Memory) -> None:
    """AssistantMessage for text and thinking, ToolUse for each call, in the order of the blocks; then Cost."""
    message = record.message
    content = message.get("content")
    waiting: list[dict[str, Any]] = []
    calls: list[tuple[int, dict[str, Any]]] = []
    blocks: list[Any] = [content] if isinstance(content, str) else rows(content)
    said = False
    for number, block in enumerate(blocks):
        if is_stray(block):
            continue
        kind = obj(block).get("type")
        path = ("message", "content") if isinstance(content, str) else ("message", "content", number)
        if kind == "tool_use":
            if waiting:
                said = _say(record, waiting)
                waiting = []
            _call(record, number, obj(block))
            calls.append((number, obj(block)))
        elif kind == "fallback":
            fallback = {"from": obj(obj(block).get("from")).get("model"), "to": obj(obj(block).get("to")).get("model")}
            calls.append((-1, fallback))
        else:
            waiting.append(block_at(record, *path))
    if waiting or not (said or calls):
        _say(record, waiting)
    _after(record, memory, calls)


def _after(record: Record, memory: Memory, calls: list[tuple[int, dict[str, Any]]]) -> None:
    for number, call in calls:
        if number < 0:
            record.add("Notice", subtype="model-fallback", value=call)
        else:
            call_facts(record, memory, ("message", "content", number), call)
    cost_event(record)
    effort = text(record.value.get("effort"))
    if effort is not None and effort != memory.effort and record.lane is None:
        record.add("AgentMetadata", effort=effort)
        memory.effort = effort


def _reply(record: Record) -> dict[str, Any]:
    message = record.message
    return {
        "response_id": text(message.get("id")),
        "request_id": text(record.value.get("requestId")),
        "model": text(message.get("model")),
        "stop_reason": text(message.get("stop_reason")),
    }


def _say(record: Record, blocks: list[dict[str, Any]]) -> bool:
    synthetic = record.message.get("model") == SYNTHETIC
    error = bool(record.value.get("isApiErrorMessage"))
    hidden = error or bool(record.value.get("isVirtual"))
    record.add(
        "AssistantMessage",
        **_reply(record),
        blocks=blocks,
        synthetic=synthetic or None,
        error=error or None,
        visible_to_model=False if hidden else None,
        preview=shown(first_text(record.message.get("content"))) or None,
    )
    return True


def _call(record: Record, number: int, block: dict[str, Any]) -> None:
    call_id = text(block.get("id")) or f"{record.uuid or 'call'}-{number}"
    name = block.get("name")
    record.add(
        "ToolUse",
        **_reply(record),
        call_id=call_id,
        name=name if isinstance(name, str) else "",
        arguments=record.at("message", "content", number, "input"),
        preview=_preview(obj(block.get("input"))) or None,
    )


def _preview(arguments: dict[str, Any]) -> str:
    for key in ("command", "file_path", "notebook_path", "pattern", "query", "url", "description", "prompt", "path"):
        if text(arguments.get(key)):
            return shown(arguments[key])
    return shown(next((value for value in arguments.values() if isinstance(value, str)), ""))
