"""Would the client read the exported records as we restore the session? Its own rules are applied to them before
they go out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...events.references import clean
from ..compat.claude_code import render_records
from ..compat.codex import render_lines
from ..compat.codex_lines import RolloutLine, lines_of
from ..spoken import Spoken
from .transcript import Transcript, list_of, object_of


def claude_reads_all(transcript: Transcript, expected: list[Spoken]) -> bool:
    """Whether Claude Code finds every call, every result and every text of ours in the transcript."""
    records = [json.loads(line) for line in transcript.lines]
    messages = render_records(records, None, len(transcript.content()))
    found = Counter(_ids_of_messages(messages))
    wanted = Counter(_ids_of_spoken(expected))
    if wanted - found:
        return False
    text = clean("\n".join(_texts(messages)))
    return all(clean(said).strip() in text for said in _said(expected))


def codex_reads_all(transcript: Transcript, expected: list[Spoken]) -> bool:
    """The same for Codex: whether its replay of the rollout holds them all."""
    lines = [RolloutLine(kind, payload, 0) for line in transcript.lines for kind, payload in lines_of(json.loads(line))]
    items = render_lines(lines, None, transcript.session_id)
    if Counter(_ids_of_spoken(expected)) - Counter(_ids_of_items(items)):
        return False
    parts = [object_of(part) for item in items for part in list_of(item.get("content"))]
    text = clean("\n".join(str(part.get("text") or "") for part in parts))
    return all(clean(said).strip() in text for said in _said(expected))


def _ids_of_items(items: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for item in items:
        kind = str(item.get("type"))
        if kind.endswith("_call"):
            yield "tool_use", str(item.get("call_id") or item.get("id"))
        elif kind.endswith("_output"):
            yield "tool_result", str(item.get("call_id"))


def _ids_of_messages(messages: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for message in messages:
        for block in map(object_of, list_of(message["content"])):
            if block.get("type") in ("tool_use", "tool_result"):
                yield block["type"], str(block.get("id") or block.get("tool_use_id"))


def _ids_of_spoken(expected: list[Spoken]) -> Iterator[tuple[str, str]]:
    for message in expected:
        for block in message.blocks:
            if block.get("type") in ("tool_use", "tool_result") and not block.get("answered"):
                yield block["type"], str(block.get("id") or block.get("tool_use_id"))


def _texts(messages: list[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        content = message["content"]
        if isinstance(content, str):
            yield content
            continue
        for block in content:
            if block.get("type") == "text":
                yield str(block.get("text"))


def _said(expected: list[Spoken]) -> Iterator[str]:
    """Replies and a person's own inputs; what a repair added is not in the records."""
    for message in expected:
        if not message.synthesized and (message.role == "assistant" or message.origin == "human"):
            yield from (str(block.get("text") or "") for block in message.of_type("text"))
