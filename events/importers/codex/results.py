"""What the text of a tool output says of success: exit codes of all eras, running commands, calls that were not allowed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from .shapes import is_list, is_object

_EXIT = re.compile(r"^(?:Exit code: |Process exited with code |exit code: )(-?\d+)", re.MULTILINE | re.IGNORECASE)
_RUNNING = re.compile(r"^Process running with session ID (\d+)", re.MULTILINE)
_FAILED = (
    "unsupported call",
    "unsupported custom tool call",
    "error: ",
    "failed in sandbox",
    "execution error",
    "apply_patch verification failed",
    "failed to parse function arguments",
    "exec_command failed",
    "write_stdin failed",
    "tool call error",
    "sandbox error",
    "err: ",
    "Script failed",
    "Script error",
)
_REFUSED = (
    "exec command rejected by user",
    "patch rejected by user",
    "rejected: blocked by policy",
    "rejected by user",
)
_HEAD = 2000


@dataclass(frozen=True, slots=True)
class Outcome:
    """exit_code: None when the output tells none; process: the number of a command that goes on running."""

    failed: bool
    exit_code: int | None = None
    process: str | None = None
    denied: str | None = None


def outcome_of(text: str) -> Outcome:
    """Read the head of an output text."""
    head = text[:_HEAD]
    if head.startswith("{"):
        envelope = _envelope(text)
        if envelope is not None:
            return envelope
    preamble, _, _ = head.partition("\nOutput:\n")
    exit_code = _EXIT.search(preamble)
    running = _RUNNING.search(preamble)
    if exit_code is not None:
        return Outcome(int(exit_code[1]) != 0, int(exit_code[1]))
    if running is not None:
        return Outcome(False, None, running[1])
    trimmed = head.lstrip()
    if trimmed.startswith(_REFUSED):
        return Outcome(True, denied="person" if "user" in trimmed[:60] else "policy")
    return Outcome(trimmed.startswith(_FAILED) or trimmed == "aborted" or trimmed.startswith("aborted by user"))


def _envelope(text: str) -> Outcome | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    metadata = value.get("metadata") if is_object(value) else None
    code = metadata.get("exit_code") if is_object(metadata) else None
    if isinstance(code, int) and not isinstance(code, bool):
        return Outcome(code != 0, code)
    return None


def text_of(output: Any) -> str:
    """The text of an output in any encoding: string, parts, the old `{content, success}` object."""
    if isinstance(output, str):
        return output
    if is_list(output):
        return "\n".join(part["text"] for part in output if is_object(part) and isinstance(part.get("text"), str))
    if is_object(output):
        inner = output.get("content", output.get("text"))
        return text_of(inner) if inner is not None else json.dumps(output)
    return ""
