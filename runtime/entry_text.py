"""The text of an event for a reader: what was said, the call with its arguments, the whole result."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..events.event import Event

Data = dict[str, Any]


def entry_text(event: Event) -> str:
    """The text of a hydrated event of a kind in SHOWN; empty for the others."""
    make = SHOWN.get(event.kind)
    return "" if make is None else make(event.data)


def thinking_text(event: Event) -> str | None:
    """The readable thinking of a reply, None when there is none."""
    blocks = event.data.get("blocks") or ()
    texts = [str(block["thinking"]) for block in blocks if block.get("type") == "thinking" and block.get("thinking")]
    return "\n".join(texts) or None


def blocks_text(content: Any) -> str:
    """Text of a content that is a text or a list of blocks; pictures and documents as a word in brackets."""
    if isinstance(content, str):
        return content
    parts = (_block_text(block) for block in content or ())
    return "\n".join(part for part in parts if part)


def _block_text(block: Data) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text") or "")
    if kind == "thinking":
        return ""
    if kind in ("image", "document"):
        return f"[{kind} {block.get('title') or block.get('media_type') or ''}]".replace(" ]", "]")
    if kind == "tool_result":
        return blocks_text(block.get("content"))
    return f"[{block.get('native_type') or kind}]"


def _call(data: Data) -> str:
    arguments = data.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return f"{data.get('name')} {text}" if arguments is not None else str(data.get("name"))


def _compaction(data: Data) -> str:
    if data.get("micro"):
        return "Old tool results were cleared from the context"
    return str(data.get("summary") or "The context was compacted")


def _rewound(data: Data) -> str:
    scope = data.get("scope", "conversation")
    if data.get("to_position") is not None:
        return f"Went back to position {data['to_position']} ({scope})"
    if data.get("turns"):
        return f"Went back {data['turns']} turn(s)"
    return f"Took back {len(data.get('retracted') or ())} message(s)"


def _started(data: Data) -> str:
    if data.get("forked_from"):
        return f"Forked from {data['forked_from']}"
    return " ".join(str(data[name]) for name in ("source", "client_version", "cwd") if data.get(name))


def _todos(data: Data) -> str:
    items = [*(data.get("items") or ()), *(data.get("created") or ()), *(data.get("changed") or ())]
    return "\n".join(f"[{item.get('status') or ' '}] {item.get('content') or item.get('id')}" for item in items)


def _unrecognized(data: Data) -> str:
    if data.get("damage"):
        return f"Damaged record on line {data.get('line')}: {data['damage']}"
    return f"Record of unknown type {data.get('type')}"


def _queued(data: Data) -> str:
    text = data.get("content") or data.get("text") or ""
    return f"{data.get('operation')}: {text}" if text else str(data.get("operation"))


def _run_ended(data: Data) -> str:
    return f"{data.get('status')} {data.get('reason') or ''}".strip()


SHOWN: dict[str, Callable[[Data], str]] = {
    "SessionStarted": _started,
    "UserInput": lambda data: blocks_text(data.get("content")),
    "AssistantMessage": lambda data: blocks_text(data.get("blocks")),
    "ToolUse": _call,
    "ToolResult": lambda data: blocks_text(data.get("content")),
    "TodoSnapshot": _todos,
    "PlanSnapshot": lambda data: str(data.get("text") or data.get("status") or ""),
    "QueuedInput": _queued,
    "ApprovalRequested": lambda data: str(data.get("reason") or data.get("tool") or ""),
    "ApprovalResolved": lambda data: str(data.get("decision") or ""),
    "ContextCompact": _compaction,
    "Rewound": _rewound,
    "RunEnded": _run_ended,
    "Subagent": lambda data: str(data.get("description") or data.get("name") or data.get("agent_id") or ""),
    "Worktree": lambda data: f"{data.get('operation')} {data.get('path') or ''}".strip(),
    "SessionLabel": lambda data: str(data.get("title") or data.get("tag") or ""),
    "Unrecognized": _unrecognized,
}
"""Kinds that a reader sees, and how."""
