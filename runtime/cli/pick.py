"""`rehydrate` alone: on a terminal the picker, elsewhere the list of this project's sessions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from .frame import Answer, Frame
from .screen import Screen

if TYPE_CHECKING:
    from ..picker.app import Picked


def pick(context: typer.Context) -> Answer | None:
    """Let a person choose a session and do what they ask for; without a terminal or Textual, list the sessions."""
    frame = Frame.of(context)
    if frame.json or not (frame.out.isatty() and sys.stdin.isatty()):
        return _listed(context)
    try:
        from ..picker.app import Picker
    except ImportError:
        frame.note("The picker needs the extra `tui`: pip install 'rehydrate[tui]'")
        return _listed(context)
    from .ago import ago

    picked = Picker(store=frame.db, ago=ago).run()
    return None if picked is None else _done(context, frame, picked)


def _listed(context: typer.Context) -> Answer:
    from .sessions import sessions

    return sessions(context)


def _done(context: typer.Context, frame: Frame, picked: Picked) -> Answer:
    if picked.action == "show":
        from .show import show

        return show(context, picked.session_id)
    if picked.action == "fork":
        from ..fork import fork_session

        result = fork_session(f"{picked.session_id}@last", store=frame.db)
        return Answer(result, lambda screen: _commands(screen, result.session_id))
    return Answer({"session_id": picked.session_id}, lambda screen: _commands(screen, picked.session_id))


def _commands(screen: Screen, session_id: str) -> None:
    screen.next_step(f"rehydrate resume {session_id}", "Restore")
    screen.next_step(f'rehydrate run {session_id} "…"', "Go on")
