"""`delete`: out of the list at once, gone for good only with `purge`."""

from __future__ import annotations

import typer

from ...events.errors import UsageError
from .frame import Answer, Frame
from .options import SessionArgument, YesOption
from .screen import Screen


def delete(context: typer.Context, session: SessionArgument, yes: YesOption = False) -> Answer:
    """Delete a session from the list; purge removes its content.

    Example: rehydrate delete 4f2a --yes
    """
    from ..deletion import delete_session

    frame = Frame.of(context)
    if not yes:
        confirm(frame, f"Delete session {session}?")
    result = delete_session(session, store=frame.db)

    def show(screen: Screen) -> None:
        screen.line(f"Deleted: {result.session_id}. Its content is kept until it is purged.")
        screen.next_step(f"rehydrate unarchive {result.session_id}", "Take it back")
        screen.next_step(f"rehydrate purge {result.session_id}", "Remove it for good")

    return Answer(result, show)


def confirm(frame: Frame, question: str) -> None:
    """Ask on a terminal.

    Raises:
        UsageError: nobody can be asked.
        Abort: the answer was no.
    """
    if not frame.interactive:
        raise UsageError(f"{question} There is nobody to ask.", remedy="Say it with --yes; nothing was done.")
    typer.confirm(question, abort=True, err=True)
