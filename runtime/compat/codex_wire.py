"""The last step before the request: every call gets an output, outputs without a call go (codex-resume-rules.md, section 6)."""

from __future__ import annotations

import uuid
from typing import Any

Item = dict[str, Any]
_NAMESPACE = uuid.UUID("90d38d3e-6a5b-4d52-bfe2-2f1e634bfac4")
_FAMILY = {
    "function_call": "function",
    "local_shell_call": "function",
    "function_call_output": "function",
    "custom_tool_call": "custom",
    "custom_tool_call_output": "custom",
    "tool_search_call": "search",
    "tool_search_output": "search",
}
_PREFIX = {"function": "fco", "custom": "ctco", "search": "tso"}


def paired(history: list[Item]) -> list[Item]:
    """The history with missing outputs made up next to their calls and orphans removed; the order is not repaired."""
    calls = {(family, call_id) for item in history if _is_call(item) for family, call_id in [_key(item)]}
    outputs = {_key(item) for item in history if _is_output(item)}
    wire: list[Item] = []
    for item in history:
        if _is_output(item) and not _keeps(item) and _key(item) not in calls:
            continue
        wire.append(item)
        if _is_call(item) and isinstance(item.get("call_id"), str) and _key(item) not in outputs:
            wire.append(_made_up(item))
    return wire


def _key(item: Item) -> tuple[str, Any]:
    call_id = item.get("call_id")
    return _FAMILY[str(item["type"])], call_id if isinstance(call_id, str | None) else str(call_id)


def _is_output(item: Item) -> bool:
    return item.get("type") in ("function_call_output", "custom_tool_call_output", "tool_search_output")


def _is_call(item: Item) -> bool:
    return str(item.get("type")) in _FAMILY and not _is_output(item)


def _keeps(item: Item) -> bool:
    return item.get("type") == "tool_search_output" and (
        item.get("execution") == "server" or not isinstance(item.get("call_id"), str)
    )


def _made_up(call: Item) -> Item:
    family, call_id = _key(call)
    prefix = _PREFIX[family]
    item_id = call.get("id")
    named = {"id": f"{prefix}_{uuid.uuid5(_NAMESPACE, f'{prefix}:{item_id}')}"} if item_id else {}
    if family == "search":
        return {
            "type": "tool_search_output",
            **named,
            "call_id": call_id,
            "status": "completed",
            "execution": "client",
            "tools": [],
        }
    kind = "custom_tool_call_output" if family == "custom" else "function_call_output"
    return {"type": kind, **named, "call_id": call_id, "output": "aborted"}
