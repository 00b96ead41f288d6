"""The sessions of a project or of all, newest activity first; read from small rows, whatever the sessions hold."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..events.blocks import Frozen
from ..events.errors import SessionNotFound
from ..events.store import EventStore
from .opened import StoreLike, opened
from .session_index import listed_rows


class SessionSummary(Frozen):
    """One line of the list. worktree: the linked worktree the session is in. pointer: its present end."""

    session_id: str
    title: str | None = None
    source: str
    project: str | None = None
    worktree: str | None = None
    created_at: str | None = None
    last_activity: str | None = None
    events: int = 0
    messages: int = 0
    turns: int = 0
    forked_from: str | None = None
    pointer: str
    project_id: str | None = None
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    agent: str | None = None
    tag: str | None = None
    color: str | None = None
    archived: bool = False
    deleted: bool = False
    marks: tuple[str, ...] = ()


def list_sessions(
    project: str | os.PathLike[str] | None = None,
    all: bool = False,  # noqa: A002 (the public name of the command line's option)
    search: str | None = None,
    store: StoreLike = None,
    *,
    worktree: str | None = None,
    archived: bool = False,
    deleted: bool = False,
    marks: bool = False,
) -> tuple[SessionSummary, ...]:
    """Sessions with at least one message, newest activity first; sub-agents are never among them.

    project: a directory of the project (None: the current one) unless `all`. search: words that title, id, tag, model or branch
    hold. worktree: only sessions of this worktree (its name or path). archived, deleted: list those too. marks: also tell what
    has changed at each place (asks git).
    """
    with opened(store) as events:
        rows = [row for row in listed_rows(events) if row["messages"] > 0]
        rows = [row for row in rows if (archived or not row["archived"]) and (deleted or not row["deleted"])]
        if not all:
            rows = of_project(events, rows, project if project is not None else Path.cwd())
        rows = _searched(rows, search)
        if worktree is not None:
            rows = [row for row in rows if _in_worktree(row, worktree)]
        noted = _marked(rows) if marks else {}
    return tuple(_summary(row, noted.get(row["session_id"], ())) for row in rows)


def last_session(
    project: str | os.PathLike[str] | None = None,
    *,
    all_projects: bool = False,
    store: StoreLike = None,
) -> str:
    """The id of the session with the newest activity in this project (or in all).

    Raises:
        SessionNotFound: there is none; nothing is created.
    """
    found = list_sessions(project, all=all_projects, store=store)
    if not found:
        place = "" if all_projects else f" in the project of {Path(project) if project else Path.cwd()}"
        raise SessionNotFound(
            f"There is no session{place}.",
            remedy="Import transcripts with: rehydrate import. List all with: rehydrate sessions --all",
            candidates=[],
        )
    return found[0].session_id


def _summary(row: dict[str, Any], marks: Sequence[str]) -> SessionSummary:
    known = {name: row[name] for name in SessionSummary.model_fields if name in row}
    return SessionSummary(**known, marks=tuple(marks))


def _searched(rows: list[dict[str, Any]], search: str | None) -> list[dict[str, Any]]:
    words = (search or "").casefold().split()
    return [row for row in rows if all_in(words, row)]


def all_in(words: Iterable[str], row: dict[str, Any]) -> bool:
    """Whether each word occurs in what the list shows of a session."""
    names = ("title", "session_id", "tag", "model", "branch", "project", "agent")
    text = "\n".join(str(row[name]) for name in names if row.get(name)).casefold()
    return all(word in text for word in words)


def of_project(store: EventStore, rows: list[dict[str, Any]], project: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The rows that belong to the project of a directory, its worktrees included."""
    from .workspace.scope import members, place_of

    del store
    held = members(project, (place_of(row["session_id"], row["place"]) for row in rows))
    return [row for row in rows if row["session_id"] in held]


def _in_worktree(row: dict[str, Any], worktree: str) -> bool:
    path = row["worktree"] or row["cwd"] or ""
    wanted = worktree.rstrip("/")
    return path == str(Path(wanted).absolute()) or path.rstrip("/").rpartition("/")[2] == wanted


def _marked(rows: list[dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    from .workspace.scope import marks, place_of

    return dict(marks([place_of(row["session_id"], row["place"]) for row in rows]))
