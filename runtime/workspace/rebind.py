"""`rehydrate rebind`: a person says where a session's project lies now. It is an event, and the only way the place changes."""

from __future__ import annotations

import os
from pathlib import Path

from ...events.blocks import Frozen
from ...events.errors import NotFound, UsageError
from ...events.event import Draft
from ...events.findings import Finding
from ...events.kinds import WorkspaceObserved
from ...events.store import EventStore
from ...events.times import now_us
from ..live.lease import lease
from ..opened import StoreLike, opened
from ..resolve import resolve_session
from . import paths
from .expected import ExpectedPlace
from .identify import directory_identity, find_repository, repository_identity
from .observe import observe
from .sessions import recorded_session


class Rebound(Frozen):
    """Where the session is bound now. relation: of the new place to the recorded project (`same`, `different`, `unknown`)."""

    session_id: str
    pointer: str
    cwd: str
    former_cwd: str | None
    branch: str | None = None
    head: str | None = None
    project_id: str
    relation: str
    findings: tuple[Finding, ...] = ()


def rebind_session(session: str, path: str | os.PathLike[str], store: StoreLike = None) -> Rebound:
    """Bind a session to the directory `path`, as it is now: its project, branch and HEAD are what later checks expect.

    Nothing in the directory is changed, and it is never created.

    Raises:
        SessionNotFound, AmbiguousSession: the session is not known.
        NotFound: there is no directory at `path`.
        LeaseConflict: another process holds the session.
    """
    with opened(store) as events:
        session_id = resolve_session(events, session).session_id
        recorded = recorded_session(events, session_id).expected
        place = _directory(path)
        fact = observed_fact(place)
        relation = observe(str(place), recorded).relation
        position = append_observation(events, session_id, fact)
    assert fact.project is not None
    return Rebound(
        session_id=session_id,
        pointer=f"{session_id}@{position}",
        cwd=paths.shown(str(place)),
        former_cwd=recorded.cwd,
        branch=fact.branch,
        head=fact.head,
        project_id=fact.project.id,
        relation=relation,
        findings=_findings(recorded, str(place), relation),
    )


def _directory(path: str | os.PathLike[str]) -> Path:
    text = os.fspath(path)
    if paths.style(text) == "windows" and os.name != "nt":
        raise UsageError(f"{text} is a Windows path.", remedy="Name the directory on this machine.", path=text)
    place = Path(os.path.realpath(text))
    if not place.is_dir():
        raise NotFound(
            f"There is no directory {place}.",
            remedy="Nothing was changed; name the directory that holds the project.",
            path=text,
        )
    return place


def observed_fact(place: Path) -> WorkspaceObserved:
    """What a rebinding records: the place as it is at this moment."""
    repository = find_repository(place)
    if repository is None:
        return WorkspaceObserved(
            cwd=paths.shown(str(place)), project=directory_identity(place), observed_by="rehydrate", rebound=True
        )
    seen = observe(str(place), ExpectedPlace(session_id=""))
    view = seen.repository
    identity = repository_identity(repository)
    return WorkspaceObserved(
        cwd=paths.shown(str(place)),
        project=identity,
        root_commits=identity.root_commits,
        remote=identity.remote,
        branch=None if view is None else view.branch or ("HEAD" if view.detached else None),
        head=None if view is None else view.head,
        dirty=() if view is None else view.dirty,
        toplevel=None if repository.top is None else paths.shown(repository.top),
        observed_by="rehydrate",
        rebound=True,
    )


def append_observation(store: EventStore, session_id: str, fact: WorkspaceObserved) -> int:
    """Append one observation under the session's lease; returns its position."""
    with lease(store, session_id) as held:
        (event,) = store.append(session_id, [Draft.of(fact, ts=now_us())], token=held.token)
    return event.position


def _findings(recorded: ExpectedPlace, place: str, relation: str) -> tuple[Finding, ...]:
    if relation != "different":
        return ()
    message = (
        f"{place} is another project than the recorded one ({recorded.cwd}). It is bound there because you said so."
    )
    remedy = (
        f"Take it back: rehydrate rebind {paths.quoted(recorded.session_id)} {paths.quoted(recorded.cwd or 'PATH')}"
    )
    return (Finding(code="other-project", severity="warning", message=message, remedy=remedy, facts={"found": place}),)
