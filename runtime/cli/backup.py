"""`backup`: one file that holds everything, taken at any moment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .ago import many, size
from .frame import Answer, Frame
from .screen import Screen


def backup(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The new file; never overwritten.")],
) -> Answer:
    """Write a consistent copy of the database to a file.

    Example: rehydrate backup ~/rehydrate-monday.sqlite
    """
    from ..backup import backup_store

    result = backup_store(path, store=Frame.of(context).db)

    def show(screen: Screen) -> None:
        holds = f"{many(result.sessions, 'session')}, {many(result.events, 'event')}, {size(result.bytes)}"
        screen.line(f"Copied to {result.path} ({holds}).")
        screen.next_step(f"rehydrate --db {result.path} sessions --all", "Look into it")

    return Answer(result, show)
