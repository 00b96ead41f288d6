"""Small transcripts as Claude Code and Codex write them, for tests about where a session was."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any


class ClaudeSession:
    """Records of one Claude Code session (2.1), written line by line; each message hangs off the one before."""

    def __init__(self, session_id: str | None = None, cwd: Path | str = "/", branch: str | None = "main") -> None:
        self.session_id = session_id or str(uuid.uuid4())
        self.cwd, self.branch = str(cwd), branch
        self.records: list[dict[str, Any]] = []
        self._last: str | None = None
        self._count = itertools.count(1)

    def at(self, cwd: Path | str, branch: str | None = None) -> ClaudeSession:
        """From here on in another directory (and on another branch)."""
        self.cwd = str(cwd)
        self.branch = branch or self.branch
        return self

    def prompt(self, text: str, **fields: Any) -> ClaudeSession:
        return self._add("user", {"role": "user", "content": text}, **fields)

    def reply(self, text: str = "done") -> ClaudeSession:
        return self._answer([{"type": "text", "text": text}], "end_turn")

    def call(self, name: str, arguments: dict[str, Any], result: str, structured: Any = None) -> ClaudeSession:
        """A tool call and its result."""
        call_id = f"toolu_{next(self._count)}"
        self._answer([{"type": "tool_use", "id": call_id, "name": name, "input": arguments}], "tool_use")
        block = {"type": "tool_result", "tool_use_id": call_id, "content": result, "is_error": False}
        fields = {} if structured is None else {"toolUseResult": structured}
        return self._add("user", {"role": "user", "content": [block]}, **fields)

    def read(self, file: Path, content: str) -> ClaudeSession:
        lines = content.splitlines()
        shown = {
            "filePath": str(file),
            "content": content,
            "numLines": len(lines),
            "startLine": 1,
            "totalLines": len(lines),
        }
        return self.call("Read", {"file_path": str(file)}, content, {"type": "text", "file": shown})

    def write(self, file: Path | str, content: str) -> ClaudeSession:
        structured = {"type": "create", "filePath": str(file), "content": content, "structuredPatch": []}
        return self.call("Write", {"file_path": str(file), "content": content}, "File created", structured)

    def entered(self, worktree: Path, branch: str, original: Path, head: str | None = None) -> ClaudeSession:
        """The record of a worktree entered, and from then on its directory."""
        state = {
            "originalCwd": str(original),
            "preEnterOriginalCwd": str(original),
            "worktreePath": str(worktree),
            "worktreeName": worktree.name,
            "worktreeBranch": branch,
            "originalBranch": self.branch,
            "originalHeadCommit": head,
            "sessionId": self.session_id,
        }
        self.meta("worktree-state", worktreeSession=state)
        return self.at(worktree, branch)

    def meta(self, kind: str, **fields: Any) -> ClaudeSession:
        self.records.append({"type": kind, "sessionId": self.session_id, **fields})
        return self

    def _answer(self, content: list[dict[str, Any]], stop: str) -> ClaudeSession:
        number = next(self._count)
        message = {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": content,
            "stop_reason": stop,
            "usage": {"input_tokens": 3, "output_tokens": 10},
        }
        return self._add("assistant", message, requestId=f"req_{number}")

    def _add(self, kind: str, message: dict[str, Any], **fields: Any) -> ClaudeSession:
        number = next(self._count)
        own = str(uuid.uuid5(uuid.UUID(self.session_id), str(number)))
        record: dict[str, Any] = {
            "type": kind,
            "uuid": own,
            "parentUuid": self._last,
            "sessionId": self.session_id,
            "timestamp": f"2026-01-01T00:{number // 60:02}:{number % 60:02}.000Z",
            "cwd": self.cwd,
            "version": "2.1.200",
            "isSidechain": False,
            "userType": "external",
            "message": message,
            **fields,
        }
        if self.branch is not None:
            record["gitBranch"] = self.branch
        self.records.append(record)
        self._last = own
        return self

    def save(self, folder: Path) -> Path:
        return _save(folder / f"{self.session_id}.jsonl", self.records)


def codex_session(
    folder: Path, directories: Iterable[Path | str], git: dict[str, str] | None = None
) -> tuple[str, Path]:
    """A Codex rollout with one turn in each directory; returns the session's id and the file."""
    session_id, places = str(uuid.uuid4()), [str(place) for place in directories]
    stamp = "2026-01-01T00:00:00.000Z"
    meta: dict[str, Any] = {
        "id": session_id,
        "timestamp": stamp,
        "cwd": places[0],
        "originator": "codex_cli_rs",
        "cli_version": "0.140.0",
        "model_provider": "openai",
    }
    if git is not None:
        meta["git"] = git
    records: list[dict[str, Any]] = [{"type": "session_meta", "payload": meta}]
    for number, place in enumerate(places, 1):
        turn = {
            "cwd": place,
            "approval_policy": "never",
            "sandbox_policy": {"type": "read-only"},
            "model": "gpt-5",
            "effort": "high",
        }
        records.append({"type": "turn_context", "payload": turn})
        for role, kind in (("user", "input_text"), ("assistant", "output_text")):
            block = {"type": kind, "text": f"{role} {number}"}
            records.append({"type": "response_item", "payload": {"type": "message", "role": role, "content": [block]}})
        records.append({"type": "event_msg", "payload": {"type": "user_message", "message": f"user {number}"}})
    name = f"rollout-2026-01-01T00-00-00-{session_id}.jsonl"
    return session_id, _save(folder / name, [{"timestamp": stamp, **record} for record in records])


def _save(path: Path, records: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path
