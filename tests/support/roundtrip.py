"""What two restores have in common when one is of a session and the other of its export, imported again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rehydrate.events.store import EventStore
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.restored import RestoredRuntime
from rehydrate.runtime.resume import resume_session

Said = list[tuple[str, dict[str, Any]]]
_NOT_SAID = ("synthesized", "is_error", "call_type", "item_id")
"""Marks that one client has and another has not."""


def said(runtime: RestoredRuntime, *, thinking: bool = True, context: bool = True) -> Said:
    """Role and block of everything the model sees; calls with their arguments as values."""
    found: Said = []
    for message in runtime.messages:
        if message.origin == "context" and not context:
            continue
        for block in message.content:
            told = block.model_dump(mode="json", exclude_none=True)
            if told["type"] == "thinking" and not thinking:
                continue
            if told["type"] == "tool_use":
                told["input"] = _value(told.get("input"))
            if told["type"] == "tool_result":
                told["content"] = _content(told["content"])
            found.append((message.role, {name: part for name, part in told.items() if name not in _NOT_SAID}))
    return found


def _content(content: Any) -> Any:
    """A single text as a list or as a text is the same."""
    if isinstance(content, list) and len(content) == 1 and content[0].get("type") == "text":
        return content[0]["text"]
    return content


def _value(arguments: Any) -> Any:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return arguments
    if isinstance(arguments, dict) and list(arguments) == ["input"]:
        return arguments["input"]
    return arguments


def without_plan(found: Said, *tools: str) -> Said:
    """Without the calls of these tools and their results."""
    ids = {block["id"] for _, block in found if block["type"] == "tool_use" and block["name"] in tools}
    return [one for one in found if one[1].get("id") not in ids and one[1].get("tool_use_id") not in ids]


def imported_again(path: Path, folder: Path) -> RestoredRuntime:
    """The main session of an exported file, restored from a new store."""
    with EventStore(folder / f"{path.stem}.again.sqlite") as store:
        result = import_transcripts([path], store=store)
        assert not result.failed, result.failed
        (session,) = [one for one in result.sessions if one.role == "main"]
        return resume_session(session.session_id, store=store, check_workspace=False)
