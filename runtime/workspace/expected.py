"""The place a session was last in, as its events tell it."""

from __future__ import annotations

from typing import Any

from ...events.blocks import Frozen
from ...events.kinds import ProjectIdentity
from . import remotes


class ExpectedWorktree(Frozen):
    """The linked worktree that the session had entered and not left. base_commit: what it was made from."""

    path: str
    name: str | None = None
    branch: str | None = None
    base_commit: str | None = None
    base_branch: str | None = None
    original_cwd: str | None = None


class ExpectedPlace(Frozen):
    """What the record says. None means that the record does not say it; nothing is guessed.

    branch: `HEAD` is how a source writes a detached one. toplevel: of the checkout that `cwd` lay in. dirty: files that were
    dirty already when it was recorded. started_in: the directory of the session's first event.
    """

    session_id: str
    cwd: str | None = None
    project: ProjectIdentity | None = None
    branch: str | None = None
    head: str | None = None
    remote: str | None = None
    toplevel: str | None = None
    worktree: ExpectedWorktree | None = None
    dirty: tuple[str, ...] | None = None
    started_in: str | None = None
    rebound: bool = False

    @property
    def worktree_path(self) -> str | None:
        """The linked worktree the session was in: as the source told, or as an import saw its checkout to be no main one."""
        if self.worktree is not None:
            return self.worktree.path
        main = self.project.path if self.project is not None else None
        linked = self.toplevel is not None and main is not None and self.toplevel != main
        return self.toplevel if linked else None

    @property
    def in_repository(self) -> bool:
        """Whether the record shows that the place was under git."""
        if self.project is not None and (
            self.project.git_common_dir or self.project.root_commits or self.project.remotes
        ):
            return True
        return bool(self.branch or self.head or self.remote or self.worktree)

    @property
    def identity(self) -> ProjectIdentity | None:
        """The recorded identity; made of the remote alone when the source noted nothing else."""
        if self.project is not None:
            return self.project
        address = remotes.normalized(self.remote) if self.remote else None
        if address is None:
            return None
        return ProjectIdentity(id=f"remote:{address}", remote=address, remotes=(address,))


def expected_place(session_id: str, state: dict[str, Any]) -> ExpectedPlace:
    """Read the state of the `workspace` projection (missing keys mean unknown)."""
    worktree = state.get("worktree")
    project = state.get("project")
    dirty = state.get("dirty")
    return ExpectedPlace(
        session_id=session_id,
        cwd=state.get("cwd"),
        project=ProjectIdentity.model_validate(project) if project else None,
        branch=state.get("branch"),
        head=state.get("head"),
        remote=state.get("remote"),
        toplevel=state.get("toplevel"),
        worktree=ExpectedWorktree.model_validate(worktree) if worktree and worktree.get("path") else None,
        dirty=None if dirty is None else tuple(dirty),
        started_in=state.get("started_in"),
        rebound=state.get("rebound_at") is not None,
    )
