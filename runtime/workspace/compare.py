"""Expected against observed, as findings. Pure: it looks at no disk, so every situation can be judged from data alone.

Each finding says what is wrong, why it matters, and the command that settles it, as it can be typed.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...events.findings import Finding
from .compare_state import state_findings
from .expected import ExpectedPlace
from .observed import ObservedPlace, RegisteredWorktree
from .paths import below, quoted
from .verdict import Gate, verdict


@dataclass(frozen=True, slots=True)
class Located:
    """Where the recorded project lies now.

    how: `worktree` (git has it registered), `session` (another session's place), `near`; of a chosen place `moved`, `chosen` or
    `foreign`.
    """

    path: str
    how: str


@dataclass(frozen=True, slots=True)
class Situation:
    """What a comparison needs. chosen: a person named this directory (by --project, --map); it need not be the recorded one.

    located: where a missing place went. recorded_stands: the recorded directory is still there.
    touched_below: files that the session had below the place. own_dirty: files dirty by the session's own recorded hand.
    acts: the session was started by this product, in a directory that may have been empty.
    """

    expected: ExpectedPlace
    observed: ObservedPlace
    gate: Gate = "restore"
    chosen: bool = False
    located: Located | None = None
    touched_below: int = 0
    own_dirty: frozenset[str] = frozenset()
    acts: bool = False
    recorded_stands: bool = True

    @property
    def session(self) -> str:
        return quoted(self.expected.session_id)

    @property
    def place(self) -> str:
        return self.observed.real_path or self.observed.path

    def rebind(self, path: str) -> str:
        return f"rehydrate rebind {self.session} {quoted(path)}"


def compare(situation: Situation) -> list[Finding]:
    """All findings about the place, the most serious thing first; an empty list means that nothing differs."""
    observed = situation.observed
    findings = _recorded_elsewhere(situation)
    if not observed.exists or not observed.is_directory or not observed.readable:
        return findings + _no_directory(situation)
    other = _other_project(situation)
    if other is not None:
        return [*findings, other]
    findings += _unverified(situation)
    if observed.repository is None:
        return findings + _no_repository(situation)
    return findings + state_findings(situation, observed.repository)


def _recorded_elsewhere(it: Situation) -> list[Finding]:
    """The person chose a place that is not the recorded one: said once, with both paths."""
    recorded = it.expected.cwd
    if not it.chosen or recorded is None or it.observed.relation == "different":
        return []
    if it.located is None:
        return []
    code = {"foreign": "foreign-path", "moved": "moved"}.get(it.located.how, "other-checkout")
    words = {
        "foreign-path": f"The session comes from another machine: it was recorded in {recorded}.",
        "moved": f"The project moved from {recorded} to {it.place}.",
        "other-checkout": f"The session was recorded in {recorded}; {it.place} is another checkout of the project.",
    }[code]
    why = "It goes on in the directory that you chose; paths in its history still name the old one."
    remedy = f"Keep it there for good with: {it.rebind(it.place)}"
    return [verdict(it.gate, "warn", code, f"{words} {why}", remedy, expected=recorded, found=it.place)]


def _no_directory(it: Situation) -> list[Finding]:
    observed, recorded = it.observed, it.expected.cwd
    if recorded is None and not it.chosen:
        message = "The record names no directory, so nothing says where the session may act."
        return [verdict(it.gate, "refuse-open", "directory-unknown", message, f"Choose one: {it.rebind('PATH')}")]
    if observed.exists and not observed.is_directory:
        message = f"{observed.path} is a file now, not a directory; there is no place to act in."
        return [_open(it, "not-a-directory", message, "Move the file away, or " + _choose(it))]
    if not observed.readable:
        message = f"{observed.path} cannot be read by this user, so nothing can be checked there."
        return [_open(it, "directory-unreadable", message, f"Give access: chmod u+rwx {quoted(observed.path)}")]
    if observed.foreign is not None and it.located is None:
        return [_foreign(it)]
    if _is_worktree_path(it):
        elsewhere = _branch_elsewhere_of_missing(it) if it.located is None else []
        return [_worktree_missing(it), *elsewhere]
    if it.located is not None:
        return [_moved(it, it.located)]
    message = (
        f"The directory {observed.path} is missing. It is not created again, and nothing is done elsewhere instead."
    )
    remedy = f"Say where the project lies now: {it.rebind('PATH')}"
    inside = _nearest_in_checkout(it)
    if inside is not None:
        remedy = f"Go on in what is left of it: {it.rebind(inside)}"
    return [_open(it, "directory-missing", message, remedy, nearest=observed.nearest)]


def _nearest_in_checkout(it: Situation) -> str | None:
    """The nearest directory above a missing one that still lies in the recorded checkout."""
    top = it.expected.toplevel or (it.expected.project.path if it.expected.project is not None else None)
    nearest = it.observed.nearest
    return nearest if top is not None and nearest is not None and below(nearest, top) is not None else None


def _foreign(it: Situation) -> Finding:
    kind = it.observed.foreign
    words = {
        "windows": "a Windows path",
        "posix": "a path of a Unix machine",
        "home": "below the home directory of a user whom this machine does not know",
        "relative": "relative, and the record does not say to what",
    }[kind or "home"]
    message = (
        f"The recorded directory {it.observed.path} is {words}: it means nothing on this machine and is not looked for "
        "below the current directory."
    )
    remedy = (
        f"Map it: rehydrate resume {it.session} --map {quoted(it.observed.path + '=PATH')}\nBind it for good: "
        f"{it.rebind('PATH')}"
    )
    return _open(it, "foreign-path", message, remedy, style=kind)


def _moved(it: Situation, located: Located) -> Finding:
    message = f"{it.observed.path} is missing; the same project lies at {located.path} (found by its commits, not by its name)."
    return _open(it, "moved", message, f"Go on there: {it.rebind(located.path)}", found=located.path, how=located.how)


def _is_worktree_path(it: Situation) -> bool:
    return worktree_entry(it) is not None or it.expected.worktree_path is not None


def worktree_entry(it: Situation) -> RegisteredWorktree | None:
    """What git still has registered for the recorded worktree: by its path, else by its branch at another path."""
    wanted = it.expected.worktree_path or it.observed.path
    linked = it.observed.registered[1:]
    return next((entry for entry in linked if entry.path in (wanted, it.observed.path)), None)


def _worktree_missing(it: Situation) -> Finding:
    worktree, entry = it.expected.worktree, worktree_entry(it)
    path = it.expected.worktree_path or it.observed.path
    if it.located is not None and it.located.how == "worktree":
        return _moved(it, it.located)
    branch = (worktree.branch if worktree else None) or it.expected.branch
    message = (
        f"The worktree {path} is gone, and with it the place the session worked in; the main checkout is another place."
    )
    recreate = f"Recreate it: rehydrate resume {it.session} --recreate-worktree"
    if entry is not None and entry.locked:
        reason = f" ({entry.lock_reason})" if entry.lock_reason else ""
        message += f" Git keeps its entry, locked{reason}: it may lie on a disk that is not mounted."
        main = it.observed.registered[0].path
        recreate = f"Mount the disk, or unlock it: git -C {quoted(main)} worktree unlock {quoted(path)}"
    others = f"\nGo on elsewhere: {it.rebind('PATH')}\nOnly read: rehydrate show {it.session}"
    state = "missing" if entry is None else "locked" if entry.locked else "registered"
    facts = {"branch": branch, "registered": entry is not None, "state": state}
    code = "worktree-locked" if entry is not None and entry.locked else "worktree-missing"
    return verdict(it.gate, "refuse-open", code, message, recreate + others, expected=path, found=None, **facts)


def _branch_elsewhere_of_missing(it: Situation) -> list[Finding]:
    branch = it.observed.recorded_branch
    if branch is None:
        return []
    if not branch.exists:
        message = f"The branch {branch.name} that the session worked on does not exist any more."
        return [
            verdict(
                it.gate,
                "warn",
                "branch-gone",
                message,
                f"See what is left: git -C {_base(it)} branch --all",
                expected=branch.name,
            )
        ]
    if branch.checked_out_at is not None:
        message = f"The branch {branch.name} is checked out at {branch.checked_out_at} now; git allows one checkout of a branch."
        remedy = f"Go on there: {it.rebind(branch.checked_out_at)}"
        facts = {"branch": branch.name, "found": branch.checked_out_at}
        return [verdict(it.gate, "warn", "branch-checked-out-elsewhere", message, remedy, **facts)]
    return []


def _base(it: Situation) -> str:
    return quoted(it.observed.registered[0].path if it.observed.registered else it.observed.nearest or "/")


def _other_project(it: Situation) -> Finding | None:
    if it.observed.relation != "different":
        return None
    recorded, found = it.expected.identity, it.observed.repository.identity if it.observed.repository else None
    both_git = recorded is not None and it.expected.in_repository and found is not None
    code = "other-repository" if both_git else "other-project"
    was = (recorded.path or recorded.remote if recorded else None) or it.expected.cwd or "another project"
    what = "a different repository" if both_git else "a different project"
    message = (
        f"{it.place} is {what} than the one the session belongs to ({was}). Going on would change the wrong files."
    )
    back = f"Say where it lies: {it.rebind('PATH')}"
    if it.chosen and it.expected.cwd is not None:
        back = f"Restore it where it belongs: rehydrate resume {it.session}"
        if not it.recorded_stands:
            back = f"If the project moved here: {it.rebind(it.place)}"
    remedy = f"{back}\nIf you mean it: rehydrate resume {it.session} --project {quoted(it.place)} --allow-cross-project"
    facts = {
        "expected": was,
        "found": it.place,
        "expected_root_commits": list(recorded.root_commits) if recorded else [],
        "found_root_commits": list(found.root_commits) if found else [],
        "expected_remotes": list(recorded.remotes) if recorded else [],
        "found_remotes": list(found.remotes) if found else [],
    }
    return verdict(it.gate, "refuse", code, message, remedy, **facts)


def _unverified(it: Situation) -> list[Finding]:
    """A chosen place whose project cannot be compared with anything recorded."""
    if not it.chosen or it.observed.relation == "same" or it.expected.cwd in (it.observed.path, it.observed.real_path):
        return []
    if it.observed.git in ("unsafe", "no-git", "broken") and it.expected.in_repository:
        return []
    message = (
        f"Whether {it.place} is the project of the session cannot be proven: no commit and no remote of it was recorded"
        f" (recorded directory: {it.expected.cwd or 'none'})."
    )
    remedy = f"If it is, say so once: {it.rebind(it.place)}"
    return [_open(it, "project-unverified", message, remedy)]


def _no_repository(it: Situation) -> list[Finding]:
    observed, place = it.observed, quoted(it.place)
    if observed.git == "no-git" and it.expected.in_repository:
        message = "No git program was found, so branch, commits and worktree cannot be compared with the recorded ones."
        return [_open(it, "git-missing", message, f"Install git, or go on unchecked: {_accept(it, 'git-missing')}")]
    if observed.git == "unsafe":
        message = f"Git refuses to read {it.place}: it belongs to another user. Nothing about it could be checked."
        return [
            _open(it, "safe-directory", message, f"If you trust it: git config --global --add safe.directory {place}")
        ]
    if observed.git == "broken":
        return [_broken(it)]
    if _is_worktree_path(it):
        kind = "an empty directory" if observed.empty else "an ordinary directory"
        message = (
            f"{it.place} is only {kind}, not the worktree of the session; git commands there act elsewhere or fail."
        )
        remedy = _keep_and_recreate(it)
        return [_open(it, "not-a-worktree", message, remedy, empty=observed.empty)]
    if observed.empty:
        suspicious = it.expected.in_repository or it.touched_below or not it.acts
        message = f"{it.place} is empty, but the session had its files there."
        if not suspicious:
            return [verdict(it.gate, "tell", "directory-empty", f"{it.place} is empty.", found=it.place)]
        return [_open(it, "directory-empty", message, f"Put the project back there, or {_choose(it)}")]
    if it.expected.in_repository:
        message = (
            f"{it.place} is not a git repository any more; branch and commits of the session cannot be found there."
        )
        return [_open(it, "not-a-repository", message, f"Put the repository back, or {_choose(it)}")]
    return []


def _broken(it: Situation) -> Finding:
    observed, place = it.observed, quoted(it.place)
    if observed.link_target is not None and "/worktrees/" in observed.link_target:
        message = (
            f"{it.place} was a worktree, but git has dropped its entry ({observed.link_target} is gone): "
            "its files are there, its branch and index are not."
        )
        return _open(it, "worktree-pruned", message, _keep_and_recreate(it), link_target=observed.link_target)
    message = f"Git cannot read the repository at {it.place}: {observed.git_message}."
    return _open(it, "repository-broken", message, f"See what git says: git -C {place} status")


def _keep_and_recreate(it: Situation) -> str:
    """The files may be somebody's: they are moved aside, never overwritten."""
    place = it.expected.worktree_path or it.place
    return (
        f"Move it aside and recreate the worktree: mv {quoted(place)} {quoted(place + '.kept')} && "
        f"rehydrate resume {it.session} --recreate-worktree\nGo on elsewhere: {it.rebind('PATH')}"
    )


def _open(it: Situation, code: str, message: str, remedy: str, **facts: object) -> Finding:
    known = {"expected": it.expected.cwd, "found": it.observed.real_path, **facts}
    return verdict(it.gate, "refuse-open", code, message, remedy, **known)


def _choose(it: Situation) -> str:
    return f"say where the project lies now: {it.rebind('PATH')}"


def _accept(it: Situation, code: str) -> str:
    return f"rehydrate resume {it.session} --accept {code}"
