"""Rules 8 to 13: which records of the chain become messages, and the fillers behind an interrupted turn."""

from __future__ import annotations

from typing import Any

from ...events.importers.claude_code.shape import is_obj, obj, rows
from .claude_attachments import attachment_text
from .claude_records import Record

CONTINUE = "Continue from where you left off."
NOTHING_ASKED = "No response requested."
NO_CONTENT = "(no content)"
Entry = dict[str, Any]
_NAMES = ("type", "id", "tool_use_id")
"""What blocks are told apart and paired by; of another type than text it is taken as its text."""
"""`{"role": user|assistant|attachment, "id": message id or None, "blocks": [...], "command": bool}`."""


def messages_of(chain: list[Record], model: str | None) -> list[Entry]:
    """The chain as entries, one per record that the model sees."""
    entries = [entry for record in _kept(chain) if (entry := _entry(record)) is not None]
    entries = _without_open_calls(entries)
    entries = _without_idle_thinking(entries)
    entries = [shown for entry in entries if (shown := _for_model(entry, model)) is not None]
    return _filled(entries)


def _kept(chain: list[Record]) -> list[Record]:
    retracted: set[str] = set()
    for record in chain:
        if record.get("subtype") == "model_refusal_fallback":
            retracted.update(record.get("retractedMessageUuids") or ())
    return [record for record in chain if not record.get("isVirtual") and record.get("uuid") not in retracted]


def _entry(record: Record) -> Entry | None:
    kind = record.get("type")
    if kind == "attachment":
        return {"role": "attachment", "id": None, "blocks": attachment_text(obj(record.get("attachment")))}
    if kind == "system":
        if record.get("subtype") != "local_command":
            return None
        blocks = [_text(record.get("content") or "")]
        return {"role": "user", "id": None, "blocks": blocks, "command": True, "string": True}
    message = record.get("message")
    if kind not in ("user", "assistant") or not is_obj(message):
        return None
    entry: Entry = {"role": kind, "id": message.get("id"), "blocks": _blocks(message.get("content"))}
    entry["string"] = isinstance(message.get("content"), str)
    if kind == "assistant":
        entry["model"] = message.get("model")
        entry["error"] = bool(record.get("isApiErrorMessage")) and message.get("model") == "<synthetic>"
    return entry


def _blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [_text(content)]
    found: list[dict[str, Any]] = []
    for block in rows(content):
        if isinstance(block, str):
            found.append(_text(block))
        elif is_obj(block):
            found.append({**block, **{name: str(block[name]) for name in _NAMES if block.get(name) is not None}})
    return found


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _without_open_calls(entries: list[Entry]) -> list[Entry]:
    answered = {
        block.get("tool_use_id") for entry in entries if entry["role"] == "user" for block in entry["blocks"]
        if block.get("type") == "tool_result"
    }  # fmt: skip
    kept: list[Entry] = []
    for entry in entries:
        calls = [block.get("id") for block in entry["blocks"] if block.get("type") == "tool_use"]
        if entry["role"] == "assistant" and calls and not any(call in answered for call in calls):
            continue
        kept.append(entry)
    return kept


def _idle(block: dict[str, Any]) -> bool:
    kind = block.get("type")
    if kind in ("thinking", "redacted_thinking"):
        return True
    return kind == "text" and not str(block.get("text") or "").strip()


def _without_idle_thinking(entries: list[Entry]) -> list[Entry]:
    """A reply of nothing but thinking and white space goes, counting all its records."""
    busy: set[str] = set()
    for entry in entries:
        if entry["role"] == "assistant" and not all(map(_idle, entry["blocks"])):
            busy.add(_reply(entry))
    return [
        entry for entry in entries
        if entry["role"] != "assistant" or not entry["blocks"] or _reply(entry) in busy
        or not any(block.get("type") in ("thinking", "redacted_thinking") for block in entry["blocks"])
    ]  # fmt: skip


def _reply(entry: Entry) -> str:
    return str(entry["id"])


def _for_model(entry: Entry, model: str | None) -> Entry | None:
    """Without the thinking that another model signed, and without empty replies."""
    if entry["role"] != "assistant":
        return entry
    blocks = entry["blocks"]
    if blocks and all(b.get("type") == "text" and not str(b.get("text") or "").strip() for b in blocks):
        return None
    own = entry.get("model") == model
    kept = [block for block in blocks if own or not _signed(block)]
    if blocks and not kept:
        return None
    return {**entry, "blocks": kept or [_text(NO_CONTENT)]}


def _signed(block: dict[str, Any]) -> bool:
    if block.get("type") == "redacted_thinking":
        return True
    return block.get("type") == "thinking" and bool(block.get("signature"))


def _filled(entries: list[Entry]) -> list[Entry]:
    """Rules 12 and 13: a filler prompt behind an interrupted turn, a filler answer behind an unanswered prompt."""
    spoken = [entry for entry in entries if not entry.get("error")]
    if spoken and _interrupted(spoken):
        entries = [*entries, {"role": "user", "id": None, "blocks": [_text(CONTINUE)], "string": True}]
    at = len(entries) - 1
    while at >= 0 and entries[at]["role"] == "attachment":
        at -= 1
    if at >= 0 and entries[at]["role"] == "user":
        filler: Entry = {"role": "assistant", "id": None, "blocks": [_text(NOTHING_ASKED)]}
        entries = [*entries[: at + 1], filler, *entries[at + 1 :]]
    return [entry for entry in entries if not entry.get("error")]


def _interrupted(entries: list[Entry]) -> bool:
    at = len(entries) - 1
    if entries[at]["role"] == "user":
        return any(block.get("type") == "tool_result" for block in entries[at]["blocks"])
    if entries[at]["role"] == "attachment":
        while at >= 0 and entries[at]["role"] == "attachment":
            at -= 1
        return at < 0 or entries[at]["role"] != "assistant"
    return False
