"""Small sessions of every source: a reply with two calls, a picture, todos, a call that was cut off, one more turn."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

from rehydrate.events.event import Draft
from rehydrate.events.store import EventStore
from rehydrate.runtime.importing import import_transcripts

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_T = "2026-05-01T10:00:{:02d}.000Z"


SESSION = "2b5c1c1e-0000-4000-8000-00000000c1de"


def claude_file(folder: Path, session_id: str = SESSION) -> Path:
    """The Claude Code transcript as a file, not imported."""
    path = folder / f"{session_id}.jsonl"
    lines = _claude_lines(session_id, folder)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def claude_session(store: EventStore, folder: Path) -> str:
    session_id = str(uuid.uuid4())
    lines = _claude_lines(session_id, folder)
    return _imported(store, folder / f"{session_id}.jsonl", lines)


def _claude_lines(session_id: str, folder: Path) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []

    def add(kind: str, content: Any, **more: Any) -> None:
        number = len(lines)
        message: dict[str, Any] = {"role": kind, "content": content}
        if kind == "assistant":
            message.update(id=more.pop("reply"), type="message", model="claude-opus-4-8", stop_reason=None)
            message["usage"] = {"input_tokens": 5, "output_tokens": 7}
        parent = lines[-1]["uuid"] if lines else None
        lines.append(
            {"parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": str(folder), "type": kind,
             "sessionId": session_id, "version": "2.1.197", "message": message, "uuid": str(uuid.uuid4()),
             "timestamp": _T.format(number), **more}
        )  # fmt: skip

    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    add("user", [{"type": "text", "text": "Look at this and read two files."}, picture])
    add("assistant", [{"type": "text", "text": "I read both."}], reply="msg_1")
    add("assistant", [_use("toolu_1", "Read", {"file_path": "a.txt"})], reply="msg_1")
    add("assistant", [_use("toolu_2", "Read", {"file_path": "b.txt"})], reply="msg_1")
    add("user", [_result("toolu_1", "content of a")])
    add("user", [_result("toolu_2", "content of b")])
    todos = [{"content": "Write c", "status": "in_progress", "activeForm": "Writing c"}]
    add("assistant", [_use("toolu_3", "TodoWrite", {"todos": todos})], reply="msg_2")
    add("user", [_result("toolu_3", "Todos have been modified")], toolUseResult={"oldTodos": [], "newTodos": todos})
    add("assistant", [_use("toolu_4", "Bash", {"command": "make c"})], reply="msg_3")
    add("user", "You were cut off. Go on with é 漢字 👩‍💻.")
    add("assistant", [{"type": "text", "text": "I look whether c was made."}], reply="msg_4")
    return lines


def _use(call_id: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def _result(call_id: str, content: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def codex_session(store: EventStore, folder: Path) -> str:
    session_id = str(uuid.uuid4())
    payloads = list(_codex_payloads(session_id, folder))
    lines = [
        {"timestamp": _T.format(n), "type": kind, "payload": payload} for n, (kind, payload) in enumerate(payloads)
    ]
    return _imported(store, folder / f"rollout-2026-05-01T10-00-00-{session_id}.jsonl", lines)


def _codex_payloads(session_id: str, folder: Path) -> list[tuple[str, dict[str, Any]]]:
    def message(role: str, text: str) -> tuple[str, dict[str, Any]]:
        kind = "output_text" if role == "assistant" else "input_text"
        return "response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    def item(**payload: Any) -> tuple[str, dict[str, Any]]:
        return "response_item", payload

    def event(**payload: Any) -> tuple[str, dict[str, Any]]:
        return "event_msg", payload

    meta = {"id": session_id, "timestamp": _T.format(0), "cwd": str(folder), "originator": "codex_cli_rs"}
    plan = {"plan": [{"step": "Write c", "status": "in_progress"}]}
    return [
        ("session_meta", {**meta, "cli_version": "0.171.0", "source": "cli"}),
        event(type="task_started", turn_id="t1"),
        message("user", "Read two files."),
        event(type="user_message", message="Read two files."),
        message("assistant", "I read both."),
        event(type="agent_message", message="I read both."),
        item(type="function_call", name="exec_command", arguments='{"cmd": "cat a.txt"}', call_id="call_1"),
        item(type="function_call", name="exec_command", arguments='{"cmd": "cat b.txt"}', call_id="call_2"),
        item(type="function_call_output", call_id="call_1", output="content of a"),
        item(type="function_call_output", call_id="call_2", output="content of b"),
        item(type="function_call", name="update_plan", arguments=json.dumps(plan), call_id="call_3"),
        item(type="function_call_output", call_id="call_3", output="Plan updated"),
        item(type="custom_tool_call", name="apply_patch", input="*** Begin Patch\n*** End Patch", call_id="call_4"),
        message("user", "You were cut off. Go on with é 漢字 👩‍💻."),
        event(type="user_message", message="You were cut off. Go on with é 漢字 👩‍💻."),
        message("assistant", "I look whether c was made."),
        event(type="agent_message", message="I look whether c was made."),
    ]


def live_session(store: EventStore, folder: Path) -> str:
    session_id = str(uuid.uuid4())
    store.create_session(session_id, source="live")
    todo = {"id": "1", "content": "Write c", "status": "in_progress"}
    facts: list[tuple[str, dict[str, Any]]] = [
        ("SessionStarted", {"source": "live", "cwd": str(folder)}),
        ("UserInput", _said("Read two files.")),
        ("AssistantMessage", {"response_id": "r1", "model": "gpt-5", "blocks": [_text("I read both.")]}),
        ("ToolUse", {"call_id": "c1", "name": "read", "arguments": {"path": "a.txt"}, "response_id": "r1"}),
        ("ToolUse", {"call_id": "c2", "name": "read", "arguments": {"path": "b.txt"}, "response_id": "r1"}),
        ("ToolResult", {"call_id": "c1", "content": "content of a"}),
        ("ToolResult", {"call_id": "c2", "content": [_text("content of b")]}),
        ("TodoSnapshot", {"items": [todo]}),
        ("ToolUse", {"call_id": "c3", "name": "bash", "arguments": {"command": "make c"}, "response_id": "r2"}),
        ("UserInput", _said("You were cut off. Go on with é 漢字 👩‍💻.")),
        ("AssistantMessage", {"response_id": "r3", "model": "gpt-5", "blocks": [_text("I look whether c was made.")]}),
    ]
    drafts = [Draft(kind, data, ts=1_780_000_000_000_000 + n) for n, (kind, data) in enumerate(facts)]
    store.append(session_id, drafts)
    return session_id


def _said(text: str) -> dict[str, Any]:
    return {"content": [_text(text)], "origin": "human", "starts_turn": True, "preview": text}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _imported(store: EventStore, path: Path, lines: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (session,) = import_transcripts([path], store=store).sessions
    return session.session_id


SOURCES = {"claude-code": claude_session, "codex": codex_session, "live": live_session}
