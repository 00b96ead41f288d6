"""`purge`: what deleting really removes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .ago import many, size
from .delete import confirm
from .frame import Answer, Frame
from .options import YesOption
from .screen import Screen

if TYPE_CHECKING:
    from ..purge import Purged


def purge(
    context: typer.Context,
    sessions: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Deleted sessions; without any, all of them.")
    ] = None,
    yes: YesOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
) -> Answer:
    """Remove the content of deleted sessions from the database for good.

    What a fork shares stays. Source transcripts on disk are never touched.

    Example: rehydrate purge --dry-run
    """
    from ..purge import purge_sessions

    frame = Frame.of(context)
    if not dry_run and not yes:
        planned = purge_sessions(sessions or (), store=frame.db, dry_run=True)
        if planned.sessions:
            confirm(
                frame, f"Remove {many(len(planned.sessions), 'session')} with {many(planned.events, 'event')} for good?"
            )
    result = purge_sessions(sessions or (), store=frame.db, dry_run=dry_run)
    return Answer(result, lambda screen: _show(screen, result))


def _show(screen: Screen, result: Purged) -> None:
    if not result.sessions:
        screen.line("No session is deleted; there is nothing to purge.")
        return
    would = "Would remove" if result.dry_run else "Removed"
    freed = "" if result.bytes is None else f"; the database is {size(result.bytes)} smaller"
    screen.line(
        f"{would} {many(len(result.sessions), 'session')}: {many(result.events, 'event')}, "
        f"{many(result.records, 'native record')}, {many(result.blobs, 'blob')}{freed}."
    )
    for session in result.sessions:
        screen.line(f"  {session}")
    if result.kept_for_forks:
        screen.line(f"{many(result.kept_for_forks, 'event')} stay because forks share them.")
    for file in result.files:
        screen.styled(("still on disk: ", "dim"), (file, None))
    if result.files:
        screen.line("Importing those files again brings the sessions back.", style="dim")
    if result.dry_run:
        screen.next_step("rehydrate purge --yes")
