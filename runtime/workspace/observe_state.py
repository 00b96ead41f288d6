"""The state of a repository, one question each: changed files, a rebase or merge in progress, worktrees, submodules, a branch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from . import paths
from .git_reading import ask
from .observed import BranchPlace, Operation, RegisteredWorktree, Submodule

NAMED_FILES = 200
"""So many dirty files are named; all are counted."""


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """Files that differ from the last commit, untracked ones included; paths are relative to the top of the checkout."""

    files: tuple[str, ...]
    count: int
    untracked: int
    conflicts: tuple[str, ...]


def changed_files(directory: str, top: str | None = None, worktrees: Iterable[str] = ()) -> ChangedFiles:
    """What `git status` shows, without the index refresh that it usually writes.

    worktrees: checkouts of the same repository; a folder below `top` that holds nothing but those is no change.
    """
    linked = (
        [place for place in (paths.below(one, top) for one in worktrees) if place not in (None, ".")] if top else []
    )
    answer = ask(directory, "status", "--porcelain=v2", "-z", "--untracked-files=normal", "--no-renames")
    named: list[str] = []
    conflicts: list[str] = []
    count = untracked = 0
    for entry in answer.out.split("\0") if answer.ok else ():
        kind = entry[:1]
        if kind not in ("1", "u", "?"):
            continue
        name = entry[2:] if kind == "?" else entry.split(" ", 8 if kind == "1" else 10)[-1]
        if kind == "?" and top and name.endswith("/") and _only_worktrees(Path(top), name.rstrip("/"), linked):
            continue
        count += 1
        untracked += kind == "?"
        if len(named) < NAMED_FILES:
            named.append(paths.shown(name))
        if kind == "u" and len(conflicts) < NAMED_FILES:
            conflicts.append(paths.shown(name))
    return ChangedFiles(tuple(named), count, untracked, tuple(conflicts))


def _only_worktrees(top: Path, folder: str, linked: Iterable[str | None]) -> bool:
    inside = [place for place in linked if place is not None and f"{place}/".startswith(f"{folder}/")]
    if folder in inside:
        return True
    if not inside:
        return False
    return all(_only_worktrees(top, f"{folder}/{entry.name}", inside) for entry in (top / folder).iterdir())


def operation_of(git_dir: str) -> tuple[Operation | None, str | None]:
    """What is in progress, by the files git itself keeps for it, and the branch that a rebase will move."""
    folder = Path(git_dir)
    if (folder / "rebase-merge").is_dir():
        return "rebase", _branch_name(folder / "rebase-merge" / "head-name")
    if (folder / "rebase-apply").is_dir():
        applying = (folder / "rebase-apply" / "applying").exists()
        return ("am" if applying else "rebase"), _branch_name(folder / "rebase-apply" / "head-name")
    single: tuple[tuple[str, Operation], ...] = (
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
    )
    for name, operation in single:
        if (folder / name).exists():
            return operation, None
    if (folder / "BISECT_LOG").exists():
        return "bisect", _branch_name(folder / "BISECT_START")
    todo = folder / "sequencer" / "todo"
    if todo.exists():
        try:
            return ("revert" if todo.read_text("utf-8", "replace").startswith("revert") else "cherry-pick"), None
        except OSError:
            return "cherry-pick", None
    return None, None


def _branch_name(file: Path) -> str | None:
    try:
        text = file.read_text("utf-8", "replace").strip()
    except OSError:
        return None
    name = text.removeprefix("refs/heads/")
    return name if name and name != "detached HEAD" else None


def registered_worktrees(directory: str) -> tuple[RegisteredWorktree, ...]:
    """All checkouts of the repository that `directory` lies in, the main one first; empty when there is none."""
    answer = ask(directory, "worktree", "list", "--porcelain", "-z")
    separator = "\0"
    if answer.status == 129:  # git before 2.36 knows no -z
        answer, separator = ask(directory, "worktree", "list", "--porcelain"), "\n"
    if not answer.ok:
        return ()
    blocks = answer.out.split(separator * 2)
    return tuple(_worktree(block.split(separator)) for block in blocks if block.strip(separator))


def _worktree(lines: list[str]) -> RegisteredWorktree:
    facts: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(" ")
        facts[name] = value
    branch = facts.get("branch", "").removeprefix("refs/heads/")
    return RegisteredWorktree(
        path=paths.shown(facts.get("worktree", "")),
        head=facts.get("HEAD"),
        branch=paths.shown(branch) or None,
        detached="detached" in facts,
        bare="bare" in facts,
        locked="locked" in facts,
        lock_reason=paths.shown(facts.get("locked", "")),
        prunable="prunable" in facts,
    )


def submodules_of(top: str) -> tuple[Submodule, ...]:
    """The submodules that `.gitmodules` names. Read from the file alone: `git submodule` runs scripts."""
    file = Path(top) / ".gitmodules"
    if not file.is_file():
        return ()
    answer = ask(top, "config", "--null", "--file", str(file), "--get-regexp", r"^submodule\..*\.path$")
    places = (entry.partition("\n")[2] for entry in answer.out.split("\0")) if answer.ok else ()
    return tuple(
        Submodule(path=paths.shown(place), initialized=(Path(top) / place / ".git").exists())
        for place in places
        if place
    )


def recorded_branch(directory: str, name: str, *, ours: str | None) -> BranchPlace:
    """Whether a branch exists, where it points, and which other worktree than `ours` has it checked out."""
    head = ask(directory, "rev-parse", "--verify", "--quiet", f"refs/heads/{name}^{{commit}}").word
    elsewhere = None
    for worktree in registered_worktrees(directory):
        if worktree.branch == name and not worktree.prunable and (ours is None or worktree.path != paths.shown(ours)):
            elsewhere = worktree.path
    return BranchPlace(name=name, exists=bool(head), head=head or None, checked_out_at=elsewhere)
