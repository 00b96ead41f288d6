"""`sessions`: what there is to go on with, in this project or in all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...events.errors import UsageError
from .ago import ago, count, many
from .frame import Answer, Frame
from .options import ProjectOption
from .screen import Screen

if TYPE_CHECKING:
    from ..listing import SessionSummary

SHOWN = 30
MARKS = {
    "gone": "its directory is not there",
    "foreign": "its directory is another repository now",
    "branch-changed": "another branch is checked out there",
    "head-moved": "its commit is not the recorded one",
    "shares-checkout": "another session works in the same checkout",
}


def sessions(
    context: typer.Context,
    project: ProjectOption = None,
    all_projects: Annotated[bool, typer.Option("--all", help="Of every project.")] = False,
    search: Annotated[
        str | None, typer.Option("--search", metavar="TEXT", help="Words in title, tag, model, branch, project or id.")
    ] = None,
    worktree: Annotated[
        str | None, typer.Option("--worktree", metavar="NAME", help="Of this worktree only: its name or path.")
    ] = None,
    archived: Annotated[bool, typer.Option("--archived", help="Archived ones too.")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="At most so many (default: 30 on the screen).")
    ] = None,
) -> Answer:
    """List sessions, newest activity first.

    Those of this project with all its worktrees, or of every project with --all.

    Example: rehydrate sessions --all --search invoice
    """
    from ..listing import list_sessions

    if all_projects and project is not None:
        raise UsageError("--all and --project exclude each other.", remedy="Give one of them.")
    frame = Frame.of(context)
    found = list_sessions(
        project, all=all_projects, search=search, store=frame.db, worktree=worktree, archived=archived, marks=True
    )
    listed = found[:limit]
    document = {"sessions": [row.model_dump(mode="json") for row in listed]}
    scope = _Scope(project, all_projects, search)
    return Answer(
        document, lambda screen: _show(screen, frame, listed[: limit or SHOWN], len(found), scope), masked=True
    )


class _Scope:
    """What was asked for, for the words below the list."""

    def __init__(self, project: Path | None, all_projects: bool, search: str | None) -> None:
        self.project = project
        self.all_projects = all_projects
        self.search = search

    def nothing(self) -> str:
        said = f" with {self.search!r}" if self.search else ""
        if self.all_projects:
            return f"There is no session{said}."
        return f"There is no session{said} in the project of {self.project or Path.cwd()}."


def _show(screen: Screen, frame: Frame, rows: tuple[SessionSummary, ...], total: int, scope: _Scope) -> None:
    if not rows:
        screen.line(scope.nothing())
        screen.next_step("rehydrate import", "Bring transcripts in")
        if not scope.all_projects:
            screen.next_step("rehydrate sessions --all", "Sessions of every project")
        return
    from ..short_ids import short_ids

    short = short_ids([row.session_id for row in rows], store=frame.db)
    headings = ["ID", "TITLE", "WHEN", "EVENTS", "SOURCE"]
    if scope.all_projects:
        headings.append("PROJECT")
    screen.table([*headings, ""], (_row(row, short, scope) for row in rows), right=[3], grow=1)
    screen.line()
    marks = sorted({mark for row in rows for mark in row.marks})
    if marks:
        screen.line("  ".join(f"{mark}: {MARKS.get(mark, mark)}" for mark in marks), style="dim")
    if total > len(rows):
        screen.line(f"{many(total, 'session')}, the newest {len(rows)} shown; --limit {total} shows all.", style="dim")
    screen.next_step(f"rehydrate resume {short[rows[0].session_id]}", "Restore the newest")


def _row(row: SessionSummary, short: dict[str, str], scope: _Scope) -> list[object]:
    cells: list[object] = [
        (short[row.session_id], "cyan"),
        row.title or ("(no title)", "dim"),
        ago(row.last_activity),
        (count(row.events), "dim"),
        (row.source, "dim"),
    ]
    if scope.all_projects:
        cells.append((_home(row.project), "dim"))
    return [*cells, (_marks(row), "yellow")]


def _home(path: str | None) -> str:
    if path is None:
        return "-"
    home = str(Path.home())
    return "~" + path[len(home) :] if path.startswith(home + "/") else path


def _marks(row: SessionSummary) -> str:
    """What sets this one apart, in a few words."""
    marks = list(row.marks)
    if row.worktree:
        marks.insert(0, f"worktree {Path(row.worktree).name}")
    if row.tag:
        marks.insert(0, f"#{row.tag}")
    if row.forked_from:
        marks.append("fork")
    if row.archived:
        marks.append("archived")
    return ", ".join(marks)
