"""Compactions: the new history as facts, or the legacy form that keeps only a person's inputs and a summary."""

from __future__ import annotations

from typing import Any

from .batch import Batch, text_or_none, whole
from .items import emit_item
from .memory import Memory
from .schema import accepted, known
from .shapes import is_list, is_object, object_of

LEGACY_INPUT_TOKENS = 20_000
NO_SUMMARY = "(no summary available)"
_DROPPED = ("ghost_snapshot", "compaction_trigger", "other")


def emit_compacted(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    """ContextCompact of a `compacted` line."""
    memory.compactions += 1
    message = payload.get("message")
    replacement = payload.get("replacement_history")
    facts: list[dict[str, Any]] | None = None
    if is_list(replacement):
        facts = [fact for number, item in enumerate(replacement) for fact in _facts(batch, memory, item, number)]
    batch.named(text_or_none(payload.get("window_id")))
    batch.add(
        "ContextCompact",
        summary=(
            batch.at("message") if isinstance(message, str) and message else None if facts is not None else NO_SUMMARY
        ),
        replacement=facts,
        keeps_inputs_tokens=LEGACY_INPUT_TOKENS if facts is None else None,
        window_number=whole(payload.get("window_number")),
        pre_tokens=memory.last[-1] if memory.last else None,
    )
    if is_list(replacement):
        _remark(batch, replacement)


def _remark(batch: Batch, replacement: list[Any]) -> None:
    unfit = [str(object_of(item).get("type")) for item in replacement if known(item) and not accepted(item)]
    if unfit:
        text = "Items of a compaction lack what Codex expects; Codex itself would send the whole old history instead."
        batch.remark("checkpoint-unfit", text, types=unfit)
    if any(object_of(item).get("encrypted_content") for item in replacement):
        text = "The summary of a compaction is encrypted: only its provider can read it, other models get the messages around it."
        batch.remark("compaction-encrypted", text)


def _facts(batch: Batch, memory: Memory, item: Any, number: int) -> list[dict[str, Any]]:
    if not is_object(item) or item.get("type") in _DROPPED:
        return []
    apart = Memory(model=memory.model, provider=memory.provider)
    inner = batch.within("replacement_history", number)
    emit_item(inner, apart, item)
    return [
        {"kind": draft.kind, **draft.data, **({"native_id": draft.native_id} if draft.native_id else {})}
        for draft in inner.drafts
        if draft.kind in ("UserInput", "AssistantMessage", "ToolUse", "ToolResult")
    ]
