"""The workspace part of a restored runtime, recorded and found, with the check in between when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..events.findings import Finding
from ..events.store import EventStore
from ..projections.fold import Folded
from . import restored as parts
from .pricing import PriceBook
from .restored_state import FileState
from .workspace.paths import PathMap, mapped
from .workspace.policy import Policy
from .workspace.verdict import Gate

if TYPE_CHECKING:
    from .workspace.check import PlaceReport

__all__ = ["Policy", "checked_workspace", "found_workspace", "recorded_workspace", "with_mapped_files"]


def recorded_workspace(folded: Folded) -> parts.Workspace:
    """What the events say, nothing looked at."""
    state = folded.states["workspace"]
    worktree = state["worktree"]
    project: dict[str, Any] = state["project"] or {}
    expected = parts.Place(
        cwd=state["cwd"],
        branch=state["branch"],
        head=state["head"],
        worktree=None if worktree is None else worktree["path"],
        dirty=None if state["dirty"] is None else tuple(state["dirty"]),
    )
    info = parts.ProjectInfo(
        id=project.get("id"),
        path=project.get("path") or state["main_cwd"] or (state["cwds"][0] if state["cwds"] else None),
        root_commits=tuple(project.get("root_commits") or state["root_commits"]),
        remote=project.get("remote") or state["remote"],
    )
    return parts.Workspace(
        project=info,
        cwd=state["cwd"],
        path=state["cwd"],
        worktree=expected.worktree,
        branch=state["branch"],
        head=state["head"],
        expected=expected,
        cwds=tuple(state["cwds"]),
        pull_request=state["pull_request"],
    )


def checked_workspace(
    store: EventStore,
    folded: Folded,
    *,
    project: str | os.PathLike[str] | None,
    allow_cross_project: bool,
    policy: Policy,
    accept: Iterable[str],
    maps: Sequence[PathMap] = (),
    candidates: Iterable[str | os.PathLike[str]] = (),
    gate: Gate = "restore",
) -> tuple[parts.Workspace, list[Finding]]:
    """Recorded and found place side by side, and what differs as findings."""
    from .workspace.agents import agent_findings
    from .workspace.policy import settled
    from .workspace.session_place import session_place
    from .workspace.sessions import recorded_of

    accepted = tuple(accept)
    recorded = recorded_of(folded, store)
    report = session_place(
        store,
        recorded,
        project,
        gate=gate,
        policy=policy,
        accept=accepted,
        allow_cross_project=allow_cross_project,
        maps=maps,
        candidates=[os.fspath(candidate) for candidate in candidates],
    )
    about_agent = agent_findings(
        recorded.agent, report.cwd, gate, folded.session_id, knows=PriceBook(store).knows if gate == "open" else None
    )
    return found_workspace(folded, report), [*report.findings, *settled(about_agent, policy, accepted)]


def found_workspace(folded: Folded, report: PlaceReport) -> parts.Workspace:
    """The workspace part with what a check found: branch, HEAD and worktree are those of the directory in force."""
    recorded = recorded_workspace(folded)
    expected = parts.Place(**report.expected.model_dump())
    found = None if report.found is None else parts.Place(**report.found.model_dump())
    changes: dict[str, Any] = {
        "cwd": report.cwd,
        "path": report.cwd,
        "expected": expected,
        "found": found,
        "main_repo": expected.main_repo,
        "worktree": expected.worktree,
        "drift": None if report.drift is None else report.drift.fact(),
    }
    if found is not None and found.main_repo is not None:
        changes |= {name: getattr(found, name) for name in ("branch", "head", "worktree", "main_repo")}
    identity = (
        None if report.observed is None or report.observed.repository is None else report.observed.repository.identity
    )
    if recorded.project is not None and recorded.project.id is None and identity is not None:
        changes["project"] = parts.ProjectInfo(
            id=identity.id, path=identity.path, root_commits=identity.root_commits, remote=identity.remote
        )
    return recorded.model_copy(update=changes)


def with_mapped_files(runtime: parts.RestoredRuntime, maps: Sequence[PathMap]) -> parts.RestoredRuntime:
    """The runtime with the files of another machine under their paths on this one; texts stay as they were said."""
    if not maps:
        return runtime
    files = {mapped(path, maps): _mapped_file(state, maps) for path, state in runtime.app_state.files.items()}
    return runtime.model_copy(update={"app_state": runtime.app_state.model_copy(update={"files": files})})


def _mapped_file(state: FileState, maps: Sequence[PathMap]) -> FileState:
    names = {name: getattr(state, name) for name in ("moved_to", "moved_from")}
    changes = {name: mapped(path, maps) for name, path in names.items() if path is not None}
    return state.model_copy(update=changes) if changes else state
