"""One rollout being read: dispatches lines of all eras and keeps what later lines need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...event import Draft
from ...times import to_us
from ..importer import Identity, Line
from .batch import Batch, text_or_none, whole
from .compaction import emit_compacted
from .document import OUTDATED, document_drafts, is_header
from .events import emit_event
from .items import emit_item
from .memory import Memory
from .schema import accepted, known
from .session import emit_meta, still_copied
from .settings import emit_turn_context
from .shapes import is_object
from .usage import emit_usage_record


class CodexTranscript:
    """See `rehydrate.events.importers.importer.Transcript`."""

    def __init__(self, identity: Identity, state: dict[str, Any] | None) -> None:
        self.identity = identity
        self._memory = Memory.of(state)
        self._file_id = identity.file_id or identity.session_id

    def state(self) -> dict[str, Any]:
        return {**self._memory.as_json(), "file_id": self._file_id}

    def drafts(self, line: Line) -> Sequence[Draft]:
        """The events of one line (or of the whole document)."""
        if is_header(line.value):
            self._memory = Memory()
            return document_drafts(self._file_id, self._memory, line.value, self.identity.session_id)
        value = line.value
        wrapped = is_object(value) and is_object(value.get("payload"))
        ts = to_us(value.get("timestamp")) if is_object(value) else None
        batch = Batch(self._file_id, f"b{line.byte_offset}", value, ("payload",) if wrapped else (), ts)
        self._start(batch, value)
        before = len(batch.drafts)
        if wrapped:
            self._wrapped(batch, value, line)
        elif is_object(value):
            self._bare(batch, value)
        if len(batch.drafts) == before:
            batch.add("Unrecognized", type=text_or_none(value.get("type")) if is_object(value) else None)
        return batch.drafts

    def _start(self, batch: Batch, value: Any) -> None:
        """A file that does not begin with its metadata gets its first event all the same."""
        if self._memory.started or (
            is_object(value) and (value.get("type") == "session_meta" or _is_bare_header(value))
        ):
            return
        self._memory.started = True
        batch.add(
            "SessionStarted",
            source="codex",
            native_id=self.identity.session_id,
            parent_session=self.identity.parent_session,
        )
        batch.remark("metadata-missing", "The file does not begin with its session metadata; Codex itself refuses it.")

    def _wrapped(self, batch: Batch, value: dict[str, Any], line: Line) -> None:
        memory, kind, payload = self._memory, str(value.get("type")), value["payload"]
        ordinal = whole(value.get("ordinal"))
        if ordinal is not None:
            self._ordinal(batch, ordinal, line.line)
        if memory.copying and kind != "session_meta":
            memory.copying = still_copied(memory, kind, payload, batch.ts, ordinal)
        match kind:
            case "session_meta":
                emit_meta(batch, memory, payload, self.identity.session_id)
            case "response_item":
                self._item(batch, payload, line)
            case "event_msg":
                emit_event(batch, memory, payload)
            case "turn_context":
                emit_turn_context(batch, memory, payload)
            case "compacted":
                emit_compacted(batch, memory, payload)
            case "token_usage_record":
                emit_usage_record(batch, memory, payload)
            case "world_state":
                batch.add(
                    "Notice",
                    subtype="world_state",
                    level="full" if payload.get("full") else "patch",
                    value=batch.at("state"),
                )
            case "inter_agent_communication":
                self._agent_input(batch, payload)
            case "inter_agent_communication_metadata":
                batch.add("Notice", subtype=kind, value=payload)
            case _:
                batch.add("Unrecognized", type=kind)

    def _item(self, batch: Batch, payload: dict[str, Any], line: Line) -> None:
        emit_item(batch, self._memory, payload)
        if known(payload) and not accepted(payload):
            text = (
                f"The {payload.get('type')} item at line {line.line} lacks what Codex expects; Codex itself drops it."
            )
            batch.remark("item-unfit", text, line=line.line, type=payload.get("type"))

    def _ordinal(self, batch: Batch, ordinal: int, line: int) -> None:
        """Ordinals order nothing; one that does not follow the one before is noted."""
        expected, self._memory.ordinal = self._memory.ordinal, ordinal
        if expected is not None and ordinal != expected + 1:
            text = f"A line has the ordinal {ordinal} where {expected + 1} was due; the lines keep their order in the file."
            batch.remark("source-ordinal-gap", text, expected=expected + 1, found=ordinal, line=line)

    def _agent_input(self, batch: Batch, payload: dict[str, Any]) -> None:
        batch.named(payload.get("id"))
        text = payload.get("content")
        content: list[dict[str, Any]] = (
            [{"type": "text", "text": batch.at("content")}] if isinstance(text, str) and text else []
        )
        if payload.get("encrypted_content"):
            content.append(
                {"type": "other", "native_type": "encrypted_content", "value": batch.at("encrypted_content")}
            )
        batch.add("UserInput", content=content, origin="agent", attachment_type="agent_message")

    def _bare(self, batch: Batch, value: dict[str, Any]) -> None:
        """A line of the middle of 2025: header, response item or state mark without a wrapper."""
        if _is_bare_header(value):
            emit_meta(batch, self._memory, value, self.identity.session_id)
            batch.remark("format-outdated", OUTDATED)
        elif value.get("record_type") is not None:
            batch.add("Notice", subtype=str(value["record_type"]))
        elif "timestamp" in value and "payload" in value:
            batch.add("Unrecognized", type=text_or_none(value.get("type")))
        else:
            emit_item(batch, self._memory, value)


def _is_bare_header(value: dict[str, Any]) -> bool:
    return isinstance(value.get("id"), str) and "type" not in value and "timestamp" in value and "payload" not in value
