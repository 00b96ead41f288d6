"""`rewind`: the same session, back at a pointer, with or without its files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .frame import Answer, Frame
from .options import PointerArgument

if TYPE_CHECKING:
    from ..rewind import RewindResult
    from ..rewind_files import FileStep
    from .screen import Screen

_DONE = {"write": "written", "delete": "deleted", "none": "left"}
_WOULD = {"write": "would write", "delete": "would delete", "none": "leave"}


def rewind(
    context: typer.Context,
    pointer: PointerArgument,
    scope: Annotated[
        Literal["conversation", "files", "both"],
        typer.Option("--scope", help="What goes back (default: conversation)."),
    ] = "conversation",
    force: Annotated[
        bool, typer.Option("--force", help="Also put back files that someone else changed (they are saved first).")
    ] = False,
    project: Annotated[
        Path | None,
        typer.Option("--project", metavar="PATH", help="Where the project lies now (default: as recorded)."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done to each file.")] = False,
) -> Answer:
    """Move a session back to a pointer; nothing is destroyed.

    Files get the content they had at the pointer: only those the session's tools changed after it. What shell
    commands did is not recorded and not taken back.

    Example: rehydrate rewind 4f2a@turn:3 --scope both
    """
    from ..rewind import rewind_session

    frame = Frame.of(context)
    result = rewind_session(pointer, scope, force=force, store=frame.db, project=project, dry_run=dry_run)
    return Answer(result, lambda screen: _show(screen, result))


def _action(result: RewindResult, step: FileStep) -> str:
    """What is or would be done to the file; one that was forced was done too."""
    if result.dry_run or step.path not in result.restored:
        return step.action if result.dry_run else "none"
    return step.action if step.action != "none" else "write" if step.digest_then else "delete"


def _show(screen: Screen, result: RewindResult) -> None:
    verb = "Would go back" if result.dry_run else "Went back"
    screen.line(f"{verb} to {result.rewound_to} ({result.scope}); now at {result.pointer}")
    if result.files:
        words = _WOULD if result.dry_run else _DONE
        rows = [(words[_action(result, step)], step.state, step.path) for step in result.files]
        screen.table(["", "state", "file"], rows, grow=2)
    screen.findings(result.findings)
    if not result.dry_run:
        screen.next_step(f"rehydrate rewind {result.former_end}", "To go forward again")
