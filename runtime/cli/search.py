"""`search`: where was it that we talked about this?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .ago import ago
from .frame import Answer, Frame
from .screen import Screen

if TYPE_CHECKING:
    from ..searching import Found


def search(
    context: typer.Context,
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="Words; all of them must be there.")],
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many matches.")] = 20,
) -> Answer:
    """Find sessions by what was said in them.

    Keys and passwords are masked before they are indexed: they are neither found nor shown.

    Example: rehydrate search retry budget
    """
    from ..searching import search_sessions

    found = search_sessions(" ".join(text), store=Frame.of(context).db, limit=limit)
    return Answer(found, lambda screen: _show(screen, found), masked=True)


def _show(screen: Screen, found: Found) -> None:
    if not found.matches:
        screen.line(f"Nothing was said about {found.query!r}.")
        screen.next_step("rehydrate sessions --all", "All sessions")
        return
    sessions = dict.fromkeys(match.session_id for match in found.matches)
    for session_id in sessions:
        own = [match for match in found.matches if match.session_id == session_id]
        screen.styled((own[0].title or session_id, "bold"))
        for match in own:
            screen.styled((f"  {match.pointer}  ", "cyan"), (f"{ago(match.timestamp)}  ", "dim"), (match.snippet, None))
    if found.more:
        screen.line("There are more; narrow the words or raise --limit.", style="dim")
    screen.next_step(f"rehydrate show {found.matches[0].pointer}")
