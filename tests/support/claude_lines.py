"""Records in the shape of Claude Code 2.1, one function each, and the file they make."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SESSION = "7a1c1111-2222-4333-8444-555566667777"
MODEL = "claude-sonnet-4-5-20250929"
CWD = "/srv/demo/project"
Record = dict[str, Any]


def stamp(second: float) -> str:
    return f"2026-01-01T{int(second) // 3600:02d}:{int(second) % 3600 // 60:02d}:{second % 60:06.3f}Z"


def envelope(kind: str, uuid: str, parent: str | None, **more: Any) -> Record:
    number = sum(ord(letter) for letter in uuid)
    known = {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "timestamp": stamp(number),
        "cwd": CWD,
        "gitBranch": "main",
        "version": "2.1.200",
        "isSidechain": False,
        "userType": "external",
    }
    return {**known, **more}


def user(uuid: str, parent: str | None, content: Any, **more: Any) -> Record:
    return envelope("user", uuid, parent, message={"role": "user", "content": content}, **more)


def text(said: str) -> Record:
    return {"type": "text", "text": said}


def thinking(said: str, signature: str | None = None) -> Record:
    block = {"type": "thinking", "thinking": said}
    return block if signature is None else {**block, "signature": signature}


def call(call_id: str, name: str = "Bash", **arguments: Any) -> Record:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def usage(**tokens: int) -> Record:
    return {
        "input_tokens": 3,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": 10,
        **tokens,
    }


def assistant(
    uuid: str,
    parent: str | None,
    *blocks: Record,
    message: str | None = None,
    model: str = MODEL,
    spent: Record | None = None,
    **more: Any,
) -> Record:
    """One line of a reply. message: its API id (one of its own when None). more: members of the record."""
    body = {
        "id": message or f"msg_{uuid}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": list(blocks),
        "stop_reason": "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn",
        "usage": usage() if spent is None else spent,
    }
    more.setdefault("requestId", f"req_{message or uuid}")
    return envelope("assistant", uuid, parent, message=body, **more)


def result(uuid: str, parent: str | None, call_id: str, content: Any = "ok", twin: Any = None, **more: Any) -> Record:
    """The answer to a call; twin: its structured form."""
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": more.pop("is_error", False)}
    if twin is not None:
        more["toolUseResult"] = twin
    return user(uuid, parent, [block], **more)


def attachment(uuid: str, parent: str | None, kind: str, **content: Any) -> Record:
    return envelope("attachment", uuid, parent, attachment={"type": kind, **content})


def boundary(uuid: str, logical_parent: str | None, **metadata: Any) -> Record:
    known = {"trigger": "manual", "preTokens": 150_000, **metadata}
    return envelope(
        "system", uuid, None, subtype="compact_boundary", logicalParentUuid=logical_parent, compactMetadata=known
    )


def summary(uuid: str, parent: str | None, said: str = "What was done so far.") -> Record:
    return user(uuid, parent, said, isCompactSummary=True, isVisibleInTranscriptOnly=True)


def beside(kind: str, **members: Any) -> Record:
    """A record without a place in the tree."""
    return {"type": kind, "sessionId": SESSION, **members}


def conversation(turns: int, *, start: int = 1, parent: str | None = None) -> list[Record]:
    """Prompts `u1`, `u2`, … each with its reply `a1`, `a2`, …, chained."""
    records: list[Record] = []
    for number in range(start, start + turns):
        records.append(user(f"u{number}", parent, f"prompt {number}"))
        records.append(assistant(f"a{number}", f"u{number}", text(f"reply {number}")))
        parent = f"a{number}"
    return records


def written(folder: Path, lines: Iterable[Record | bytes | str], name: str = f"{SESSION}.jsonl") -> Path:
    """The file of these lines; texts and bytes are written as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(b"".join(_line(line) for line in lines))
    return path


def _line(line: Record | bytes | str) -> bytes:
    if isinstance(line, bytes):
        return line
    if isinstance(line, str):
        return line.encode()
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"
