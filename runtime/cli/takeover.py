"""`takeover`: the right to write to a session, taken from whoever holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from .frame import Answer, Frame
from .options import SessionArgument

if TYPE_CHECKING:
    from .screen import Screen


def takeover(context: typer.Context, session: SessionArgument) -> Answer:
    """Take the right to write to a session from another process.

    What the other process still tries to append is refused; nothing that it wrote is lost.

    Example: rehydrate takeover 4f2a
    """
    from ..live.takeover import takeover_session

    taken = takeover_session(session, store=Frame.of(context).db)

    def show(screen: Screen) -> None:
        if taken.former is None:
            screen.line(f"Nobody held {taken.session_id}; it is free.")
        else:
            screen.line(
                f"Taken from process {taken.former['pid']} on {taken.former['host']}; {taken.session_id} is free."
            )
        screen.next_step(f"rehydrate run {taken.session_id} PROMPT")

    return Answer(taken, show)
