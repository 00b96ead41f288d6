"""Which directory a session acts in: the recorded one, or one that a person chose. Never the caller's by accident."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from . import paths
from .expected import ExpectedPlace
from .identify import Repository, find_repository

Reason = Literal["recorded", "mapped", "project"]


@dataclass(frozen=True, slots=True)
class Effective:
    """The directory and why. path is None when nothing is recorded and nothing was chosen; it need not exist."""

    path: str | None
    reason: Reason

    @property
    def chosen(self) -> bool:
        return self.reason != "recorded"


def effective_directory(
    expected: ExpectedPlace, project: str | os.PathLike[str] | None = None, maps: Sequence[paths.PathMap] = ()
) -> Effective:
    """Choose the directory.

    `project` names a project, not a directory in it: while the recorded directory exists in the same checkout, or in a linked
    worktree of the repository whose main checkout is named, the recorded one stays. Another checkout (a clone, another worktree,
    the place it moved to) is taken as said, at the recorded sub-directory where it has that.
    """
    recorded = expected.cwd
    if recorded is not None and maps:
        moved = paths.mapped(recorded, maps)
        if moved != recorded:
            return Effective(moved, "mapped")
    if project is None:
        return Effective(recorded, "recorded")
    named = os.path.realpath(project)
    if recorded is None or paths.foreign(recorded) in ("windows", "posix", "relative"):
        return Effective(_inside(named, expected), "project")
    if paths.is_directory(recorded):
        if _keeps_recorded(recorded, named):
            return Effective(recorded, "recorded")
        return Effective(_inside(named, expected), "project")
    if expected.worktree_path is not None and _is_main_of(named, expected):
        return Effective(recorded, "recorded")
    return Effective(_inside(named, expected), "project")


def _keeps_recorded(recorded: str, named: str) -> bool:
    real = os.path.realpath(recorded)
    theirs, ours = find_repository(named), find_repository(real)
    if theirs is None or ours is None:
        return paths.below(real, named) is not None or (theirs is ours and paths.below(named, real) is not None)
    if theirs.common_dir != ours.common_dir:
        return False
    return theirs.top == ours.top or not theirs.linked


def _is_main_of(named: str, expected: ExpectedPlace) -> bool:
    """Whether the main checkout of the recorded repository was named, while the recorded worktree is gone."""
    repository = find_repository(named)
    if repository is None or repository.linked:
        return False
    known = expected.project.git_common_dir if expected.project is not None else None
    if known is not None:
        return known == paths.shown(repository.common_dir)
    worktree = expected.worktree
    origin = worktree.original_cwd if worktree is not None else None
    return (
        origin is not None
        and paths.below(os.path.realpath(origin), repository.top or repository.common_dir) is not None
    )


def _inside(named: str, expected: ExpectedPlace) -> str:
    """The recorded sub-directory of the project, below the top of the named checkout, when it is there."""
    below = recorded_below(expected)
    if below in (None, "."):
        return named
    repository: Repository | None = find_repository(named)
    top = named if repository is None or repository.top is None else repository.top
    if top != named:
        return named
    place = Path(top, str(below))
    return str(place) if place.is_dir() else named


def recorded_below(expected: ExpectedPlace) -> str | None:
    """The recorded directory relative to the recorded checkout (`.` for its top), None when that is not known."""
    if expected.cwd is None:
        return None
    tops = [
        expected.worktree_path,
        expected.toplevel,
        expected.project.path if expected.project is not None else None,
    ]
    for top in tops:
        if top is not None:
            found = paths.below(expected.cwd, top)
            if found is not None:
                return found
    return None
