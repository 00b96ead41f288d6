"""Train the built-in zstd dictionary on invented records of the formats we store; run once per dictionary number.

The material is made up here, so the dictionary holds field names and typical shapes and nothing of anybody's session.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import zstandard

WORDS = [
    "the",
    "file",
    "test",
    "function",
    "return",
    "value",
    "error",
    "line",
    "import",
    "class",
    "module",
    "build",
    "project",
    "change",
    "update",
    "session",
    "message",
    "tool",
    "result",
    "directory",
    "branch",
    "commit",
    "read",
    "write",
    "edit",
    "search",
    "run",
    "command",
    "output",
    "todo",
    "task",
    "pending",
    "completed",
    "in_progress",
    "def",
    "self",
    "None",
    "True",
    "False",
    "assert",
    "pytest",
    "passed",
    "failed",
    "warning",
    "package",
    "version",
    "config",
    "path",
    "src",
    "lib",
    "main",
    "index",
    "data",
    "type",
    "string",
    "number",
    "list",
]
TOOLS = [
    "Bash",
    "Read",
    "Edit",
    "Write",
    "Grep",
    "Glob",
    "TodoWrite",
    "TaskCreate",
    "TaskUpdate",
    "Task",
    "Agent",
    "exec_command",
    "shell",
    "apply_patch",
    "update_plan",
]
RNG = random.Random(20240501)


def words(low: int, high: int) -> str:
    return " ".join(RNG.choice(WORDS) for _ in range(RNG.randint(low, high)))


def hexes(count: int) -> str:
    return "".join(RNG.choice("0123456789abcdef") for _ in range(count))


def uuid() -> str:
    return "-".join(hexes(n) for n in (8, 4, 4, 4, 12))


def stamp() -> str:
    return f"2026-{RNG.randint(1, 12):02d}-{RNG.randint(1, 28):02d}T{RNG.randint(0, 23):02d}:{RNG.randint(0, 59):02d}:{RNG.randint(0, 59):02d}.{RNG.randint(0, 999):03d}Z"


def usage() -> dict[str, object]:
    write = RNG.randint(0, 20000)
    return {
        "input_tokens": RNG.randint(1, 20),
        "cache_creation_input_tokens": write,
        "cache_read_input_tokens": RNG.randint(0, 99999),
        "cache_creation": {"ephemeral_5m_input_tokens": write, "ephemeral_1h_input_tokens": 0},
        "output_tokens": RNG.randint(1, 2000),
        "service_tier": "standard",
        "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
    }


def claude() -> list[object]:
    envelope = {
        "parentUuid": uuid(),
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/user/project",
        "sessionId": uuid(),
        "version": "2.1.200",
        "gitBranch": "main",
    }
    call = "toolu_01" + hexes(22)
    tool = RNG.choice(TOOLS)
    reply = {"model": "claude-opus-4-8", "id": "msg_01" + hexes(22), "type": "message", "role": "assistant"}
    end = {"stop_reason": "tool_use", "stop_sequence": None, "usage": usage()}
    text = words(5, 200)
    return [
        {
            **envelope,
            "type": "user",
            "message": {"role": "user", "content": words(3, 60)},
            "uuid": uuid(),
            "timestamp": stamp(),
            "permissionMode": "default",
            "promptId": uuid(),
        },
        {
            **envelope,
            "message": {**reply, "content": [{"type": "text", "text": words(5, 80)}], **end},
            "requestId": "req_01" + hexes(22),
            "type": "assistant",
            "uuid": uuid(),
            "timestamp": stamp(),
        },
        {
            **envelope,
            "message": {
                **reply,
                "content": [
                    {
                        "type": "tool_use",
                        "id": call,
                        "name": tool,
                        "input": {
                            "command": words(2, 12),
                            "description": words(3, 6),
                            "file_path": "/home/user/project/src/main.py",
                        },
                        "caller": {"type": "direct"},
                    }
                ],
                **end,
            },
            "requestId": "req_01" + hexes(22),
            "type": "assistant",
            "uuid": uuid(),
            "timestamp": stamp(),
        },
        {
            **envelope,
            "type": "user",
            "message": {
                "role": "user",
                "content": [{"tool_use_id": call, "type": "tool_result", "content": text, "is_error": False}],
            },
            "uuid": uuid(),
            "timestamp": stamp(),
            "toolUseResult": {"stdout": text, "stderr": "", "interrupted": False, "isImage": False},
            "sourceToolAssistantUUID": uuid(),
        },
        {
            **envelope,
            "type": "progress",
            "data": {
                "type": "hook_progress",
                "hookEvent": "PostToolUse",
                "hookName": "PostToolUse:" + tool,
                "command": "callback",
            },
            "toolUseID": call,
            "parentToolUseID": call,
            "uuid": uuid(),
            "timestamp": stamp(),
        },
        {
            **envelope,
            "type": "system",
            "subtype": "turn_duration",
            "durationMs": RNG.randint(100, 99999),
            "messageCount": 12,
            "isMeta": False,
            "uuid": uuid(),
            "timestamp": stamp(),
        },
        {
            "type": "file-history-snapshot",
            "messageId": uuid(),
            "snapshot": {
                "messageId": uuid(),
                "trackedFileBackups": {
                    "src/main.py": {"backupFileName": hexes(16) + "@v1", "version": 1, "backupTime": stamp()}
                },
                "timestamp": stamp(),
            },
            "isSnapshotUpdate": False,
        },
        {"type": "last-prompt", "lastPrompt": words(3, 20), "leafUuid": uuid(), "sessionId": uuid()},
    ]


def codex() -> list[object]:
    call = "call_" + hexes(24)

    def line(kind: str, payload: object) -> dict[str, object]:
        return {"timestamp": stamp(), "type": kind, "payload": payload}

    tokens = {
        "input_tokens": RNG.randint(1, 99999),
        "cached_input_tokens": RNG.randint(0, 9999),
        "output_tokens": RNG.randint(1, 999),
        "reasoning_output_tokens": 0,
        "total_tokens": RNG.randint(1, 99999),
    }
    text = words(3, 60)
    return [
        line("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}),
        line(
            "event_msg",
            {"type": "user_message", "message": text, "images": [], "local_images": [], "text_elements": []},
        ),
        line(
            "response_item",
            {
                "type": "reasoning",
                "id": "rs_" + hexes(40),
                "summary": [{"type": "summary_text", "text": words(3, 20)}],
                "content": None,
                "encrypted_content": hexes(200),
            },
        ),
        line(
            "response_item",
            {
                "type": "function_call",
                "name": RNG.choice(TOOLS),
                "arguments": json.dumps({"command": ["bash", "-lc", words(2, 9)], "workdir": "/home/user/project"}),
                "call_id": call,
            },
        ),
        line(
            "response_item",
            {
                "type": "function_call_output",
                "call_id": call,
                "output": json.dumps({"output": words(5, 150), "metadata": {"exit_code": 0, "duration_seconds": 0.1}}),
            },
        ),
        line(
            "response_item",
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": text}],
                "phase": "final_answer",
            },
        ),
        line(
            "event_msg",
            {
                "type": "token_count",
                "info": {"total_token_usage": tokens, "last_token_usage": tokens, "model_context_window": 258400},
                "rate_limits": {
                    "primary": {"used_percent": 1.0, "window_minutes": 300, "resets_at": 1780000000},
                    "secondary": None,
                    "credits": None,
                    "plan_type": None,
                },
            },
        ),
        line(
            "turn_context",
            {
                "turn_id": uuid(),
                "cwd": "/home/user/project",
                "approval_policy": "never",
                "sandbox_policy": {"type": "danger-full-access"},
                "model": "gpt-5.5",
                "effort": "high",
                "summary": "auto",
            },
        ),
        line(
            "event_msg",
            {
                "type": "task_started",
                "turn_id": uuid(),
                "model_context_window": 258400,
                "collaboration_mode_kind": "default",
            },
        ),
    ]


def ours() -> list[object]:
    return [
        {
            "content": {"$ref": ["message", "content"]},
            "origin": "human",
            "visible_to_model": True,
            "visible_to_reader": True,
            "starts_turn": True,
            "preview": words(3, 20),
            "role": "user",
        },
        {
            "response_id": "msg_01" + hexes(22),
            "request_id": "req_01" + hexes(22),
            "model": "claude-opus-4-8",
            "input_tokens": 3,
            "output_tokens": 200,
            "cache_read_tokens": 22137,
            "cache_write_5m_tokens": 0,
            "cache_write_1h_tokens": 0,
            "reported": True,
            "cumulative": False,
            "inherited": False,
        },
        {
            "call_id": "toolu_01" + hexes(22),
            "name": RNG.choice(TOOLS),
            "arguments": {"$ref": ["message", "content", 0, "input"]},
            "call_type": "function",
            "expects_result": True,
            "preview": words(1, 9),
        },
        {
            "call_id": "call_" + hexes(24),
            "content": {"$ref": ["payload", "output"]},
            "is_error": False,
            "structured": {"$ref": ["toolUseResult"]},
            "synthesized": False,
            "preview": words(3, 20),
        },
    ]


def main() -> None:
    samples = [
        json.dumps(value, separators=(",", ":")).encode()
        for _ in range(600)
        for make in (claude, codex, ours)
        for value in make()
    ]
    trained = zstandard.train_dictionary(65_536, samples)
    Path(sys.argv[1]).write_bytes(trained.as_bytes())


if __name__ == "__main__":
    main()
