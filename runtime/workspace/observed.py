"""What was seen of a place, as data: the looking is done by `observe.py`, the judging by `compare.py`."""

from __future__ import annotations

from typing import Literal

from ...events.blocks import Frozen
from ...events.kinds import ProjectIdentity
from .identify import Relation
from .paths import Foreign

Operation = Literal["rebase", "am", "merge", "cherry-pick", "revert", "bisect"]
GitState = Literal["repository", "none", "no-git", "unsafe", "broken", "unreadable"]
"""`no-git`: there is no git program. `unsafe`: git refuses another owner's repository. `broken`: git cannot read it."""


class RegisteredWorktree(Frozen):
    """One entry of `git worktree list`; the first is the main checkout. A reason is empty when none was given."""

    path: str
    head: str | None = None
    branch: str | None = None
    detached: bool = False
    bare: bool = False
    locked: bool = False
    lock_reason: str = ""
    prunable: bool = False


class Submodule(Frozen):
    """A submodule that `.gitmodules` names; initialized when it is checked out."""

    path: str
    initialized: bool


class Distance(Frozen):
    """HEAD seen from the recorded commit. known: the repository still has that commit; else the counts are None."""

    recorded: str
    known: bool
    ahead: int | None = None
    behind: int | None = None


class BranchPlace(Frozen):
    """The recorded branch as it is now: whether it exists, its commit, and the other worktree that has it checked out."""

    name: str
    exists: bool
    head: str | None = None
    checked_out_at: str | None = None


class RepositoryView(Frozen):
    """A repository as seen from one directory. `top` is None when bare; `main_path` is the main checkout."""

    top: str | None
    git_dir: str
    common_dir: str
    main_path: str
    is_worktree: bool = False
    is_bare: bool = False
    is_shallow: bool = False
    inside_git_dir: bool = False
    superproject: str | None = None
    branch: str | None = None
    detached: bool = False
    head: str | None = None
    operation: Operation | None = None
    operation_branch: str | None = None
    dirty: tuple[str, ...] = ()
    dirty_count: int = 0
    untracked_count: int = 0
    conflicts: tuple[str, ...] = ()
    submodules: tuple[Submodule, ...] = ()
    worktrees: tuple[RegisteredWorktree, ...] = ()
    distance: Distance | None = None
    recorded_branch: BranchPlace | None = None
    identity: ProjectIdentity | None = None


class ObservedPlace(Frozen):
    """A directory as it is now. `path` is what was asked for, `real_path` what it resolves to (None when missing).

    link_target: where a `.git` file points to, when git finds nothing there any more.
    nearest: the closest ancestor that exists, for a missing path.
    relation: whether it is the recorded project; repository facts are None outside git.
    recorded_top: the recorded checkout (worktree) with its symlinks resolved as they are now.
    registered: entries of the recorded project's worktree list when the place itself is missing or has no repository.
    """

    path: str
    exists: bool
    is_directory: bool = False
    readable: bool = True
    empty: bool = False
    real_path: str | None = None
    foreign: Foreign | None = None
    nearest: str | None = None
    git: GitState = "none"
    git_message: str = ""
    link_target: str | None = None
    repository: RepositoryView | None = None
    relation: Relation = "unknown"
    registered: tuple[RegisteredWorktree, ...] = ()
    recorded_branch: BranchPlace | None = None
    recorded_top: str | None = None
