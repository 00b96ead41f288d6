"""`export`: a session as a file that another tool resumes, or back as it was imported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .frame import Answer, Frame
from .options import PointerArgument

if TYPE_CHECKING:
    from ..export import ExportResult
    from .screen import Screen


def export(
    context: typer.Context,
    pointer: PointerArgument,
    to: Annotated[
        Literal["claude-code", "codex", "jsonl", "bundle"] | None,
        typer.Option(
            "--to",
            help="A client's transcript, events for other programs (jsonl, not read back), or a bundle for another machine.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="PATH", help="A new file, or a folder laid out like the client's home."),
    ] = None,
    original: Annotated[
        bool, typer.Option("--original", help="The imported file again, byte for byte (secrets are not masked).")
    ] = False,
    install: Annotated[
        bool, typer.Option("--install", help="Put it where the client looks for it; never overwrites.")
    ] = False,
    project: Annotated[
        Path | None, typer.Option("--project", metavar="PATH", help="Where it shall be resumed (default: as recorded).")
    ] = None,
) -> Answer:
    """Write a session so that another tool resumes it.

    Nothing is overwritten, and what the other tool cannot take is listed. Known secret patterns are masked unless
    --show-secrets is given; a bundle holds the session as it is.

    Example: rehydrate export 4f2a --to codex --install --project .
    """
    frame = Frame.of(context)
    if original:
        return _original(frame, pointer, out)
    from ..export import export_session

    form = to or "jsonl"
    result = export_session(
        pointer,
        to=form,
        out=out,
        install=install,
        project=project,
        store=frame.db,
        show_secrets=frame.show_secrets,
    )
    return Answer(result, lambda screen: _show(screen, result))


def _original(frame: Frame, pointer: str, out: Path | None) -> Answer:
    from ..export import export_original

    result = export_original(pointer, out=out, store=frame.db)
    return Answer(result, lambda screen: screen.line(f"Wrote {result.path}"))


def _show(screen: Screen, result: ExportResult) -> None:
    screen.line(f"Wrote {result.path} ({result.records} records, {len(result.side_files)} files beside it)")
    screen.findings(result.findings)
    if result.resume_command is None:
        return
    if result.installed:
        screen.next_step(result.resume_command, "To go on there")
    else:
        screen.line(f"Session id in the file: {result.session_id}")
        screen.next_step(
            f"rehydrate export {result.source_pointer} --to {result.to} --install", "To put it where the client looks"
        )
