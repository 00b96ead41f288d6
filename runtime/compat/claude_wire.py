"""Rules 14 to 17: records grouped into messages, blocks in the order the client sends, one result per call."""

from __future__ import annotations

from typing import Any

from .claude_messages import NO_CONTENT, Entry

MISSING_RESULT = "[Tool result missing due to internal error]"
INTERRUPTED = "[Tool use interrupted]"
RENAMED = {
    "Task": "Agent",
    "BashOutput": "TaskOutput",
    "BashOutputTool": "TaskOutput",
    "AgentOutputTool": "TaskOutput",
    "KillShell": "TaskStop",
    "KillBash": "TaskStop",
}
Message = dict[str, Any]
Block = dict[str, Any]


def wired(entries: list[Entry]) -> list[Message]:
    """The provider-ready messages of the entries."""
    groups = _grouped(entries)
    messages = [_message(group) for group in groups]
    return _paired([message for message in messages if message is not None])


def _grouped(entries: list[Entry]) -> list[Entry]:
    groups: list[Entry] = []
    for entry in entries:
        if entry["role"] == "assistant":
            earlier = _earlier_part(groups, entry)
            if earlier is not None:
                earlier["blocks"] = _ordered(earlier["blocks"], entry["blocks"])
                continue
            groups.append({**entry, "blocks": _ordered([], entry["blocks"])})
            continue
        if entry["role"] == "attachment" and not entry["blocks"]:
            continue
        if groups and groups[-1]["role"] == "user":
            last = groups[-1]
            last["blocks"] = [*last["blocks"], *entry["blocks"]]
            last["string"] = False
            last["command"] = last.get("command") or entry.get("command", False)
            last["plain"] = last["plain"] or (entry["role"] == "user" and not _results(entry))
        else:
            plain = entry["role"] == "user" and not _results(entry)
            groups.append({**entry, "role": "user", "blocks": list(entry["blocks"]), "plain": plain})
    return groups


def _results(entry: Entry) -> bool:
    return any(block.get("type") == "tool_result" for block in entry["blocks"])


def _earlier_part(groups: list[Entry], entry: Entry) -> Entry | None:
    """The message that this record continues: looked for backwards over results and other replies."""
    for group in reversed(groups):
        if group["role"] == "assistant":
            if group["id"] == entry["id"]:
                return group
        elif not _results(group) and group["plain"]:
            return None
    return None


def _ordered(blocks: list[Block], added: list[Block]) -> list[Block]:
    """Append; a text or thinking block moves in front of the calls right before it."""
    found = list(blocks)
    for block in added:
        if block.get("type") == "fallback":
            continue
        at = len(found)
        if block.get("type") in ("text", "thinking", "redacted_thinking"):
            while at > 0 and found[at - 1].get("type") == "tool_use":
                at -= 1
            if block.get("type") != "text" and at > 0 and found[at - 1].get("type") != "text" and at < len(found):
                at = len(found)
        found.insert(at, block)
    return found


def _message(group: Entry) -> Message | None:
    if group["role"] == "assistant":
        blocks = [_call(block) if block.get("type") == "tool_use" else block for block in group["blocks"]]
        blocks = _without_open_server_calls(blocks)
        return {"role": "assistant", "content": blocks or [{"type": "text", "text": NO_CONTENT}]}
    if group.get("string") and len(group["blocks"]) == 1:
        return {"role": "user", "content": group["blocks"][0].get("text", "")}
    blocks = [block for block in group["blocks"] if block.get("type") != "text" or block.get("text")]
    first = [block for block in blocks if block.get("type") == "tool_result"]
    rest = [block for block in blocks if block.get("type") != "tool_result"]
    return {"role": "user", "content": [*first, *rest] or [{"type": "text", "text": NO_CONTENT}]}


def _call(block: Block) -> Block:
    name = block.get("name")
    return {
        "type": "tool_use",
        "id": block.get("id"),
        "name": RENAMED.get(name, name) if isinstance(name, str) else name,
        "input": block.get("input"),
    }


def _without_open_server_calls(blocks: list[Block]) -> list[Block]:
    answered = {block.get("tool_use_id") for block in blocks if str(block.get("type")).endswith("_tool_result")}
    return [block for block in blocks if block.get("type") != "server_tool_use" or block.get("id") in answered]


def _paired(messages: list[Message]) -> list[Message]:
    """Rule 17: every call answered in the very next message, no answer without its call, no id twice."""
    found: list[Message] = []
    used: set[Any] = set()
    open_calls: list[Any] = []
    for message in messages:
        if message["role"] == "assistant":
            _answer(found, open_calls, None)
            content, open_calls = _fresh_calls(message["content"], used)
            found.append({"role": "assistant", "content": content})
            continue
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        had_results = any(block.get("type") == "tool_result" for block in blocks)
        if not open_calls and not had_results:
            found.append(message)
            continue
        kept = _answer(found, open_calls, blocks)
        open_calls = []
        if kept or found:
            found.append({"role": "user", "content": kept or [{"type": "text", "text": NO_CONTENT}]})
    _answer(found, open_calls, None)
    return found


def _fresh_calls(content: list[Block], used: set[Any]) -> tuple[list[Block], list[Any]]:
    kept: list[Block] = []
    calls: list[Any] = []
    for block in content:
        if block.get("type") == "tool_use":
            if block.get("id") in used:
                continue
            used.add(block.get("id"))
            calls.append(block.get("id"))
        kept.append(block)
    return kept or [{"type": "text", "text": INTERRUPTED}], calls


def _answer(found: list[Message], open_calls: list[Any], blocks: list[Block] | None) -> list[Block]:
    """The blocks of the answering message with one result per open call; without `blocks` it is appended itself."""
    kept: list[Block] = []
    waiting = list(open_calls)
    for block in blocks or ():
        if block.get("type") == "tool_result":
            if block.get("tool_use_id") not in waiting:
                continue
            waiting.remove(block.get("tool_use_id"))
        kept.append(block)
    missing = [
        {"type": "tool_result", "tool_use_id": call, "content": MISSING_RESULT, "is_error": True} for call in waiting
    ]
    if blocks is None:
        if missing:
            found.append({"role": "user", "content": missing})
        return []
    return [*missing, *kept]
