"""System records: compactions, local commands, retracted replies; the rest is the client's log."""

from __future__ import annotations

from typing import Any

from .markup import command_of
from .memory import Memory
from .record import Record, shown
from .shape import obj, rows, text, texts, whole

_LOGGED = frozenset(
    [
        "api_error",
        "api_refusal",
        "away_summary",
        "bridge_status",
        "error",
        "informational",
        "init",
        "notice",
        "session_start",
        "stop_hook_summary",
        "thinking",
        "turn_duration",
    ]
)


def system_events(record: Record, _memory: Memory) -> None:
    """Events by subtype; an unknown one stays a link of the tree and is counted."""
    subtype = text(record.value.get("subtype"))
    if subtype == "compact_boundary":
        _compacted(record)
    elif subtype == "microcompact_boundary":
        metadata = obj(record.value.get("microcompactMetadata"))
        record.add(
            "ContextCompact",
            trigger=text(metadata.get("trigger")),
            micro=True,
            cleared_call_ids=texts(metadata.get("compactedToolIds")),
            pre_tokens=whole(metadata.get("preTokens")),
        )
    elif subtype == "local_command":
        _command(record)
    elif subtype == "model_refusal_fallback":
        record.add("Rewound", retracted=texts(record.value.get("retractedMessageUuids")))
        if text(record.value.get("fallbackModel")):
            record.add("AgentMetadata", model=record.value["fallbackModel"])
    elif subtype is None or subtype in _LOGGED:
        _logged(record, subtype)
    else:
        record.add("Unrecognized", type=f"system/{subtype[:100]}")


def _compacted(record: Record) -> None:
    metadata = obj(record.value.get("compactMetadata"))
    messages, segment = obj(metadata.get("preservedMessages")), obj(metadata.get("preservedSegment"))
    ends = [text(segment.get("headUuid")), text(segment.get("tailUuid"))] if segment else None
    record.add(
        "ContextCompact",
        trigger=text(metadata.get("trigger")),
        preserved=texts(messages.get("uuids")) or None,
        preserved_segment=ends,
        anchor=text(messages.get("anchorUuid")) or text(segment.get("anchorUuid")),
        logical_parent=text(record.value.get("logicalParentUuid")),
        pre_tokens=whole(metadata.get("preTokens")),
        post_tokens=whole(metadata.get("postTokens")),
    )


def _command(record: Record) -> None:
    content = record.value.get("content")
    said = content if isinstance(content, str) else ""
    record.add(
        "UserInput",
        content=[{"type": "text", "text": record.text_at("content")}],
        origin="command",
        preview=shown(command_of(said) or said) or None,
    )
    command = command_of(said) or ""
    name, _, argument = command.partition(" ")
    if name == "/model" and argument.strip():
        record.add("AgentMetadata", model_override=argument.strip()[:100])


def _logged(record: Record, subtype: str | None) -> None:
    value: dict[str, Any] = record.value
    record.add(
        "Notice",
        subtype=subtype or "system",
        level=text(value.get("level")),
        text=record.at("content") if text(value.get("content")) else None,
        call_id=text(value.get("toolUseID")),
        value=_details(value, subtype),
    )
    if subtype == "turn_duration":
        record.add("RunEnded", status="completed", duration_ms=whole(value.get("durationMs")))
    elif subtype == "bridge_status" and text(value.get("url")):
        record.add("AgentMetadata", bridge={"url": record.value["url"]})


def _details(value: dict[str, Any], subtype: str | None) -> Any:
    if subtype == "api_error":
        error = obj(value.get("error"))
        return {
            "status": whole(error.get("status")),
            "retry_attempt": whole(value.get("retryAttempt")),
            "max_retries": whole(value.get("maxRetries")),
        }
    if subtype == "stop_hook_summary":
        return {"hooks": len(rows(value.get("hookInfos"))), "errors": len(rows(value.get("hookErrors")))}
    return None
