"""`import`: transcripts into the database, with progress on stderr and one line per session at the end."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .ago import count, many
from .frame import Answer, Frame, plain
from .screen import Screen

if TYPE_CHECKING:
    from collections.abc import Callable

SHOWN_SESSIONS = 20
TOLD_APART = 3
"""Files whose findings are listed one by one; of more, only the kinds are counted."""


def import_(
    context: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help="Files or folders; without any, the places where the tools keep theirs."),
    ] = None,
    source: Annotated[
        str, typer.Option("--from", metavar="SOURCE", help="auto, claude-code, codex, … (default: auto, by content).")
    ] = "auto",
    maps: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="OLD=NEW", help="For bundles: where a directory of the other machine lies here."),
    ] = None,
) -> Answer:
    """Import transcripts of Claude Code, Codex and others, and bundles.

    Importing again adds only what is new. Nothing is written where the transcripts lie.

    Example: rehydrate import ~/.claude/projects
    """
    from ..importing import import_transcripts

    frame = Frame.of(context)
    path_map = None
    if maps:
        from ..export.bundle_import import parse_maps

        path_map = parse_maps(maps)
    with _progress(frame) as progress:
        result = import_transcripts(paths or (), source=source, store=frame.db, progress=progress, path_map=path_map)
    document = plain(result)
    return Answer(document, lambda screen: _show(screen, document, frame.db), _exit_code(document["failed"]))


def _exit_code(failed: list[dict[str, Any]]) -> int:
    """4 when a file holds other content under a known id (a person must settle that), else the highest of the
    failures."""
    codes = {int(entry["exit_code"]) for entry in failed}
    return 4 if 4 in codes else max(codes, default=0)


@contextmanager
def _progress(frame: Frame) -> Generator[Callable[..., None] | None]:
    """A bar on a terminal's stderr, else nothing."""
    if frame.json or not frame.err.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("Importing"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(file=frame.err), transient=True) as bar:
        task = bar.add_task("", total=None)

        def report(path: Any, done_bytes: int, total_bytes: int) -> None:
            bar.update(task, completed=done_bytes, total=total_bytes, description=Path(str(path)).name[:40])

        yield report


def _show(screen: Screen, document: dict[str, Any], db: str | None) -> None:
    sessions, failed = document["sessions"], document["failed"]
    added = sum(session["events_added"] for session in sessions)
    changed = [session for session in sessions if session["events_added"]]
    for session in changed[:SHOWN_SESSIONS]:
        new = session["events_added"] == session["events_total"]
        mark = ("new ", "green") if new else ("more", "cyan")
        screen.styled(
            mark,
            (f"  {session['session_id']}", None),
            (f"  {count(session['events_added'])} events", "dim"),
            (f"  {session['source']}", "dim"),
        )
    if len(changed) > SHOWN_SESSIONS:
        screen.line(f"… and {many(len(changed) - SHOWN_SESSIONS, 'more file')}", style="dim")
    _show_findings(screen, [session for session in sessions if session["findings"]])
    for entry in failed:
        screen.styled(("✗ failed", "bold red"), (f"  {entry['path']}: {entry['error']}", None))
    roles = {session["session_id"]: session["role"] for session in sessions}
    main = sum(role == "main" for role in roles.values())
    told = f"{many(main, 'session')} and {many(len(roles) - main, 'sub-agent')}: {many(added, 'new event')}"
    screen.line(f"{told}, {many(len(failed), 'file')} failed.")
    if not sessions and not failed:
        screen.line("Nothing was found to import. Give a file or a folder: rehydrate import PATH")
    elif len(sessions) == 1:
        screen.next_step(f"rehydrate resume {sessions[0]['session_id']}")
    elif sessions:
        from ..listing import list_sessions

        screen.next_step("rehydrate sessions" if list_sessions(store=db) else "rehydrate sessions --all")


def _show_findings(screen: Screen, sessions: list[dict[str, Any]]) -> None:
    """Each file with its findings; of many files, only how often each kind was found."""
    if not sessions:
        return
    if len(sessions) > TOLD_APART:
        screen.line()
        screen.findings_by_kind({_near(session["path"]): session["findings"] for session in sessions})
        screen.line("Where each of them is: rehydrate check ID, or the same import with --json.", style="dim")
    else:
        for session in sessions:
            screen.line()
            screen.line(_near(session["path"]), style="bold")
            screen.findings(session["findings"])
    screen.line()


def _near(path: str) -> str:
    """The path as it is seen from here, when it lies below."""
    here = str(Path.cwd()).rstrip("/") + "/"
    return path.removeprefix(here)
