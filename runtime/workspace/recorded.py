"""What an import may note about the place while it is still there, so that a project that moves later is recognized."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ...events.event import Draft
from ...events.kinds import Fact, ProjectIdentity, WorkspaceObserved
from ...events.store import EventStore
from . import paths
from . import remotes as addresses
from .agents import definition_facts
from .expected import ExpectedPlace
from .git_reading import ask
from .identify import directory_identity, find_repository, is_git, repository_identity
from .observe_state import changed_files, registered_worktrees
from .sessions import recorded_session


class PlaceNotes:
    """The looks of one import: sessions of one directory share one look at it, however many they are."""

    def __init__(self) -> None:
        self._seen: dict[str, _Seen | None] = {}

    def append(self, store: EventStore, session_id: str) -> int:
        """Append what the directory of a newly imported session shows, once; returns the session's head."""
        recorded = recorded_session(store, session_id)
        place, agent = recorded.expected, recorded.agent
        if place.project is not None or place.cwd is None:
            return recorded.position
        named = agent.definition if agent.definition_digest is None else None
        facts = self.facts(place.cwd, branch=place.branch, head=place.head, remote=place.remote, agent=named)
        if not facts:
            return recorded.position
        return store.append(session_id, [Draft.of(fact) for fact in facts])[-1].position

    def facts(
        self, cwd: str, *, branch: str | None, head: str | None, remote: str | None, agent: str | None
    ) -> list[Fact]:
        """See `first_observation`."""
        if paths.foreign(cwd) is not None or not paths.is_directory(cwd):
            return []
        if cwd not in self._seen:
            self._seen[cwd] = _look(cwd)
        place = _place(self._seen[cwd], cwd, branch, head, remote)
        facts: list[Fact] = [] if place is None else [place]
        return facts + ([] if agent is None else list(definition_facts(agent, cwd)))


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a directory showed; top is None outside git, branch None when HEAD is detached."""

    identity: ProjectIdentity
    top: str | None = None
    branch: str | None = None
    head: str | None = None


def first_observation(
    cwd: str | None,
    *,
    branch: str | None = None,
    head: str | None = None,
    remote: str | None = None,
    agent: str | None = None,
) -> list[Fact]:
    """Facts to be appended once to a newly imported session; empty when its directory is not on this machine.

    branch, head, remote: what the transcript says last. They win: where the directory shows another branch or remote, only what
    does not contradict the record is noted, since the directory may have gone its own way since.
    """
    if cwd is None:
        return []
    return PlaceNotes().facts(cwd, branch=branch, head=head, remote=remote, agent=agent)


def _look(cwd: str) -> _Seen | None:
    repository = find_repository(cwd)
    if repository is None:
        return _Seen(directory_identity(cwd)) if _plainly_no_repository(cwd) else None
    return _Seen(
        repository_identity(repository),
        paths.shown(repository.top) if repository.top is not None else None,
        ask(cwd, "symbolic-ref", "--quiet", "--short", "HEAD").word or None,
        ask(cwd, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").word or None,
    )


def _place(
    seen: _Seen | None, cwd: str, branch: str | None, head: str | None, remote: str | None
) -> WorkspaceObserved | None:
    if seen is None:
        return None
    identity = seen.identity
    if not is_git(identity):
        recorded_git = branch or head or remote
        return None if recorded_git else WorkspaceObserved(project=identity, observed_by="import")
    if not _agrees(identity, head, remote, cwd):
        return None
    same_branch = branch is None or branch == (seen.branch or "HEAD")
    return WorkspaceObserved(
        project=identity,
        root_commits=identity.root_commits,
        branch=seen.branch if branch is None else None,
        head=seen.head if same_branch and head is None else None,
        toplevel=seen.top,
        observed_by="import",
    )


def _agrees(identity: ProjectIdentity, head: str | None, remote: str | None, cwd: str) -> bool:
    """Whether the repository is the one the transcript speaks of, as far as it says."""
    if head and ask(cwd, "cat-file", "-e", f"{head}^{{commit}}").ok:
        return True
    recorded = addresses.normalized(remote) if remote else None
    network = [known for known in identity.remotes if not addresses.is_local(known)]
    return recorded is None or not network or recorded in network


def _plainly_no_repository(cwd: str) -> bool:
    """Not merely unreadable: no `.git` up to the root."""
    real = Path(os.path.realpath(cwd))
    return not any((folder / ".git").exists() for folder in (real, *real.parents))


def moved_while_acting(directory: str | os.PathLike[str], expected: ExpectedPlace) -> WorkspaceObserved | None:
    """What a run changed of its own place (branch, commit, dirty files), to be appended when it ends; None when nothing.

    Without it the next check would hold the session's own commits and branches against it.
    """
    repository = find_repository(directory)
    if repository is None or repository.top is None:
        return None
    branch = ask(directory, "symbolic-ref", "--quiet", "--short", "HEAD").word or "HEAD"
    head = ask(directory, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").word or None
    worktrees = (one.path for one in registered_worktrees(os.fspath(directory)))
    dirty = changed_files(os.fspath(directory), paths.shown(repository.top), worktrees).files
    if (branch, head, set(dirty)) == (expected.branch, expected.head, set(expected.dirty or ())):
        return None
    top = paths.shown(repository.top)
    return WorkspaceObserved(branch=branch, head=head, dirty=dirty, toplevel=top, observed_by="rehydrate")
