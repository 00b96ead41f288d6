"""Claude Code records by hand, in the shorthand of bug reports: each line is one call, parents are given by name."""

from __future__ import annotations

import json
import struct
import zlib
from base64 import b64encode
from pathlib import Path
from typing import Any

from rehydrate.events.store import EventStore
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.restored import RestoredRuntime
from rehydrate.runtime.resume import resume_session

SESSION = "5e551011-0000-4000-8000-000000000001"
SIGNATURE = "Eq" + "A1b2" * 150


def txt(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def th(text: str, signature: str | None = SIGNATURE) -> dict[str, Any]:
    block = {"type": "thinking", "thinking": text}
    return block if signature is None else {**block, "signature": signature}


def tu(call_id: str, name: str = "Bash", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def img(data: str, media_type: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def png(width: int, height: int) -> str:
    """A PNG of that size as base64: one compressed row of grey, repeated."""
    rows = zlib.compress(b"\x00" * (width // 8 + 2) * height, 9)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    raw = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return b64encode(raw).decode()


class Lines:
    """A transcript in the making; a record hangs off the one before unless `parent` is given."""

    def __init__(self, session: str = SESSION, cwd: str = "/nowhere/p") -> None:
        self.session, self.cwd = session, cwd
        self.raw: list[bytes] = []
        self._last: str | None = None
        self._second = 0

    def line(self, record: dict[str, Any]) -> Lines:
        self.raw.append(json.dumps(record).encode())
        return self

    def node(self, kind: str, name: str, parent: str | None = "", **fields: Any) -> Lines:
        self._second += 1
        record = {
            "type": kind,
            "uuid": name,
            "parentUuid": self._last if parent == "" else parent,
            "sessionId": self.session,
            "timestamp": f"2026-01-01T00:{self._second // 60:02d}:{self._second % 60:02d}.000Z",
            "cwd": self.cwd,
            "version": "2.1.200",
            "isSidechain": False,
            "userType": "external",
            **fields,
        }
        if not record["isSidechain"]:
            self._last = name
        return self.line(record)

    def user(self, name: str, content: Any, parent: str | None = "", **fields: Any) -> Lines:
        return self.node("user", name, parent, message={"role": "user", "content": content}, **fields)

    def assistant(
        self,
        name: str,
        *blocks: dict[str, Any],
        parent: str | None = "",
        message_id: str | None = None,
        model: str = "claude-sonnet-4-5-20250929",
        usage: dict[str, int] | None = None,
        **fields: Any,
    ) -> Lines:
        message = {
            "id": message_id or f"msg_{name}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": list(blocks),
            "stop_reason": "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn",
            "usage": usage or {"input_tokens": 3, "output_tokens": 10},
        }
        return self.node("assistant", name, parent, message=message, requestId=f"req_{name}", **fields)

    def result(self, name: str, call_id: str, content: Any = "ok", parent: str | None = "", **fields: Any) -> Lines:
        block = {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": False}
        return self.user(name, [block], parent, **fields)

    def turns(self, first: int, last: int) -> Lines:
        for number in range(first, last + 1):
            self.user(f"u{number}", f"question {number}").assistant(f"a{number}", txt(f"answer {number}"))
        return self

    def write(self, folder: Path) -> Path:
        file = folder / f"{self.session}.jsonl"
        file.write_bytes(b"".join(line + b"\n" for line in self.raw))
        return file

    def imported(self, store: EventStore, folder: Path) -> EventStore:
        result = import_transcripts([self.write(folder)], store=store)
        assert not result.failed
        return store

    def restored(self, store: EventStore, folder: Path, place: str = "") -> RestoredRuntime:
        self.imported(store, folder)
        return resume_session(f"{self.session}{place}", store=store, check_workspace=False)


def codes(runtime: RestoredRuntime) -> list[str]:
    return [finding.code for finding in runtime.report.findings]


def words(messages: list[dict[str, Any]]) -> list[str]:
    """The texts of an Anthropic list in order; results as `=text`, calls as `!id`."""
    found: list[str] = []
    for message in messages:
        for block in message["content"]:
            if block["type"] == "text":
                found.append(block["text"])
            elif block["type"] == "tool_use":
                found.append(f"!{block['id']}")
            elif block["type"] == "tool_result":
                content = block["content"]
                found.append(f"={content if isinstance(content, str) else content[0]['text']}")
    return found
