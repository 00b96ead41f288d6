"""Which paths of a session may be written: inside the project (or the worktree it worked in), never through a link
that leads out."""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...events.store import EventStore


@dataclass(frozen=True, slots=True)
class RecordedPlace:
    """Where the session said it worked: `roots` in the order they were told, `cwd` the first, `worktrees` it
    entered."""

    roots: tuple[str, ...]
    cwd: str | None
    worktrees: tuple[str, ...] = ()

    @property
    def root(self) -> str | None:
        return self.roots[-1] if self.roots else self.cwd


def recorded_place(store: EventStore, session_id: str) -> RecordedPlace:
    """From the session's own events; cheap: only the kinds that tell of a place are read."""
    roots: list[str] = []
    worktrees: list[str] = []
    cwd: str | None = None
    for event in store.read(session_id, kinds=["SessionStarted", "WorkspaceObserved", "Worktree"]):
        data = event.data
        identity: dict[str, Any] = data.get("project") or {}
        project = identity.get("path")
        if event.kind == "Worktree":
            if data.get("path") and data.get("operation") == "entered":
                worktrees.append(str(data["path"]))
            continue
        cwd = cwd or data.get("cwd")
        rebound = data.get("cwd") if data.get("rebound") else None
        for root in (project, rebound):
            if root and (not roots or roots[-1] != root):
                roots.append(str(root))
    if not roots and cwd:
        roots.append(cwd)
    return RecordedPlace(tuple(roots), cwd, tuple(worktrees))


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a recorded path lies on this disk, or why it must not be touched."""

    recorded: str
    path: Path | None
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Ground:
    """The directory in which files may be written, and how recorded paths map to it."""

    root: Path
    recorded: RecordedPlace

    def spot(self, path: str) -> Spot:
        """The place of an absolute recorded path. `refusal`: outside-project, link-leads-out, repository-internals,
        not-a-file."""
        place = self._mapped(path)
        if place is None:
            return Spot(path, None, "outside-project")
        root, relative = place
        if not relative or ".git" in Path(relative).parts:
            return Spot(path, None, "repository-internals" if relative else "not-a-file")
        target = root / relative
        real_root = os.path.realpath(root)
        real = os.path.realpath(target)
        if real != real_root and not real.startswith(real_root.rstrip(os.sep) + os.sep):
            return Spot(path, None, "link-leads-out")
        if target.is_symlink():
            target = Path(real)
        if target.exists() and not target.is_file():
            return Spot(path, None, "not-a-file")
        return Spot(path, target)

    def _mapped(self, path: str) -> tuple[Path, str] | None:
        for worktree in self.recorded.worktrees:
            inside = _below(path, worktree)
            if inside is not None and _below(worktree, str(self.root)) is None and Path(worktree).is_dir():
                return Path(worktree), inside
        here = _below(path, str(self.root))
        if here is not None:
            return self.root, here
        for root in sorted({*self.recorded.roots, self.recorded.cwd or ""} - {""}, key=len, reverse=True):
            inside = _below(path, root)
            if inside is not None:
                return self.root, inside
        return None


def _below(path: str, root: str) -> str | None:
    """The part of `path` under `root` ("" for the root itself); None when it is elsewhere."""
    path, root = posixpath.normpath(path), posixpath.normpath(root)
    if path == root:
        return ""
    prefix = root.rstrip("/") + "/"
    return path[len(prefix) :] if path.startswith(prefix) else None
