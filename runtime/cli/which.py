"""Which session is meant: the one that was named, or with `--last` the newest of this project."""

from __future__ import annotations

from pathlib import Path

from ...events.errors import UsageError
from .frame import Frame


def chosen(
    frame: Frame, named: str | None, *, last: bool, project: Path | None = None, all_projects: bool = False
) -> str:
    """The text that names the session: what was typed, or the id of the newest session of the project.

    Raises:
        UsageError: neither or both were given.
        SessionNotFound: the project has no session.
    """
    if last == (named is not None):
        raise UsageError(
            "Name one session, or ask for the last one.",
            remedy="Give an ID, or --last. List the sessions with: rehydrate sessions",
        )
    if named is not None:
        return named
    from ..listing import last_session

    return last_session(project=project, all_projects=all_projects, store=frame.db)
