"""The client's own markup inside texts: commands, interruptions, notices of background tasks."""

from __future__ import annotations

import re
from typing import Any

from ...references import preview
from .record import Record
from .shape import obj, rows

_COMMAND = re.compile(r"<command-name>\s*(/?[^<\s]+)\s*</command-name>")
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_MARKUP = re.compile(
    r"\s*<(command-name|command-message|local-command-stdout|local-command-stderr|local-command-caveat"
    r"|bash-input|bash-stdout|bash-stderr|user-memory-input)>"
)
_INTERRUPTED = re.compile(r"\s*\[Request interrupted by user[^\]]*\]\s*$")
_FIELD = re.compile(r"<(task-id|tool-use-id|output-file|status|summary|task-type)>(.*?)</\1>", re.DOTALL)
LOCAL = frozenset(
    [
        "add-dir",
        "agents",
        "bashes",
        "branch",
        "btw",
        "bug",
        "cd",
        "clear",
        "color",
        "compact",
        "config",
        "context",
        "copy",
        "cost",
        "doctor",
        "effort",
        "exit",
        "export",
        "fast",
        "feedback",
        "fork",
        "help",
        "hooks",
        "ide",
        "install",
        "keybindings",
        "login",
        "logout",
        "mcp",
        "memory",
        "mobile",
        "model",
        "output-style",
        "permissions",
        "plugin",
        "privacy-settings",
        "quit",
        "release-notes",
        "reload-plugins",
        "remote-control",
        "rename",
        "resume",
        "rewind",
        "sandbox",
        "session",
        "skills",
        "stats",
        "status",
        "statusline",
        "stickers",
        "tag",
        "tasks",
        "terminal-setup",
        "theme",
        "todos",
        "upgrade",
        "usage",
        "vim",
        "voice",
    ]
)
"""Commands that the client answers itself."""


def is_command_markup(said: str) -> bool:
    return _MARKUP.match(said) is not None


def is_interruption(said: str) -> bool:
    return _INTERRUPTED.match(said) is not None


def command_of(said: str) -> str | None:
    """The slash command with its arguments as it was typed, None when the text is none."""
    found = _COMMAND.search(said) if is_command_markup(said) else None
    if found is None:
        return None
    name = found.group(1)
    arguments = _ARGUMENTS.search(said)
    typed = arguments.group(1).strip() if arguments else ""
    return f"/{name.removeprefix('/')} {typed}".strip()


def starts_run(said: str, content: Any) -> bool:
    """Whether a person's input makes the model work: a prompt, or a command that stands for one."""
    if is_command_markup(said):
        command = command_of(said)
        return command is not None and command[1:].split(" ", 1)[0] not in LOCAL
    return bool(said.strip()) or any(obj(block).get("type") in ("image", "document") for block in rows(content))


def notified_task(record: Record, said: str) -> None:
    """BackgroundTask out of a notification; a sub-agent that ran in the background reports the same way."""
    fields = {name: value.strip() for name, value in _FIELD.findall(said)}
    task = fields.get("task-id")
    if not task:
        return
    status = fields.get("status") or None
    summary = fields.get("summary") or ""
    record.add(
        "BackgroundTask",
        task_id=task[:200],
        type=fields.get("task-type") or ("agent" if summary.startswith("Agent ") else None),
        status=status,
        call_id=fields.get("tool-use-id") or None,
        output_file=fields.get("output-file") or None,
        exit_code=_exit_code(summary),
    )
    if summary.startswith("Agent "):
        states = {"completed": "completed", "failed": "failed", "killed": "interrupted", "stopped": "interrupted"}
        record.add("Subagent", agent_id=task[:200], status=states.get(status or "", "unknown"), background=True)


def _exit_code(summary: str) -> int | None:
    found = re.search(r"\(exit code (\d{1,3})\)", preview(summary, 500))
    return int(found.group(1)) if found else None
