"""Other clients' names for the deeds of our coding tools, so that recorded rights and a model's old habits find their tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..live.json_shapes import is_list, is_object

_CLAUDE_FILE = {"file_path": "path", "old_string": "old", "new_string": "new", "contents": "content"}

FOREIGN: dict[str, tuple[str, dict[str, str]]] = {
    "Read": ("read_file", _CLAUDE_FILE),
    "Write": ("write_file", _CLAUDE_FILE),
    "Edit": ("edit_file", _CLAUDE_FILE),
    "LS": ("list_files", {}),
    "Glob": ("list_files", {}),
    "Grep": ("search_files", {}),
    "Bash": ("run_command", {}),
    "shell": ("run_command", {}),
    "shell_command": ("run_command", {}),
    "local_shell": ("run_command", {}),
    "exec_command": ("run_command", {"cmd": "command"}),
    "TodoWrite": ("update_todos", {}),
    "update_plan": ("update_todos", {"plan": "todos"}),
    "AskUserQuestion": ("ask_user", {}),
}
"""Foreign tool name: our tool, and which arguments have another name. Claude Code 1.x to 2.1, Codex 0.20 to 0.170."""

_SAME_RIGHT = {
    "MultiEdit": "edit_file",
    "apply_patch": "edit_file",
    "NotebookEdit": "edit_file",
    "TaskCreate": "update_todos",
    "TaskUpdate": "update_todos",
    "unified_exec": "run_command",
}
"""Tools whose arguments we cannot take, but which stand for the same right."""


def bounds(source: str, recorded: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The recorded tools as a bound on what may be offered; None when the record is no bound.

    A Codex rollout lists only what was added to the client's own tools (a shell and edits), never those.
    """
    return None if source == "codex" else recorded


def ours(name: str) -> str:
    """The coding tool that does what the foreign tool `name` does; the name itself when there is none."""
    known = FOREIGN.get(name)
    return known[0] if known else _SAME_RIGHT.get(name, name)


def permitted(name: str, recorded: tuple[str, ...]) -> bool:
    """Whether a coding tool is among the recorded ones, by its own or a foreign name (`Bash(git:*)` is not the whole of Bash)."""
    return any(name in (each, ours(each)) for each in recorded if "(" not in each)


def translated(name: str, arguments: Any) -> tuple[str, Any]:
    """A call made by a foreign name as a call of our tool; arguments that our tool has not are left out."""
    known = FOREIGN.get(name)
    if known is None or not is_object(arguments):
        return name, arguments
    tool, renamed = known
    given = {renamed.get(key, key): value for key, value in arguments.items()}
    return tool, _ADAPTED.get(tool, _same)(given)


def _same(given: dict[str, Any]) -> dict[str, Any]:
    return given


def _only(*names: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def adapted(given: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in given.items() if key in names}

    return adapted


def _command(given: dict[str, Any]) -> dict[str, Any]:
    """A list of words is a command line; times of other clients are in ms."""
    import shlex

    command = given.get("command")
    if is_list(command):
        words = [str(word) for word in command]
        wrapped = len(words) == 3 and words[1] in ("-c", "-lc")
        command = words[2] if wrapped else shlex.join(words)
    limit_ms = given.get("timeout", given.get("timeout_ms"))
    adapted: dict[str, Any] = {"command": command}
    if isinstance(limit_ms, int | float) and limit_ms > 0:
        adapted["timeout_s"] = min(limit_ms / 1000, 600)
    return adapted


def _todos(given: dict[str, Any]) -> dict[str, Any]:
    items = given.get("todos")
    if not is_list(items):
        return given
    made = [
        {**item, "content": item.get("content") or item.get("step"), "active_form": item.get("activeForm")}
        for item in items
        if is_object(item)
    ]
    return {"todos": made}


_ADAPTED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "read_file": _only("path", "offset", "limit"),
    "write_file": _only("path", "content"),
    "edit_file": _only("path", "old", "new", "replace_all"),
    "list_files": _only("path", "pattern"),
    "search_files": _only("path", "pattern", "glob"),
    "run_command": _command,
    "update_todos": _todos,
}
