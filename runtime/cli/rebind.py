"""`rebind`: a person says where a session's project lies now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .frame import Answer, Frame
from .options import SessionArgument

if TYPE_CHECKING:
    from ..workspace.rebind import Rebound
    from .screen import Screen

PathArgument = Annotated[Path, typer.Argument(metavar="PATH", help="The directory the session goes on in.")]


def rebind(context: typer.Context, session: SessionArgument, path: PathArgument) -> Answer:
    """Bind a session to the place where its project lies now.

    What the directory shows now (project, branch, HEAD) is what later checks expect. Nothing in it is changed.

    Example: rehydrate rebind 4f2a ~/code/renamed
    """
    from ..workspace.rebind import rebind_session

    bound = rebind_session(session, path, Frame.of(context).db)
    return Answer(bound, lambda screen: _show(screen, bound))


def _show(screen: Screen, bound: Rebound) -> None:
    screen.line(f"Bound to {bound.cwd}" + (f" on {bound.branch}" if bound.branch else ""))
    screen.pairs([("before", bound.former_cwd), ("pointer", bound.pointer)])
    if bound.findings:
        screen.findings(bound.findings)
    screen.next_step(f"rehydrate resume {bound.session_id}")
