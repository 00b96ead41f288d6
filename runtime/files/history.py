"""What a session did to each file, in the order of its log: changes, and copies its client took in between.

The order is the log's, across all branches of the conversation: going back in the talk does not put a file back.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ...events.event import Event
from ...events.references import is_reference
from ...events.store import EventStore
from .content import ABSENT, Content, Copies
from .patch import Hunk, apply_patch, parse_patch, reverse_patch

KINDS = ("FileChanged", "FileCheckpoint")


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy as the client took it for the prompt at `position`; `name` None: the file did not exist then."""

    position: int
    name: str | None


@dataclass(slots=True)
class FileLog:
    """All changes of one path and all copies of it. State `i` is the content after `i` changes; state 0 the one
    before the first."""

    path: str
    changes: list[Event] = field(default_factory=list[Event])
    copies: list[Copy] = field(default_factory=list[Copy])
    came_from: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])
    """By number of the change: the path and state that a move took the content from."""

    def state_at(self, position: int) -> int:
        return sum(change.position <= position for change in self.changes)

    def span(self, state: int) -> tuple[int, int | None]:
        """The positions between which this state held: from its change on, up to the next change (exclusive)."""
        start = self.changes[state - 1].position if state else 0
        end = self.changes[state].position if state < len(self.changes) else None
        return start, end

    def copies_of(self, state: int, near: int) -> list[Copy]:
        """Copies taken while this state held, the nearest at or before `near` first, then the later ones in order."""
        start, end = self.span(state)
        held = [copy for copy in self.copies if copy.position >= start and (end is None or copy.position < end)]
        before = [copy for copy in held if copy.position <= near]
        return sorted(before, key=lambda copy: -copy.position) + [copy for copy in held if copy.position > near]


class FileHistory:
    """The logs of all files of a session up to its head. Paths are absolute, relative ones taken from `base`."""

    def __init__(self, store: EventStore, session_id: str, base: str | None, copies: Copies) -> None:
        self._store = store
        self._base = base or ""
        self.copies = copies
        self.logs: dict[str, FileLog] = {}
        self._full: dict[int, dict[str, Any]] = {}
        events = list(store.read(session_id, kinds=KINDS))
        prompts = _positions(store, session_id, events)
        for event in events:
            if event.kind == "FileChanged":
                self._changed(event)
            else:
                self._checkpoint(event, prompts)

    def absolute(self, path: str) -> str:
        return posixpath.normpath(posixpath.join(self._base, path.replace("\\", "/") if _is_windows(path) else path))

    def _log(self, path: str) -> FileLog:
        path = self.absolute(path)
        return self.logs.setdefault(path, FileLog(path))

    def _changed(self, event: Event) -> None:
        log = self._log(str(event.data.get("path") or ""))
        log.changes.append(event)
        target = event.data.get("moved_to")
        if target:
            moved = self._log(str(target))
            moved.changes.append(event)
            moved.came_from[len(moved.changes)] = (log.path, len(log.changes) - 1)

    def _checkpoint(self, event: Event, prompts: dict[str, int]) -> None:
        position = prompts.get(str(event.data.get("message_id")), event.position)
        for backup in event.data.get("backups") or ():
            self._log(str(backup["path"])).copies.append(Copy(position, backup.get("backup")))

    # -- contents -------------------------------------------------------------------------------------------------

    def content(self, log: FileLog, state: int, near: int) -> Content | None:
        """The content in this state, from what was recorded about it or by patches from the nearest known one; None
        if unknown."""
        direct = self._recorded(log, state, near)
        if direct is not None:
            return direct
        return self._forward(log, state, near) or self._backward(log, state, near)

    def _recorded(self, log: FileLog, state: int, near: int) -> Content | None:
        """The content before the next change is the surest; then copies; then the content after the last change."""
        before = self._before(log, state)
        for copy in log.copies_of(state, near):
            found = self.copy(copy)
            if found is not None and (before is None or before.same_as(found)):
                return found
        if before is not None:
            return before
        return self._after(log, state)

    def written(self, log: FileLog) -> Content | None:
        """What the session last wrote there, as its tools recorded it; None if the log does not tell."""
        last = len(log.changes)
        return self._after(log, last) or self._forward(log, last, log.changes[-1].position)

    def copy(self, copy: Copy) -> Content | None:
        return ABSENT if copy.name is None else self.copies.named(copy.name)

    def repeats(self, log: FileLog, content: Content) -> bool:
        """Whether the file had this content at an earlier time: then its own client put it back (which it does not
        record)."""
        earlier = range(len(log.changes))
        known = (self.content(log, state, log.span(state)[0]) for state in earlier)
        return any(each is not None and each.same_as(content) for each in known)

    def _before(self, log: FileLog, state: int) -> Content | None:
        if state >= len(log.changes):
            return None
        data = log.changes[state].data
        if data.get("moved_to") and self.absolute(str(data["moved_to"])) == log.path:
            return ABSENT
        if data.get("backup"):
            copy = self.copies.named(str(data["backup"]))
            if copy is not None:
                return copy
        if data.get("digest_before"):
            copy = self.copies.named(str(data["digest_before"]))
            if copy is not None:
                return copy
        text = self._text(log.changes[state], "content_before")
        if text is not None:
            return text
        return ABSENT if data.get("operation") == "create" else None

    def _after(self, log: FileLog, state: int) -> Content | None:
        if not state:
            return None
        event = log.changes[state - 1]
        gone = event.data.get("operation") in {"delete", "move"} and state not in log.came_from
        if gone:
            return ABSENT
        if event.data.get("digest_after"):
            copy = self.copies.named(str(event.data["digest_after"]))
            if copy is not None:
                return copy
        return self._text(event, "content_after")

    def _forward(self, log: FileLog, state: int, near: int) -> Content | None:
        """From the nearest known earlier state, patch by patch; through a move from the file it came from."""
        steps: list[list[Hunk]] = []
        while state > 0:
            hunks = self._hunks(log.changes[state - 1])
            origin = log.came_from.get(state)
            if hunks is None:
                return None
            steps.append(hunks)
            log, state = (self.logs[origin[0]], origin[1]) if origin else (log, state - 1)
            known = self._recorded(log, state, near)
            if known is not None:
                return _patched(known, reversed(steps), apply_patch)
        return None

    def _backward(self, log: FileLog, state: int, near: int) -> Content | None:
        """From the nearest known later state, taking patches back; through a move from the file it became."""
        steps: list[list[Hunk]] = []
        while state < len(log.changes):
            change = log.changes[state]
            hunks = self._hunks(change)
            if hunks is None:
                return None
            steps.append(hunks)
            log, state = self._next(log, state)
            known = self._recorded(log, state, near)
            if known is not None:
                return _patched(known, reversed(steps), reverse_patch)
        return None

    def _next(self, log: FileLog, state: int) -> tuple[FileLog, int]:
        target = log.changes[state].data.get("moved_to")
        if not target or self.absolute(str(target)) == log.path:
            return log, state + 1
        moved = self._log(str(target))
        return moved, moved.changes.index(log.changes[state]) + 1

    def back_from(self, read: Callable[[str], Content | None], log: FileLog, state: int) -> Content | None:
        """Take the recorded patches back from what is on disk now, through moves; None when one does not fit.

        read: what is on disk at a recorded path, None where that must not be looked at.
        """
        steps: list[list[Hunk]] = []
        while state < len(log.changes):
            hunks = self._hunks(log.changes[state])
            if hunks is None:
                return None
            steps.append(hunks)
            log, state = self._next(log, state)
        present = read(log.path)
        if present is None or present.data is None:
            return None
        return _patched(present, reversed(steps), reverse_patch)

    def _hunks(self, event: Event) -> list[Hunk] | None:
        patch = self._data(event).get("patch")
        edited = event.data.get("lines_added") or event.data.get("lines_removed")
        if patch is None and event.data.get("operation") == "move" and not edited:
            return []
        return parse_patch(patch)

    def _text(self, event: Event, name: str) -> Content | None:
        if event.data.get(name) is None:
            return None
        return self.copies.text(self._data(event).get(name))

    def _data(self, event: Event) -> dict[str, Any]:
        if event.position not in self._full:
            needs = any(is_reference(value) for value in event.data.values())
            (full,) = self._store.hydrate([event]) if needs else (event,)
            self._full[event.position] = full.data
        return self._full[event.position]


def _patched(content: Content, steps: Iterable[list[Hunk]], act: Any) -> Content | None:
    text = content.text()
    for hunks in steps:
        if text is None:
            return None
        text = act(text, hunks)
    return None if text is None else Content.of_text(text)


def _positions(store: EventStore, session_id: str, events: list[Event]) -> dict[str, int]:
    """Where the prompts stand for which copies were taken."""
    wanted = {str(event.data.get("message_id")) for event in events if event.kind == "FileCheckpoint"}
    if not wanted:
        return {}
    found: dict[str, int] = {}
    for event in store.read(session_id, kinds=["UserInput"]):
        if event.native_id in wanted:
            found.setdefault(event.native_id, event.position)
    return found


def _is_windows(path: str) -> bool:
    return len(path) > 2 and path[1] == ":" and path[2] in "\\/"
