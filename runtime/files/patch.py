"""Applying and taking back a recorded patch, exactly: a hunk that does not fit gives None, never a guess.

Two forms occur: unified diff text (Codex) and the hunk objects of the npm package `diff` (Claude Code's
`structuredPatch`: `oldStart, oldLines, newStart, newLines, lines`). They differ in the start of an empty side: the
text form counts one less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, cast

from ..live.json_shapes import is_list

_HEADER = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NO_NEWLINE = "\\"


@dataclass(frozen=True, slots=True)
class Hunk:
    """`old` lines that stand at index `old_at` (from 0) are `new` lines that stand at `new_at`; lines keep their
    line end."""

    old_at: int
    old: tuple[str, ...]
    new_at: int
    new: tuple[str, ...]

    def turned(self) -> Hunk:
        return Hunk(self.new_at, self.new, self.old_at, self.old)


def parse_patch(patch: Any) -> list[Hunk] | None:
    """Hunks of either form; None when it is neither, or holds nothing."""
    if isinstance(patch, str):
        return _unified(patch)
    if isinstance(patch, dict):
        told = cast("dict[str, Any]", patch)
        inner = told.get("unified_diff") or told.get("hunks") or told.get("structuredPatch")
        return parse_patch(inner) if inner is not None else None
    if is_list(patch) and patch:
        hunks = [_structured(hunk) for hunk in patch]
        return [hunk for hunk in hunks if hunk is not None] if all(hunks) else None
    return None


def _structured(hunk: Any) -> Hunk | None:
    try:
        return _hunk(int(hunk["oldStart"]) - 1, int(hunk["newStart"]) - 1, [str(line) for line in hunk["lines"]])
    except (KeyError, TypeError, ValueError):
        return None


def _unified(text: str) -> list[Hunk] | None:
    hunks: list[Hunk] = []
    start: tuple[int, int] | None = None
    body: list[str] = []
    for line in [*text.split("\n"), "@@"]:
        found = _HEADER.match(line)
        if found or line == "@@":
            if start is not None:
                hunks.append(_hunk(*start, body))
            start = None if found is None else (_index(found[1], found[2]), _index(found[3], found[4]))
            body = []
        elif start is not None and line[:1] in {" ", "-", "+", _NO_NEWLINE}:
            body.append(line)
    return hunks or None


def _index(start: str, count: str | None) -> int:
    return int(start) if count == "0" else int(start) - 1


def _hunk(old_at: int, new_at: int, lines: list[str]) -> Hunk:
    old: list[str] = []
    new: list[str] = []
    for number, line in enumerate(lines):
        if line.startswith(_NO_NEWLINE):
            continue
        bare = number + 1 < len(lines) and lines[number + 1].startswith(_NO_NEWLINE)
        text = line[1:] + ("" if bare else "\n")
        if line[:1] != "+":
            old.append(text)
        if line[:1] != "-":
            new.append(text)
    return Hunk(max(old_at, 0), tuple(old), max(new_at, 0), tuple(new))


def apply_patch(text: str, hunks: list[Hunk]) -> str | None:
    """The text after the patch; None when a hunk does not stand exactly where it says."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    done: list[str] = []
    at = 0
    for hunk in sorted(hunks, key=lambda each: each.old_at):
        end = hunk.old_at + len(hunk.old)
        if hunk.old_at < at or not _equal(lines[hunk.old_at : end], hunk.old, last=end >= len(lines)):
            return None
        done += lines[at : hunk.old_at]
        done += _as_last(hunk, lines, end)
        at = end
    return "".join(done + lines[at:])


def reverse_patch(text: str, hunks: list[Hunk]) -> str | None:
    """The text before the patch; None when the text is not what the patch made."""
    return apply_patch(text, [hunk.turned() for hunk in hunks])


def _equal(found: list[str], wanted: tuple[str, ...], *, last: bool) -> bool:
    """Some clients leave out the mark for a missing newline at the end of a file: the last line may lack it."""
    if tuple(found) == wanted:
        return True
    return bool(last and found) and (*found[:-1], found[-1] + "\n") == wanted


def _as_last(hunk: Hunk, lines: list[str], end: int) -> list[str]:
    """A missing newline at the end of the file stays missing when the patch did not speak of it."""
    new = hunk.new
    silent = bool(hunk.old) and hunk.old[-1].endswith("\n")
    if silent and end >= len(lines) and not lines[-1].endswith("\n") and new and new[-1].endswith("\n"):
        return [*new[:-1], new[-1][:-1]]
    return list(new)
