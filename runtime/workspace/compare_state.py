"""The state of a found repository against the recorded one: worktree, operation in progress, branch, HEAD, dirty files."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ...events.findings import Finding
from .observed import RepositoryView
from .paths import quoted
from .verdict import verdict

if TYPE_CHECKING:
    from .compare import Situation

_NAMED = 50
_CONTINUE = {"rebase": "rebase", "am": "am", "merge": "merge", "cherry-pick": "cherry-pick", "revert": "revert"}


def state_findings(it: Situation, seen: RepositoryView) -> list[Finding]:
    """Findings about a repository that is the recorded project (or whose project nobody recorded)."""
    if seen.is_bare or seen.inside_git_dir:
        return [_no_files(it, seen)]
    findings = _worktree(it, seen)
    findings += _operation(it, seen)
    findings += _branch(it, seen)
    findings += _head(it, seen)
    findings += _dirty(it, seen)
    return findings + _remarks(it, seen)


def _no_files(it: Situation, seen: RepositoryView) -> Finding:
    code, words = (
        ("bare-repository", "a bare repository")
        if seen.is_bare
        else ("inside-git-directory", "inside a .git directory")
    )
    message = f"{it.place} is {words}: there are no working files to act on."
    remedy = f"Choose a checkout: {it.rebind('PATH')}"
    return verdict(it.gate, "refuse-open", code, message, remedy, expected=it.expected.cwd, found=it.place)


def _worktree(it: Situation, seen: RepositoryView) -> list[Finding]:
    expected = it.expected
    wanted = expected.worktree.path if expected.worktree is not None else expected.toplevel
    here = it.chosen or seen.top is None
    if not here and wanted is not None and it.observed.recorded_top != seen.top:
        return [_not_a_worktree(it, seen, wanted)]
    if not here and expected.worktree_path is None and _looks_like_lost_worktree(it, seen):
        return [_not_a_worktree(it, seen, it.observed.path)]
    if not here and expected.worktree_path is not None and not seen.is_worktree and expected.project is not None:
        return [_not_a_worktree(it, seen, expected.worktree_path)]
    own = next((entry for entry in seen.worktrees[1:] if entry.path == seen.top and entry.locked), None)
    if own is None:
        return []
    reason = f": {own.lock_reason}" if own.lock_reason else ""
    message = f"The worktree {own.path} is locked{reason}. It can be worked in, but not moved or removed."
    remedy = f"Unlock it: git -C {quoted(seen.main_path)} worktree unlock {quoted(own.path)}"
    return [verdict(it.gate, "tell", "worktree-locked", message, remedy, path=own.path, reason=own.lock_reason)]


def _looks_like_lost_worktree(it: Situation, seen: RepositoryView) -> bool:
    """Without a worktree record: a directory below the checkout that is named like the recorded branch, on another branch now."""
    branch, real = it.expected.branch, it.observed.real_path
    if not branch or branch in ("HEAD", seen.branch) or real is None or real == seen.top:
        return False
    path = PurePosixPath(real)
    hidden = any(part in (".wt", ".worktrees", "worktrees", ".worktree") for part in path.parts[:-1])
    return hidden or path.name in (branch, branch.replace("/", "-"), branch.rsplit("/", 1)[-1])


def _not_a_worktree(it: Situation, seen: RepositoryView, wanted: str) -> Finding:
    message = (
        f"{wanted} is not the worktree that the session worked in: git there belongs to {seen.top}, so edits and commits "
        f"would land on its branch {seen.branch or '(detached)'}."
    )
    remedy = (
        f"Move it aside and recreate the worktree: mv {quoted(wanted)} {quoted(wanted + '.kept')} && "
        f"rehydrate resume {it.session} --recreate-worktree\nGo on elsewhere: {it.rebind('PATH')}"
    )
    facts = {"expected": wanted, "found": seen.top, "expected_branch": it.expected.branch, "found_branch": seen.branch}
    return verdict(it.gate, "refuse-open", "not-a-worktree", message, remedy, empty=it.observed.empty, **facts)


def _operation(it: Situation, seen: RepositoryView) -> list[Finding]:
    if seen.operation is None:
        return []
    place, verb = quoted(it.place), _CONTINUE.get(seen.operation)
    message = f"A {seen.operation} is in progress in {it.place}: HEAD and files are between two states."
    if seen.conflicts:
        message += f" {_count(len(seen.conflicts), 'file')} with conflicts: {_list(seen.conflicts)}."
    if verb is None:
        remedy = f"End it: git -C {place} bisect reset"
    else:
        remedy = f"Finish it: git -C {place} {verb} --continue\nGive it up: git -C {place} {verb} --abort"
    facts = {"operation": seen.operation, "branch": seen.operation_branch, "conflicts": list(seen.conflicts)}
    return [verdict(it.gate, "refuse-open", "operation-in-progress", message, remedy, **facts)]


def _branch(it: Situation, seen: RepositoryView) -> list[Finding]:
    wanted = it.expected.branch
    if not wanted or wanted == seen.branch or (seen.operation is not None and seen.operation_branch == wanted):
        return []
    if wanted == "HEAD":
        if seen.detached or seen.branch is None or seen.head is None or it.expected.head is None:
            return []  # a source writes HEAD before the first commit as well
        return [_changed(it, seen, "a detached HEAD", _back_to(it, it.expected.head, "--detach "))]
    place = it.observed.recorded_branch or seen.recorded_branch
    findings: list[Finding] = []
    remedy = f"Go back to it: git -C {quoted(it.place)} switch {quoted(wanted)}"
    if place is not None and not place.exists:
        remedy = _back_to(it, it.expected.head, f"-c {quoted(wanted)} ")
        message = f"The branch {wanted} that the session worked on does not exist any more (deleted or renamed)."
        findings.append(
            verdict(it.gate, "refuse-open", "branch-gone", message, remedy, expected=wanted, found=seen.branch)
        )
    elif place is not None and place.checked_out_at is not None:
        remedy = f"Go on where the branch is: {it.rebind(place.checked_out_at)}"
        message = (
            f"The branch {wanted} is checked out at {place.checked_out_at}; git does not check it out here as well."
        )
        elsewhere = {"branch": wanted, "found": place.checked_out_at}
        findings.append(verdict(it.gate, "warn", "branch-checked-out-elsewhere", message, remedy, **elsewhere))
    if seen.detached:
        message = (
            f"HEAD is detached in {it.place}; the session worked on {wanted}. Commits made now belong to no branch."
        )
        facts: dict[str, Any] = {"expected": wanted, "found": None, "head": seen.head}
        return [verdict(it.gate, "refuse-open", "detached-head", message, remedy, **facts), *findings]
    return [_changed(it, seen, wanted, remedy), *findings]


def _changed(it: Situation, seen: RepositoryView, wanted: str, remedy: str) -> Finding:
    message = f"{it.place} is on branch {seen.branch} now; the session worked on {wanted}. What it knows may not be true here."
    remedy += f"\nGo on here: {it.rebind(it.place)}"
    return verdict(
        it.gate, "refuse-open", "branch-changed", message, remedy, expected=it.expected.branch, found=seen.branch
    )


def _back_to(it: Situation, head: str | None, options: str) -> str:
    if head is None:
        return f"See what there is: git -C {quoted(it.place)} branch --all"
    return f"Go back to it: git -C {quoted(it.place)} switch {options}{quoted(head)}"


def _head(it: Situation, seen: RepositoryView) -> list[Finding]:
    distance = seen.distance
    if seen.head is None:
        message = f"The repository at {it.place} has no commit yet."
        return [verdict(it.gate, "tell", "no-commits", message, branch=seen.branch)]
    if distance is None:
        return []
    facts: dict[str, Any] = {
        "expected": distance.recorded,
        "found": seen.head,
        "ahead": distance.ahead,
        "behind": distance.behind,
    }
    place = quoted(it.place)
    if not distance.known:
        why = "The clone is shallow." if seen.is_shallow else "It was rewritten, or never came here."
        message = f"The recorded commit {_short(distance.recorded)} is not in {it.place}. {why}"
        fetch = (
            f"Get the whole history: git -C {place} fetch --unshallow"
            if seen.is_shallow
            else f"Look: git -C {place} log --oneline --all"
        )
        return [verdict(it.gate, "warn", "head-unknown", message, fetch, **facts)]
    if not distance.ahead and not distance.behind:
        return []
    direction = "diverged" if distance.ahead and distance.behind else "ahead" if distance.ahead else "behind"
    words = {
        "ahead": f"{_count(distance.ahead, 'commit')} newer than",
        "behind": f"{_count(distance.behind, 'commit')} older than",
        "diverged": f"{distance.ahead} ahead of and {distance.behind} behind",
    }[direction]
    message = (
        f"HEAD of {it.place} is {words} the recorded {_short(distance.recorded)}; files may differ from what it saw."
    )
    dots = "..." if direction == "diverged" else ".."
    ends = (seen.head, distance.recorded) if direction == "behind" else (distance.recorded, seen.head)
    remedy = f"See the difference: git -C {place} log --oneline {_short(ends[0])}{dots}{_short(ends[1])}"
    facts["direction"] = direction
    facts["commits"] = (distance.ahead or 0) + (distance.behind or 0)
    return [verdict(it.gate, "warn", "head-moved", message, remedy, **facts)]


def _dirty(it: Situation, seen: RepositoryView) -> list[Finding]:
    if not seen.dirty_count:
        return []
    known = it.own_dirty | set(it.expected.dirty or ())
    new = [name for name in seen.dirty if name not in known]
    beyond = seen.dirty_count - len(seen.dirty)
    facts = {
        "files": list(seen.dirty[:_NAMED]),
        "count": seen.dirty_count,
        "untracked": seen.untracked_count,
        "new": new[:_NAMED],
    }
    remedy = f"See them: git -C {quoted(it.place)} status --short"
    if not new and not beyond:
        message = f"{_count(seen.dirty_count, 'file')} not committed, all as the session left them."
        return [verdict(it.gate, "tell", "dirty", message, remedy, **facts)]
    message = (
        f"{_count(seen.dirty_count, 'file')} not committed in {it.place}: {_list(seen.dirty)}. "
        "Changes of yours may mix with those of the session."
    )
    return [verdict(it.gate, "warn", "dirty", message, remedy, **facts)]


def _remarks(it: Situation, seen: RepositoryView) -> list[Finding]:
    findings: list[Finding] = []
    if seen.is_shallow:
        message = (
            f"{it.place} is a shallow clone: its history ends early, so the project cannot be told by its first commit."
        )
        remedy = f"Get all of it: git -C {quoted(it.place)} fetch --unshallow"
        findings.append(verdict(it.gate, "tell", "shallow-clone", message, remedy, found=it.place))
    if seen.superproject is not None:
        message = f"{it.place} is a submodule of {seen.superproject}; it is a project of its own."
        findings.append(verdict(it.gate, "tell", "submodule", message, superproject=seen.superproject))
    absent = [entry.path for entry in seen.submodules if not entry.initialized]
    if absent:
        message = f"{_count(len(absent), 'submodule')} not checked out: {_list(tuple(absent))}."
        remedy = f"Check them out: git -C {quoted(seen.top or it.place)} submodule update --init"
        findings.append(verdict(it.gate, "tell", "submodule-missing", message, remedy, paths=absent[:_NAMED]))
    return findings


def _count(number: int | None, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


def _short(commit: str) -> str:
    return commit[:12]
