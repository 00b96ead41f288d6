"""A Claude Code transcript written from neutral messages: for sessions of another client and for live ones.

Fields and their necessity: measured against Claude Code 2.1.197. Every record on the chain has a time stamp, an id
and its parent's id; a reply has its own message id and a model; every call has a result.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from ...events.times import to_iso
from ..spoken import Block, Spoken
from .transcript import Json, Losses, line_of, list_of, object_of

FORMAT_VERSION = "2.1.197"
"""The client version whose form of records is written."""

UNKNOWN_MODEL = "unknown"
"""For replies whose model nobody recorded: the client hangs without a model, and takes its default for one it does
not know."""


class ClaudeWriter:
    """Collects records, each hanging off the one before. Ids are made from the session's id: the same export twice
    is equal."""

    def __init__(
        self, session_id: str, cwd: str, started_us: int, losses: Losses, *, keep_thinking: bool = False
    ) -> None:
        self.records: list[Json] = []
        self.leaf: str | None = None
        self.origin: Json | None = None
        self._session_id = session_id
        self._cwd = cwd
        self._now_us = started_us
        self._losses = losses
        self._keep_thinking = keep_thinking
        self._model = UNKNOWN_MODEL
        self._calls: dict[str, str] = {}
        self._replies = 0

    def go_on_from(self, leaf: str | None, model: str | None) -> None:
        """Continue a chain that is already written."""
        self.leaf = leaf
        self._model = model or self._model

    def messages(self, messages: Sequence[Spoken]) -> None:
        for number, message in enumerate(messages):
            self.message(message, first=number == 0)

    def message(self, message: Spoken, *, first: bool = False) -> None:
        self._now_us = max(self._now_us, message.ts or 0)
        if message.role == "assistant":
            self._reply(message)
        elif message.origin == "summary" and first:
            self._summary(message)
        else:
            self._input(message)

    def lines(self) -> list[bytes]:
        return [line_of(record) for record in self.records]

    def label(self, kind: str, **fields: Any) -> None:
        """A record outside the chain: a title, the pointer to the end."""
        self.records.append({"type": kind, **fields, "sessionId": self._session_id})

    # -- records --------------------------------------------------------------------------------------------------

    def _reply(self, message: Spoken) -> None:
        """One record per block, all with the reply's message id: as the client writes them."""
        self._model = message.model or self._model
        blocks = [made for block in message.blocks for made in self._block(block)]
        if not blocks:
            return
        self._replies += 1
        made_id = f"msg_{uuid.uuid5(uuid.UUID(self._session_id), f'reply {self._replies}').hex[:24]}"
        reply_id = message.response_id if (message.response_id or "").startswith("msg_") else made_id
        waits = any(block["type"] == "tool_use" for block in blocks)
        for block in blocks:
            body: Json = {
                "id": reply_id,
                "type": "message",
                "role": "assistant",
                "model": self._model,
                "content": [block],
                "stop_reason": "tool_use" if waits else "end_turn",
                "stop_sequence": None,
                "usage": {"input_tokens": 0, "output_tokens": 0},
            }
            record = self._record("assistant", message=body)
            if block["type"] == "tool_use":
                self._calls[block["id"]] = record["uuid"]

    def _block(self, block: Block) -> Iterator[Json]:
        kind = block.get("type")
        if kind == "text":
            if (block.get("text") or "").strip():
                yield {"type": "text", "text": block["text"]}
        elif kind == "tool_use":
            yield from self._call(block)
        elif kind == "thinking":
            yield from self._thinking(block)
        else:
            self._losses.add("block-not-carried")
            yield {"type": "text", "text": f"[{block.get('native_type') or kind} not carried over]"}

    def _call(self, block: Block) -> Iterator[Json]:
        if block.get("answered") or block.get("call_type") == "server":
            self._losses.add("server-call-not-carried")
            return
        yield {"type": "tool_use", "id": block["id"], "name": block["name"], "input": _arguments(block)}

    def _thinking(self, block: Block) -> Iterator[Json]:
        if not self._keep_thinking:
            self._losses.add("thinking-not-carried")
        elif block.get("redacted"):
            yield {"type": "redacted_thinking", "data": block.get("signature") or ""}
        else:
            yield {
                "type": "thinking",
                "thinking": block.get("thinking") or "",
                "signature": block.get("signature") or "",
            }

    def _input(self, message: Spoken) -> None:
        for block in message.of_type("tool_result"):
            self._result(block)
        content = [self._part(block) for block in message.blocks if block.get("type") != "tool_result"]
        content = [part for part in content if part["type"] != "text" or part["text"].strip()]
        if not content:
            return
        only_text = len(content) == 1 and content[0]["type"] == "text"
        told: Json = {"role": "user", "content": content[0]["text"] if only_text else content}
        human = message.origin in {"human", "queued", None} and message.role == "user"
        if human:
            self._record("user", message=told, origin={"kind": "human"})
        else:
            self._record("user", message=told, isMeta=True)

    def _result(self, block: Block) -> None:
        content = block.get("content")
        made: Any = content if isinstance(content, str) else [self._part(part) for part in list_of(content)]
        result: Json = {"type": "tool_result", "tool_use_id": block["tool_use_id"], "content": made}
        if block.get("is_error"):
            result["is_error"] = True
        source = self._calls.get(block["tool_use_id"])
        more: Json = {} if source is None else {"sourceToolAssistantUUID": source}
        self._record("user", message={"role": "user", "content": [result]}, **more)

    def _part(self, block: Block) -> Json:
        kind = block.get("type")
        if kind == "text":
            return {"type": "text", "text": block.get("text") or ""}
        if kind in {"image", "document"} and block.get("data"):
            media = block.get("media_type") or ("image/png" if kind == "image" else "application/pdf")
            return {"type": kind, "source": {"type": "base64", "media_type": media, "data": block["data"]}}
        if kind in {"image", "document"} and block.get("url"):
            return {"type": kind, "source": {"type": "url", "url": block["url"]}}
        if kind == "document" and block.get("text"):
            return {"type": kind, "source": {"type": "text", "media_type": "text/plain", "data": block["text"]}}
        self._losses.add("block-not-carried")
        return {"type": "text", "text": f"[{block.get('native_type') or kind} not carried over]"}

    def _summary(self, message: Spoken) -> None:
        """The boundary and the summary as the client leaves them: the chain starts at the boundary."""
        boundary = self._record(
            "system", subtype="compact_boundary", content="Conversation compacted", level="info", isMeta=False,
            compactMetadata={"trigger": "auto"},
        )  # fmt: skip
        boundary["parentUuid"] = None
        told = {"role": "user", "content": message.text}
        self._record("user", message=told, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def _record(self, kind: str, **fields: Any) -> Json:
        number = len(self.records) + 1
        origin: Json = {} if self.origin is None else {"forkedFrom": self.origin}
        record: Json = {
            "parentUuid": self.leaf,
            "isSidechain": False,
            "userType": "external",
            "cwd": self._cwd,
            "sessionId": self._session_id,
            "version": FORMAT_VERSION,
            "type": kind,
            **fields,
            **origin,
            "uuid": str(uuid.uuid5(uuid.UUID(self._session_id), f"record {number}")),
            "timestamp": _time(self._now_us),
        }
        self.leaf = record["uuid"]
        self.records.append(record)
        return record


def _arguments(block: Block) -> Json:
    """Arguments as the object that this client needs: JSON text is parsed, any other text becomes the field
    `input`."""
    value = block.get("input")
    if isinstance(value, str) and block.get("call_type", "function") == "function":
        try:
            value = json.loads(value)
        except ValueError:
            return {"input": value}
    if isinstance(value, dict):
        return object_of(value)
    return {} if value is None else {"input": value}


def _time(us: int) -> str:
    text = to_iso(us)
    assert text is not None
    return text[:23] + "Z"
