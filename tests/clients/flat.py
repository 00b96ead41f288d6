"""A history as a plain list, whoever gives it: a restore of ours, a Responses request, a Messages request."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from rehydrate.runtime.restored import RestoredRuntime

Flat = list[tuple[str, ...]]
PLAN_TOOLS = {"update_plan", "TodoWrite"}
_INJECTED = re.compile(
    r"\s*(<system-reminder>|<environment_context>|<permissions instructions>|<skills_instructions>|<user_instructions>"
    r"|# AGENTS\.md instructions|<collaboration_mode>|<turn_aborted>)"
)
_FILLERS = {"Continue from where you left off.", "No response requested.", "(no content)"}
"""What Claude Code itself puts behind an interrupted turn."""


def restored(runtime: RestoredRuntime) -> Flat:
    """What both clients can be given: texts, pictures, calls and results, without thinking and another client's context."""
    found: Flat = []
    for message in runtime.messages:
        if message.origin == "context" or message.role in ("system", "developer"):
            continue
        for block in message.content:
            found += _block(message.role, block.model_dump(mode="json", exclude_none=True))
    return found


def _block(role: str, block: dict[str, Any]) -> Flat:
    kind = block["type"]
    if kind == "text":
        return _said(role, block["text"])
    if kind == "image":
        return [(role, "image", _digest(block["data"]))]
    if kind == "tool_use":
        return [("assistant", "call", block["id"], block["name"], _arguments(block.get("input")))]
    if kind == "tool_result":
        return [("user", "result", block["tool_use_id"], _text(block["content"]).strip())]
    return []


def responses(request: dict[str, Any]) -> Flat:
    found: Flat = []
    for item in request["input"]:
        kind = item.get("type", "message")
        if kind == "message":
            if item["role"] in ("user", "assistant"):
                found += [entry for part in item["content"] for entry in _part(item["role"], part)]
        elif kind in ("function_call", "custom_tool_call"):
            told = item.get("arguments") or item.get("input")
            found.append(("assistant", "call", item["call_id"], item["name"], _arguments(told)))
        elif kind in ("function_call_output", "custom_tool_call_output"):
            found.append(("user", "result", item["call_id"], _text(item["output"]).strip()))
    return found


def _part(role: str, part: dict[str, Any]) -> Flat:
    if part["type"] == "input_image":
        return [(role, "image", _digest(part["image_url"].partition("base64,")[2]))]
    return _said(role, part["text"])


def messages(request: dict[str, Any]) -> Flat:
    found: Flat = []
    for message in request["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in parts if message["role"] in ("user", "assistant") else ():
            if part["type"] == "image":
                found.append((message["role"], "image", _digest(part["source"]["data"])))
            else:
                found += _block(message["role"], part)
    return found


def _said(role: str, text: str) -> Flat:
    told = text.strip()
    return [] if not told or told in _FILLERS or _INJECTED.match(text) else [(role, "text", told)]


def without_plan(flat: Flat) -> Flat:
    """Calls of the plan tools and their answers left out: an export adds one so that the other client knows the list."""
    plans = {entry[2] for entry in flat if entry[1] == "call" and entry[3] in PLAN_TOOLS}
    return [entry for entry in flat if entry[1] not in ("call", "result") or entry[2] not in plans]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or f"<{part['type'].removeprefix('input_')}>" for part in content or ())


_CUT = re.compile(r"…\d+ (?:chars|tokens) truncated…|\[omitted \d+ text items \.\.\.\]")


def as_sent(expected: Flat, found: Flat) -> Flat:
    """The expected history with long results cut where the client cut them: it keeps the beginning and the end."""
    cut = {entry[2]: entry for entry in found if entry[1] == "result" and _CUT.search(entry[3])}
    made: Flat = []
    for entry in expected:
        sent = cut.get(entry[2]) if entry[1] == "result" else None
        made.append(sent if sent is not None and _same_ends(entry[3], sent[3]) else entry)
    return made


def _same_ends(whole: str, cut: str) -> bool:
    parts = _CUT.split(cut)
    return whole.startswith(parts[0].rstrip()) and whole.endswith(parts[-1].lstrip())


def once(flat: Flat) -> Flat:
    """Only the first result of each call: a client may send several, a provider takes one."""
    seen: set[str] = set()
    made: Flat = []
    for entry in flat:
        if entry[1] == "result":
            if entry[2] in seen:
                continue
            seen.add(entry[2])
        made.append(entry)
    return made


def _arguments(value: Any) -> str:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return value
    if isinstance(value, dict) and list(value) == ["input"]:
        return str(value["input"])
    return json.dumps(value, sort_keys=True)


def _digest(data: str) -> str:
    return hashlib.sha256(data.encode()).hexdigest()[:12]
