"""`scan`: is everything that the tools left behind in the database?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .ago import many, size
from .frame import Answer, Frame
from .screen import Screen

if TYPE_CHECKING:
    from ..scanning import Scan

STYLES = {"new": "green", "changed": "yellow"}
SHOWN = 40


def scan(
    context: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help="Files or folders; without any, the places where the tools keep theirs."),
    ] = None,
) -> Answer:
    """Report transcripts that are on this machine but not yet imported.

    Example: rehydrate scan
    """
    from ..scanning import scan_places

    found = scan_places(paths or (), store=Frame.of(context).db)
    return Answer(found, lambda screen: _show(screen, found, paths or []))


def _show(screen: Screen, found: Scan, paths: list[Path]) -> None:
    if not found.places:
        screen.line("None of the known tools keeps transcripts on this machine.")
        screen.next_step("rehydrate import PATH", "Import a file or a folder")
        return
    open_files = [file for file in found.files if file.state in STYLES]
    rows = [
        ((file.state, STYLES[file.state]), file.source, (size(file.bytes), "dim"), file.path)
        for file in open_files[:SHOWN]
    ]
    if rows:
        screen.table(["", "SOURCE", "SIZE", "FILE"], rows, right=[2], grow=3)
    if len(open_files) > SHOWN:
        screen.line(f"… and {len(open_files) - SHOWN} more", style="dim")
    counts = found.counts
    screen.line(
        f"{many(counts['new'], 'new file')}, {counts['changed']:,} changed, {counts['imported']:,} imported, "
        f"{counts['not-a-transcript']:,} of other kinds in {', '.join(found.places)}"
    )
    if found.missing:
        screen.line(
            f"{many(len(found.missing), 'imported file')} no longer on disk; their sessions are kept in the database."
        )
    if open_files:
        screen.next_step(" ".join(["rehydrate import", *map(str, paths)]))
