"""`copy`: move house, from a file to a server or back."""

from __future__ import annotations

from typing import Annotated

import typer

from .ago import many
from .frame import Answer, Frame
from .screen import Screen


def copy(
    context: typer.Context,
    target: Annotated[str, typer.Argument(metavar="URL", help="The other database: a URL or a file; must be empty.")],
) -> Answer:
    """Copy all sessions into another database.

    Example: rehydrate copy postgresql+psycopg://localhost/rehydrate
    """
    from ..copying import copy_store

    result = copy_store(target, store=Frame.of(context).db)

    def show(screen: Screen) -> None:
        screen.line(f"Copied {many(result.sessions, 'session')} with {many(result.events, 'event')}.")
        screen.next_step(f"rehydrate --db {target} verify", "Prove it")

    return Answer(result, show)
