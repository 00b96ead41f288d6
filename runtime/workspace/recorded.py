"""What an import may note about the place while it is still there, so that a project that moves later is recognized."""

from __future__ import annotations

import os
from pathlib import Path

from ...events.event import Draft
from ...events.kinds import Fact, ProjectIdentity, WorkspaceObserved
from ...events.store import EventStore
from . import paths
from . import remotes as addresses
from .agents import definition_facts
from .git_reading import ask
from .identify import directory_identity, find_repository, repository_identity
from .sessions import recorded_session


def observed_at_import(store: EventStore, session_id: str) -> int:
    """Append what the directory of a newly imported session shows; returns the session's head. For main sessions, once."""
    recorded = recorded_session(store, session_id)
    place, agent = recorded.expected, recorded.agent
    named = agent.name if agent.definition is None else None
    facts = first_observation(place.cwd, branch=place.branch, head=place.head, remote=place.remote, agent=named)
    if not facts or place.project is not None:
        return recorded.position
    return store.append(session_id, [Draft.of(fact) for fact in facts])[-1].position


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
    if cwd is None or paths.foreign(cwd) is not None or not Path(cwd).is_dir():
        return []
    facts: list[Fact] = []
    place = _place(cwd, branch, head, remote)
    if place is not None:
        facts.append(place)
    if agent is not None:
        facts += definition_facts(agent, cwd)
    return facts


def _place(cwd: str, branch: str | None, head: str | None, remote: str | None) -> WorkspaceObserved | None:
    repository = find_repository(cwd)
    if repository is None:
        if branch or head or remote or not _plainly_no_repository(cwd):
            return None
        return WorkspaceObserved(project=directory_identity(cwd), observed_by="import")
    identity = repository_identity(repository)
    if not _agrees(identity, head, remote, cwd):
        return None
    seen_branch = ask(cwd, "symbolic-ref", "--quiet", "--short", "HEAD").word or None
    seen_head = ask(cwd, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").word or None
    same_branch = branch is None or branch == (seen_branch or "HEAD")
    return WorkspaceObserved(
        project=identity,
        root_commits=identity.root_commits,
        branch=seen_branch if branch is None else None,
        head=seen_head if same_branch and head is None else None,
        toplevel=paths.shown(repository.top) if repository.top is not None else None,
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
