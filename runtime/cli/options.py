"""Arguments and options that several commands share, declared once so that they read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer


def complete_session(incomplete: str) -> list[tuple[str, str]]:
    """Ids of sessions that begin with what was typed, with their titles, for the shell's completion."""
    from ...events.errors import RehydrateError
    from ..listing import list_sessions

    try:
        rows = list_sessions(all=True)
    except RehydrateError:
        return []
    return [(row.session_id, row.title or "") for row in rows if row.session_id.startswith(incomplete)]


SessionArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="A session: its id, a unique beginning of it, or its title.", autocompletion=complete_session
    ),
]
OptionalSession = Annotated[
    str | None, typer.Argument(metavar="ID", help="A session: its id, a unique beginning of it, or its title.")
]
PointerArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID[@POS]",
        help="A session, and the place in it: a position, turn:N, last, before-compaction or a message id.",
        autocompletion=complete_session,
    ),
]
OptionalPointer = Annotated[
    str | None,
    typer.Argument(
        metavar="ID[@POS]",
        help="A session, and the place in it: a position, turn:N, last, before-compaction or a message id.",
        autocompletion=complete_session,
    ),
]
LastOption = Annotated[bool, typer.Option("--last", help="The newest session of this project.")]
ProjectOption = Annotated[
    Path | None, typer.Option("--project", metavar="PATH", help="The project's directory (default: the current one).")
]
CrossProjectOption = Annotated[
    bool, typer.Option("--allow-cross-project", help="Accept that the place is another project than the recorded one.")
]
PolicyOption = Annotated[
    Literal["strict", "warn", "force"],
    typer.Option(
        "--policy", help="What a check may refuse: strict (default), warn (degrade instead), force (nothing)."
    ),
]
AcceptOption = Annotated[
    list[str] | None, typer.Option("--accept", metavar="CODE", help="Settle one finding by its code; may be repeated.")
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
