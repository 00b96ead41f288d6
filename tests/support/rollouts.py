"""Codex rollouts written by hand, line by line, in the forms of several client versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

THREAD = "0199bbbb-0000-7000-8000-000000000001"
OTHER = "0199bbbb-0000-7000-8000-000000000002"
START = "2026-01-01T00:00:00.000Z"

Line = dict[str, Any]


def line(kind: str, payload: Any, at: str = START, **more: Any) -> Line:
    return {"timestamp": at, "type": kind, "payload": payload, **more}


def meta(thread: str = THREAD, *, cwd: str = "/srv/p", at: str = START, **more: Any) -> Line:
    """session_meta; `more` adds or replaces fields."""
    payload = {"id": thread, "timestamp": at, "cwd": cwd, "originator": "codex_cli_rs", "cli_version": "0.140.0"}
    return line("session_meta", {**payload, "model_provider": "openai", **more}, at)


def context(*, cwd: str = "/srv/p", **more: Any) -> Line:
    payload = {"cwd": cwd, "approval_policy": "never", "sandbox_policy": {"type": "read-only"}, "model": "gpt-5-codex"}
    return line("turn_context", {**payload, **more})


def item(**payload: Any) -> Line:
    return line("response_item", payload)


def event(kind: str, **payload: Any) -> Line:
    return line("event_msg", {"type": kind, **payload})


def user(text: str, *, role: str = "user") -> Line:
    return item(type="message", role=role, content=[{"type": "input_text", "text": text}])


def reply(text: str) -> Line:
    return item(type="message", role="assistant", content=[{"type": "output_text", "text": text}])


def call(call_id: str, name: str = "shell", **arguments: Any) -> Line:
    return item(type="function_call", name=name, arguments=json.dumps(arguments), call_id=call_id)


def output(call_id: str, text: Any = "done") -> Line:
    return item(type="function_call_output", call_id=call_id, output=text)


def started(turn: str = "t1", **more: Any) -> Line:
    return event("task_started", turn_id=turn, **more)


def completed(turn: str = "t1") -> Line:
    return event("task_complete", turn_id=turn)


def turn(number: int, *more: Line) -> list[Line]:
    """A whole turn: `prompt N`, what `more` says, `answer N`."""
    name = f"t{number}"
    return [started(name), user(f"prompt {number}"), *more, reply(f"answer {number}"), completed(name)]


def usage(total: int) -> dict[str, int]:
    return {
        "input_tokens": total,
        "cached_input_tokens": 0,
        "output_tokens": 0,
        "reasoning_output_tokens": 0,
        "total_tokens": total,
    }


def tokens(total: int, last: int, *, window: int = 258_000, at: str = START) -> Line:
    info = {"total_token_usage": usage(total), "last_token_usage": usage(last), "model_context_window": window}
    return line("event_msg", {"type": "token_count", "info": info}, at)


def rolled_back(turns: int) -> Line:
    return event("thread_rolled_back", num_turns=turns)


def compacted(message: str = "", replacement: list[Line] | None = None, **more: Any) -> Line:
    """A compaction; `replacement` takes response_item lines."""
    history = None if replacement is None else [one["payload"] for one in replacement]
    return line(
        "compacted", {"message": message, **({} if history is None else {"replacement_history": history}), **more}
    )


def raw(*lines: Line | bytes) -> bytes:
    """The bytes of the lines; bytes are taken as they are (with their own line end)."""
    return b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in lines)


def rollout(folder: Path, *lines: Line | bytes, thread: str = THREAD, name: str | None = None) -> Path:
    """A rollout file under `folder`, named as the client names it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name or f"rollout-2026-01-01T00-00-00-{thread}.jsonl")
    path.write_bytes(raw(*lines))
    return path
