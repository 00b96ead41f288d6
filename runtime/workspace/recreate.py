"""Makes a removed worktree again, at the recorded branch or commit. Done only when a person asks for it by name."""

from __future__ import annotations

import os
from pathlib import Path

from ...events.blocks import Frozen
from ...events.errors import Refused, UsageError
from ..opened import StoreLike, opened
from ..resolve import resolve_session
from . import paths
from .expected import ExpectedPlace
from .git_reading import ask, run
from .observe_state import recorded_branch, registered_worktrees
from .sessions import recorded_session

_LONGEST_CHECKOUT_S = 600.0


class Recreated(Frozen):
    """The worktree that was made. from_commit: where its branch or detached HEAD was put."""

    session_id: str
    path: str
    branch: str | None
    from_commit: str | None
    command: str


def recreate_worktree(session: str, store: StoreLike = None) -> Recreated:
    """Run `git worktree add` for the session's worktree: its branch if that still exists, else a new one at the recorded commit.

    Raises:
        UsageError: the session was in no worktree, or its path belongs to another machine.
        Refused: something lies at the path, the branch is checked out elsewhere, or git says no (its words are in the message).
    """
    with opened(store) as events:
        session_id = resolve_session(events, session).session_id
        expected = recorded_session(events, session_id).expected
    return recreate(expected)


def recreate(expected: ExpectedPlace) -> Recreated:
    """The same for a place that is known already."""
    path, base = _path(expected), _main_checkout(expected)
    branch = (expected.worktree.branch if expected.worktree is not None else None) or expected.branch
    branch = None if branch == "HEAD" else branch
    commit = expected.head or (expected.worktree.base_commit if expected.worktree is not None else None)
    arguments, start = _arguments(expected, base, path, branch, commit)
    command = ["git", "-C", base, "worktree", "add", *arguments]
    answer = run(command, timeout_s=_LONGEST_CHECKOUT_S, reader=False)
    shown = " ".join(paths.quoted(word) for word in command)
    if not answer.ok:
        said = answer.err.strip().splitlines()[-1:] or ["no reason given"]
        raise Refused(
            f"Git did not recreate {path}: {said[0]}.", remedy=f"Try it by hand: {shown}", path=path, findings=[]
        )
    head = ask(path, "rev-parse", "--verify", "--quiet", "HEAD").word or start
    return Recreated(session_id=expected.session_id, path=path, branch=branch, from_commit=head, command=shown)


def _path(expected: ExpectedPlace) -> str:
    path = expected.worktree_path
    if path is None:
        raise UsageError(
            f"Session {expected.session_id} was in no worktree.",
            remedy=f"Say where it goes on: rehydrate rebind {paths.quoted(expected.session_id)} PATH",
        )
    if paths.foreign(path) is not None:
        raise UsageError(
            f"{path} is a path of another machine.", remedy="Bind the session to a directory of this one first."
        )
    if os.path.lexists(path):
        if Path(path).is_dir() and not any(Path(path).iterdir()):
            return path
        aside = f"mv {paths.quoted(path)} {paths.quoted(path + '.kept')}"
        raise Refused(
            f"Something lies at {path}; it is not overwritten.",
            remedy=f"Move it aside: {aside}",
            path=path,
            findings=[],
        )
    return path


def _main_checkout(expected: ExpectedPlace) -> str:
    identity, worktree = expected.project, expected.worktree
    places = [identity.path if identity else None, worktree.original_cwd if worktree else None, expected.started_in]
    for place in places:
        if place and paths.is_directory(place):
            listed = registered_worktrees(place)
            if listed:
                return listed[0].path if Path(listed[0].path).is_dir() else place
    raise Refused(
        f"The repository of {expected.worktree_path} is gone as well, so its worktree cannot be recreated.",
        remedy=f"Say where the project lies now: rehydrate rebind {paths.quoted(expected.session_id)} PATH",
        findings=[],
    )


def _arguments(
    expected: ExpectedPlace, base: str, path: str, branch: str | None, commit: str | None
) -> tuple[list[str], str | None]:
    """What follows `git worktree add`, and the commit it starts from. A stale entry of the same path is overruled (`--force`)."""
    entry = next((one for one in registered_worktrees(base)[1:] if one.path == path), None)
    force = ["--force"] if entry is not None and not entry.locked else []
    known = commit if commit and ask(base, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}").ok else None
    if branch is None:
        if known is None:
            raise _nowhere(expected, commit)
        return [*force, "--detach", "--", path, known], known
    place = recorded_branch(base, branch, ours=path)
    if place.checked_out_at is not None:
        raise Refused(
            f"The branch {branch} is checked out at {place.checked_out_at}; git allows one checkout of a branch.",
            remedy=f"Go on there: rehydrate rebind {paths.quoted(expected.session_id)} {paths.quoted(place.checked_out_at)}",
            findings=[],
        )
    if place.exists:
        return [*force, "--", path, branch], place.head
    if known is None:
        raise _nowhere(expected, commit)
    return [*force, "-b", branch, "--", path, known], known


def _nowhere(expected: ExpectedPlace, commit: str | None) -> Refused:
    what = f"the recorded commit {commit} is not in the repository" if commit else "no commit of it was recorded"
    return Refused(
        f"Nothing says what the worktree {expected.worktree_path} held: its branch is gone and {what}.",
        remedy=f"Say where the session goes on: rehydrate rebind {paths.quoted(expected.session_id)} PATH",
        findings=[],
    )
