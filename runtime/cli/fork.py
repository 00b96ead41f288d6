"""`fork`: a new session that shares the past."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .frame import Answer, Frame
from .options import PointerArgument

if TYPE_CHECKING:
    from .screen import Screen


def fork(
    context: typer.Context,
    pointer: PointerArgument,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TITLE", help="Its title (default: the parent's, numbered).")
    ] = None,
) -> Answer:
    """Make a new session that shares the past up to a pointer.

    Nothing is copied; nothing that happens later on one side shows on the other.

    Example: rehydrate fork 4f2a@turn:3 --title "another way"
    """
    from ..fork import fork_session

    result = fork_session(pointer, title=title, store=Frame.of(context).db)

    def show(screen: Screen) -> None:
        screen.line(f"Forked {result.forked_from} as {result.session_id}")
        screen.pairs([("title", result.title), ("pointer", result.pointer)])
        screen.next_step(f"rehydrate resume {result.session_id}")

    return Answer(result, show)
