"""The apply_patch format of Codex: which files a patch names, what it does to them, and the new content where it is known."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from .shapes import is_list, is_object

_FILE = re.compile(r"^\*\*\* (Add|Delete|Update) File: (.+?)\s*$")
_MOVE = re.compile(r"^\*\*\* Move to: (.+?)\s*$")
_ENVELOPE = re.compile(r"\*\*\* Begin Patch\s*\n.*?\*\*\* End Patch", re.DOTALL)


@dataclass
class FilePatch:
    """What a patch does to one file. operation: create, update, delete. added: the lines of a new file."""

    path: str
    operation: str
    moved_to: str | None = None
    lines: list[str] = field(default_factory=list[str])

    @property
    def content(self) -> str | None:
        """The whole content of a new file; None for other operations."""
        if self.operation != "create":
            return None
        return "".join(f"{line[1:]}\n" for line in self.lines if line.startswith("+"))

    @property
    def counts(self) -> tuple[int, int]:
        """Lines added and removed."""
        return sum(line.startswith("+") for line in self.lines), sum(line.startswith("-") for line in self.lines)

    def applied_to(self, content: str) -> str | None:
        """The content after this update, None when a hunk does not fit."""
        lines = content.split("\n")
        start = 0
        for old, new in self._hunks():
            found = _find(lines, old, start)
            if found is None:
                return None
            lines[found : found + len(old)] = new
            start = found + len(new)
        return "\n".join(lines)

    def _hunks(self) -> list[tuple[list[str], list[str]]]:
        hunks: list[tuple[list[str], list[str]]] = []
        old: list[str] = []
        new: list[str] = []
        for line in [*self.lines, "@@"]:
            if line.startswith(("@@", "***")):
                if old or new:
                    hunks.append((old, new))
                old, new = [], []
                continue
            mark, text = line[:1], line[1:]
            if mark != "+":
                old.append(text)
            if mark != "-":
                new.append(text)
        return hunks


def _find(lines: list[str], wanted: list[str], start: int) -> int | None:
    if not wanted:
        return len(lines) - 1 if lines and lines[-1] == "" else len(lines)
    first: int
    for first in [*range(start, len(lines)), *range(start)]:
        if lines[first : first + len(wanted)] == wanted:
            return first
    return None


def parse_patch(text: str) -> list[FilePatch]:
    """The file changes of a patch text, empty when it is none."""
    files: list[FilePatch] = []
    for line in text.splitlines():
        head = _FILE.match(line)
        if head is not None:
            operation = {"Add": "create", "Delete": "delete", "Update": "update"}[head[1]]
            files.append(FilePatch(head[2], operation))
        elif files:
            move = _MOVE.match(line)
            if move is not None:
                files[-1].moved_to = move[1]
            elif line.startswith("*** End Patch"):
                break
            else:
                files[-1].lines.append(line)
    return files


def patch_in_call(name: str, arguments: Any) -> str | None:
    """The patch text inside a call: the patch tool's own input, or a shell command that hands a patch to `apply_patch`."""
    value = arguments
    if isinstance(value, str):
        if name == "apply_patch" and "*** Begin Patch" in value and not value.lstrip().startswith("{"):
            return value
        if "*** Begin Patch" not in value:
            return None
        try:
            value = json.loads(value)
        except ValueError:
            return None
    if not is_object(value):
        return None
    command = value.get("command") or value.get("cmd") or value.get("input") or value.get("patch")
    words: list[Any] = command if is_list(command) else [command]
    text = "\n".join(str(word) for word in words if isinstance(word, str))
    if name != "apply_patch" and "apply_patch" not in text and "applypatch" not in text:
        return None
    found = _ENVELOPE.search(text)
    return found[0] if found else None
