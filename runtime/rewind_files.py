"""Files back to a pointer: a plan that names every file and what is known of it, then the plan carried out.

Only files that the session's own tools changed after the pointer are in the plan. What commands of a shell did is
not recorded: they are named, never guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..events.blocks import Frozen
from ..events.event import Draft, Event
from ..events.findings import Finding
from ..events.kinds import FileBackup, FileChanged, FileCheckpoint
from ..events.pointer import Pointer
from ..events.store import EventStore
from .files.content import Content, Copies
from .files.history import FileHistory, FileLog
from .files.place import Ground, RecordedPlace, Spot
from .files.writing import put, read_now

_SHELL = re.compile(
    r"^(?:bash|shell|shell_command|local_shell|exec|exec_command|write_stdin|powershell|container\.exec|run_command)$",
    re.IGNORECASE,
)

Action = Literal["write", "delete", "none"]
State = Literal["ready", "already", "drift", "unverified", "not-restorable", "left-alone"]


class FileStep(Frozen):
    """One file of a plan. `state`: ready (as the session left it), already (has that content), drift (changed by
    someone else), unverified (not known what the session last wrote), not-restorable, left-alone (not changed after
    the pointer, but differs)."""

    path: str
    recorded_path: str | None = None
    action: Action
    state: State
    reason: str | None = None
    digest_now: str | None = None
    digest_then: str | None = None
    digest_expected: str | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A step with what is needed to take it."""

    step: FileStep
    spot: Spot
    present: Content | None = None
    target: Content | None = None

    def known(self) -> tuple[Content, Content]:
        """The present and the wanted content of a step that can be taken."""
        assert self.present is not None
        assert self.target is not None
        return self.present, self.target


@dataclass(frozen=True, slots=True)
class FilePlan:
    """All steps, and the shell calls after the pointer whose effects nobody recorded."""

    moves: tuple[Move, ...]
    shell_calls: tuple[str, ...] = ()

    def of(self, *states: State) -> list[Move]:
        return [move for move in self.moves if move.step.state in states]

    def to_take(self, *, force: bool) -> list[Move]:
        wanted: tuple[State, ...] = ("ready", "drift", "unverified", "left-alone") if force else ("ready",)
        return [move for move in self.of(*wanted) if move.target is not None]

    def findings(self) -> list[Finding]:
        found = [_finding(move.step) for move in self.of("drift", "unverified", "not-restorable", "left-alone")]
        if self.shell_calls:
            found.append(_shell_finding(self.shell_calls))
        return found


def plan_files(store: EventStore, target: Pointer, ground: Ground) -> FilePlan:
    """What would have to be done to give each file the content it had at `target`; looks at the disk, changes
    nothing."""
    lineage = [target.session_id, *_ancestors(store, target.session_id)]
    history = FileHistory(store, target.session_id, _base(ground.recorded), Copies.of_session(store, lineage))
    moves = [_move(history, log, target.position, ground) for log in list(history.logs.values()) if log.changes]
    calls = _shell_calls(store, target)
    return FilePlan(tuple(move for move in moves if move is not None), calls)


def _move(history: FileHistory, log: FileLog, position: int, ground: Ground) -> Move | None:
    state = log.state_at(position)
    touched = state < len(log.changes)
    spot = ground.spot(log.path)
    if spot.path is None:
        step = FileStep(
            path=log.path, recorded_path=log.path, action="none", state="not-restorable", reason=spot.refusal
        )
        return Move(step, spot) if touched else None
    present = read_now(spot.path)

    def read(path: str) -> Content | None:
        other = ground.spot(path).path
        return None if other is None else read_now(other)

    then = history.content(log, state, position)
    if not touched:
        return _untouched(log, spot, present, then)
    if then is None:
        then = history.back_from(read, log, state)
        if then is None:
            step = FileStep(
                path=log.path,
                action="none",
                state="not-restorable",
                reason="content-unknown",
                digest_now=present.digest,
            )
            return Move(step, spot, present)
    then = then.in_the_style_of(present)
    verdict, expected = _compared(history, log, state, present, then, read)
    action: Action = "none" if verdict == "already" else "delete" if then.data is None else "write"
    step = FileStep(
        path=str(spot.path),
        recorded_path=log.path,
        action=action,
        state=verdict,
        reason={"drift": "changed-by-someone-else", "unverified": "last-content-unknown"}.get(verdict),
        digest_now=present.digest,
        digest_then=then.digest,
        digest_expected=expected,
    )
    return Move(step, spot, present, then)


def _untouched(log: FileLog, spot: Spot, present: Content, then: Content | None) -> Move | None:
    """A file that no tool changed after the pointer: it should be as it was; if not, somebody else or a command did
    it."""
    if then is None or then.same_as(present):
        return None
    step = FileStep(
        path=str(spot.path),
        recorded_path=log.path,
        action="none",
        state="left-alone",
        reason="changed-outside-the-recorded-edits",
        digest_now=present.digest,
        digest_then=then.digest,
        digest_expected=then.digest,
    )
    return Move(step, spot, present, then.in_the_style_of(present))


def _compared(
    history: FileHistory,
    log: FileLog,
    state: int,
    present: Content,
    then: Content,
    read: Callable[[str], Content | None],
) -> tuple[State, str | None]:
    """Whether the file is as the session left it. The client's own copies count where they repeat a state the
    session had."""
    if then.same_as(present):
        return "already", then.digest
    last = len(log.changes)
    head = 2**62
    written = history.written(log)
    if written is not None and written.same_as(present):
        return "ready", written.digest
    digest = log.changes[-1].data.get("digest_after")
    if written is None and digest is not None:
        return ("ready" if digest == present.digest else "drift"), str(digest)
    for copy in log.copies_of(last, head):
        seen = history.copy(copy)
        if seen is not None and seen.same_as(present) and history.repeats(log, seen):
            return "ready", seen.digest
    if written is None:
        back = history.back_from(read, log, state)
        if back is None:
            return "unverified", None
        moved_here = then.data is None and bool(log.came_from)
        return ("ready" if moved_here or back.same_as(then) else "drift"), None
    return "drift", written.digest


def carry_out(store: EventStore, session_id: str, moves: Sequence[Move], token: int | None) -> list[Draft]:
    """Save what is there now (blobs and one event), then put the files back; returns the events that tell what was
    done.

    Each file changes at once or not at all. When one cannot be written, those before it stay as they are now and the
    error names the file; nothing is lost, because all of them were saved first.
    """
    if not moves:
        return []
    with store.writing():
        backups: list[FileBackup] = []
        for move in moves:
            present, target = move.known()
            saved = None if present.data is None else store.put_blob(present.data)
            if target.data is not None:
                store.put_blob(target.data)
            backups.append(FileBackup(path=move.spot.recorded, backup=saved))
        checkpoint = FileCheckpoint(message_id=None, backups=tuple(backups), replaces=False, caused_by="rewind")
        store.append(session_id, [Draft.of(checkpoint, ts=_now())], token=token)
    for move in moves:
        _take(move)
    return [Draft.of(_changed(move), ts=_now()) for move in moves]


def _take(move: Move) -> None:
    """Write one file, unless it changed since it was looked at."""
    from ..events.errors import Conflict

    present, target = move.known()
    path = move.spot.path
    assert path is not None
    if read_now(path) != present:
        raise Conflict(
            f"{path} changed while it was being put back.",
            remedy="Nothing of it was overwritten. Run the same command again.",
            path=str(path),
        )
    put(path, target)


def _changed(move: Move) -> FileChanged:
    present, target = move.known()
    gone, new = target.data is None, present.data is None
    return FileChanged(
        path=move.spot.recorded,
        operation="delete" if gone else "create" if new else "update",
        digest_before=present.digest,
        digest_after=target.digest,
        size_after=None if target.data is None else len(target.data),
        backup=present.digest,
    )


def _now() -> int:
    from ..events.times import now_us

    return now_us()


def _base(recorded: RecordedPlace) -> str | None:
    return recorded.cwd or recorded.root


def _ancestors(store: EventStore, session_id: str) -> list[str]:
    """The sessions this one was forked from, nearest first."""
    found: list[str] = []
    row = store.session(session_id)
    while row.forked_from is not None:
        parent = row.forked_from.rpartition("@")[0]
        if parent in found:
            break
        found.append(parent)
        next_row = store.find_session(parent)
        if next_row is None:
            break
        row = next_row
    return found


def _shell_calls(store: EventStore, target: Pointer) -> tuple[str, ...]:
    events = store.read(target.session_id, after=target.position, kinds=["ToolUse"])
    return tuple(event.pointer for event in events if _is_shell(event))


def _is_shell(event: Event) -> bool:
    return event.data.get("call_type") == "shell" or bool(_SHELL.match(str(event.data.get("name") or "")))


_REMEDIES: dict[str, str] = {
    "drift": "Look at it; --force puts it back all the same (its present content is saved first).",
    "unverified": "The log does not tell what the session last wrote there; --force puts it back (it is saved first).",
    "not-restorable": "Restore it by hand, for example from git.",
    "left-alone": "It was left as it is; --force gives it the content of that time.",
}


def _finding(step: FileStep) -> Finding:
    what = {
        "drift": "was changed by someone else since the session last wrote it",
        "unverified": "cannot be compared with what the session last wrote",
        "not-restorable": f"cannot be put back ({step.reason})",
        "left-alone": "differs from what the session last wrote, and no recorded edit after the pointer touches it",
    }[step.state]
    facts: dict[str, Any] = {"path": step.path, "reason": step.reason, "digest_now": step.digest_now}
    return Finding(
        code=f"file-{step.state}",
        severity="warning",
        message=f"{step.path} {what}.",
        remedy=_REMEDIES[step.state],
        facts={**facts, "digest_then": step.digest_then, "digest_expected": step.digest_expected},
    )


def _shell_finding(calls: Sequence[str]) -> Finding:
    return Finding(
        code="shell-effects-unknown",
        severity="warning",
        message=f"{len(calls)} shell call(s) after the pointer may have changed files; what they did is not recorded.",
        remedy="Compare the project with git; shell effects are not taken back.",
        facts={"calls": list(calls)},
    )
