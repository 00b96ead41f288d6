"""The small set a coding agent needs: read, write, edit, list, search, run a command, keep todos. All stay in the workspace."""

from __future__ import annotations

import difflib
import fnmatch
import hashlib
import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...events.kinds import FileChanged, FileRead, Question, TodoItem, TodoSnapshot
from .command import run_shell
from .confined import Confined
from .tools import Outcome, Tool, ToolContext, error, tool

READ_LINES = 2000
LIST_LIMIT = 500
SEARCH_LIMIT = 200
PATCH_CHARS = 20_000
COMMAND_S = 120
LONGEST_COMMAND_S = 600


def read_file(
    path: str,
    context: ToolContext,
    offset: Annotated[int, Field(ge=1)] = 1,
    limit: Annotated[int, Field(ge=1)] = READ_LINES,
) -> Outcome:
    """Read a text file of the workspace, with line numbers. `offset` is the first line, `limit` the number of lines."""
    files = Confined(context.root)
    content = files.read(path)
    lines = content.decode("utf-8", "replace").splitlines()
    part = lines[offset - 1 : offset - 1 + limit]
    partial = len(part) < len(lines)
    text = "\n".join(f"{number}\t{line}" for number, line in enumerate(part, offset)) or "(empty)"
    if partial:
        text += f"\n(lines {offset} to {offset + len(part) - 1} of {len(lines)})"
    fact = FileRead(
        path=files.shown(path), digest=_digest(content), partial=partial, call_id=context.call_id, type="text"
    )
    return Outcome(text, facts=(fact,))


def write_file(path: str, content: str, context: ToolContext) -> Outcome:
    """Write a whole file of the workspace; it is created, with its folders, or replaced."""
    return _change(Confined(context.root), path, content.encode("utf-8", "replace"), context)


def edit_file(path: str, old: str, new: str, context: ToolContext, replace_all: bool = False) -> Outcome:
    """Replace the text `old` by `new` in a file. `old` must occur exactly once, unless `replace_all` is true."""
    files = Confined(context.root)
    text = files.read(path).decode("utf-8", "surrogateescape")
    count = text.count(old) if old else 0
    if count == 0:
        return error(f"the text to replace does not occur in {path}")
    if count > 1 and not replace_all:
        return error(f"the text to replace occurs {count} times in {path}; give more of it, or set replace_all")
    return _change(files, path, text.replace(old, new).encode("utf-8", "surrogateescape"), context)


def _change(files: Confined, path: str, content: bytes, context: ToolContext) -> Outcome:
    before = files.read_if_there(path)
    backup = None if before is None else context.keep(before)
    files.write(path, content)
    old = [] if before is None else before.decode("utf-8", "replace").splitlines(keepends=True)
    diff = list(difflib.unified_diff(old, content.decode("utf-8", "replace").splitlines(keepends=True), path, path))
    patch = "".join(line if line.endswith("\n") else line + "\n" for line in diff)
    fact = FileChanged(
        path=files.shown(path),
        operation="create" if before is None else "update",
        digest_before=None if before is None else _digest(before),
        digest_after=_digest(content),
        size_after=len(content),
        patch=patch if len(patch) <= PATCH_CHARS else None,
        backup=backup,
        call_id=context.call_id,
        lines_added=sum(line.startswith("+") for line in diff[2:]),
        lines_removed=sum(line.startswith("-") for line in diff[2:]),
    )
    done = "Created" if before is None else "Changed"
    return Outcome(f"{done} {path} (+{fact.lines_added} -{fact.lines_removed} lines).", facts=(fact,))


def list_files(context: ToolContext, path: str = ".", pattern: str = "*") -> str:
    """List the files below a folder of the workspace, as paths from its root. `pattern` is a glob for the path or the name."""
    found: list[str] = []
    for file in Confined(context.root).walk(path):
        if fnmatch.fnmatch(str(file), pattern) or fnmatch.fnmatch(file.name, pattern):
            found.append(str(file))
        if len(found) > LIST_LIMIT:
            return "\n".join(found[:LIST_LIMIT]) + f"\n(more than {LIST_LIMIT}; give a narrower pattern)"
    return "\n".join(found) or "(no files)"


def search_files(pattern: str, context: ToolContext, path: str = ".", glob: str = "*") -> str:
    """Search the files below a folder for a regular expression; gives path:line: text."""
    wanted = re.compile(pattern)
    files = Confined(context.root)
    hits: list[str] = []
    for file in files.walk(path):
        if not (fnmatch.fnmatch(str(file), glob) or fnmatch.fnmatch(file.name, glob)):
            continue
        try:
            content = files.read(str(file))
        except (OSError, ValueError):
            continue
        if b"\x00" in content[:8000]:
            continue
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            if wanted.search(line):
                hits.append(f"{file}:{number}: {line[:300]}")
            if len(hits) >= SEARCH_LIMIT:
                return "\n".join(hits) + f"\n(the first {SEARCH_LIMIT}; give a narrower pattern)"
    return "\n".join(hits) or "(no matches)"


def run_command(
    command: str, context: ToolContext, timeout_s: Annotated[float, Field(gt=0, le=LONGEST_COMMAND_S)] = COMMAND_S
) -> Outcome:
    """Run a shell command in the workspace, without input. Processes it leaves behind are ended with it."""
    if not context.root.is_dir():
        return error(f"the working directory {context.root} is gone")
    result = run_shell(command, context.root, timeout_s=timeout_s, interrupted=context.interrupted)
    state = f"stopped: {result.stopped}" if result.stopped else f"exit code {result.exit_code}"
    structured = {"exit_code": result.exit_code, "stopped": result.stopped, "dropped_bytes": result.dropped_bytes}
    text = f"{result.output.rstrip()}\n({state})" if result.output.strip() else f"({state})"
    return Outcome(text, is_error=bool(result.stopped) or result.exit_code != 0, structured=structured)


class TodoArgument(BaseModel):
    """One item of the list as the model gives it."""

    model_config = ConfigDict(extra="ignore")

    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"
    id: str | None = None
    active_form: str | None = None


def update_todos(todos: list[TodoArgument], context: ToolContext) -> Outcome:
    """Replace the todo list by this one; give all items, also the finished ones."""
    items = tuple(
        TodoItem(id=item.id or str(number), content=item.content, status=item.status, active_form=item.active_form)
        for number, item in enumerate(todos, 1)
    )
    return Outcome(f"The list has {len(items)} items.", facts=(TodoSnapshot(items=items, call_id=context.call_id),))


def ask_user(question: str, context: ToolContext, choices: list[str] | None = None) -> Outcome:
    """Ask the person a question; the run waits for the answer."""
    from ...events.kinds import ApprovalRequested

    asked = Question(id="1", text=question, choices=tuple(choices or ()))
    request = ApprovalRequested(call_id=context.call_id, tool="ask_user", type="question", questions=(asked,))
    return Outcome("", ask=request)


def coding_tools() -> tuple[Tool, ...]:
    """The set, in the order in which the model sees it (the order is part of the cached prefix)."""
    return (
        tool(read_file, effect="read"),
        tool(write_file, effect="write"),
        tool(edit_file, effect="write"),
        tool(list_files, effect="read"),
        tool(search_files, effect="read"),
        tool(run_command, effect="execute"),
        tool(update_todos),
        tool(ask_user),
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
