"""The workspace part of a restored runtime, recorded and found, with the check in between when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from ..events.findings import Finding
from ..projections.fold import Folded
from . import restored as parts

Policy = Literal["strict", "warn", "force"]


def recorded_workspace(folded: Folded) -> parts.Workspace:
    """What the events say, nothing looked at."""
    state = folded.states["workspace"]
    worktree = state["worktree"]
    project = state["project"]
    expected = parts.Place(
        cwd=state["cwd"],
        branch=state["branch"],
        head=state["head"],
        worktree=None if worktree is None else worktree["path"],
        dirty=None if state["dirty"] is None else tuple(state["dirty"]),
    )
    info = parts.ProjectInfo(
        id=project["id"] if project else None,
        path=(project or {}).get("path") or state["main_cwd"] or (state["cwds"][0] if state["cwds"] else None),
        root_commits=tuple((project or {}).get("root_commits") or state["root_commits"]),
        remote=(project or {}).get("remote") or state["remote"],
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
    folded: Folded,
    *,
    project: str | os.PathLike[str] | None,
    allow_cross_project: bool,
    policy: Policy,
    accept: Iterable[str],
) -> tuple[parts.Workspace, list[Finding]]:
    """Recorded and found place side by side, and what differs as findings."""
    from .workspace.agents import RecordedAgent, agent_findings
    from .workspace.check import check_workspace
    from .workspace.drift import touched_files
    from .workspace.expected import expected_place

    recorded = recorded_workspace(folded)
    report = check_workspace(
        expected_place(folded.session_id, folded.states["workspace"]),
        Path(project) if project is not None else None,
        touched_files(folded.states["files"]),
        gate="restore",
        policy=policy,
        accept=tuple(accept),
        allow_cross_project=allow_cross_project,
    )
    view = report.expected
    expected = recorded.expected.model_copy(update={"worktree": view.worktree or recorded.expected.worktree})
    found = None if report.found is None else _place(report.found)
    drift = None if report.drift is None else report.drift.fact()
    checked = recorded.model_copy(
        update={"cwd": report.cwd, "path": report.cwd, "expected": expected, "found": found, "drift": drift}
    )
    agent = folded.states["agent"]
    fields: dict[str, Any] = agent["fields"]
    known = {name: fields.get(name) for name in ("name", "definition", "definition_digest", "provider", "mcp_servers")}
    acting = RecordedAgent(**known, model=agent["model"], tools=agent["tools"])
    return checked, [*report.findings, *agent_findings(acting, report.cwd, "restore", folded.session_id)]


def _place(view: Any) -> parts.Place:
    return parts.Place(cwd=view.cwd, branch=view.branch, head=view.head, worktree=view.worktree, dirty=view.dirty)
