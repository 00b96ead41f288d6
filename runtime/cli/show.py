"""`show`: the reader's view, turn by turn, with a pointer on every line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from .frame import Answer, Frame
from .options import PointerArgument

if TYPE_CHECKING:
    from ..history import Entry, History
    from .screen import Screen

_SHORT = 400
_STYLES = {"UserInput": "bold cyan", "AssistantMessage": None, "ToolUse": "yellow", "ToolResult": "dim"}
_WORDS = {
    "UserInput": "user",
    "AssistantMessage": "assistant",
    "ToolUse": "call",
    "ToolResult": "result",
    "ContextCompact": "compaction",
    "Rewound": "rewind",
    "SessionStarted": "session",
    "TodoSnapshot": "todos",
    "Unrecognized": "unknown",
    "RunStarted": "run",
    "RunEnded": "run",
}


def show(
    context: typer.Context,
    pointer: PointerArgument,
    full: Annotated[bool, typer.Option("--full", help="Whole texts instead of their first lines.")] = False,
    live: Annotated[
        bool, typer.Option("--live", help="Only the present line, without branches that were left.")
    ] = False,
) -> Answer:
    """Show what a person could read: turns, compactions and forks, with their pointers.

    Example: rehydrate show 4f2a
    """
    from ..history import show_session

    history = show_session(pointer, store=Frame.of(context).db)
    if live:
        history = history.model_copy(update={"entries": tuple(entry for entry in history.entries if entry.live)})
    return Answer(history, lambda screen: _show(screen, history, full=full), masked=True)


def _show(screen: Screen, history: History, *, full: bool) -> None:
    turn: int | None = None
    for entry in history.entries:
        if entry.turn is not None and entry.turn != turn:
            turn = entry.turn
            screen.line()
            screen.styled((f"Turn {turn}", "bold"), (f"   {history.session_id}@turn:{turn}", "dim"))
        _entry(screen, entry, full=full)
    screen.line()
    _places(screen, history)
    screen.next_step(f"rehydrate fork {history.pointer}", "A new session from here")


def _entry(screen: Screen, entry: Entry, *, full: bool) -> None:
    if entry.kind == "AssistantMessage" and not entry.text.strip():
        return
    word = _WORDS.get(entry.kind) or re.sub(r"(?<!^)(?=[A-Z])", " ", entry.kind).lower()
    left = "" if entry.live else " (left)"
    text = entry.text if full else _shortened(entry.text)
    position = f"{entry.position:>6} "
    screen.styled((position, "dim"), (f"{word}{left}: ", "dim"), (text, "dim" if left else _STYLES.get(entry.kind)))


def _shortened(text: str) -> str:
    lines = text.strip().split("\n")
    head = " ".join(lines[:3])
    return head if len(head) <= _SHORT and len(lines) <= 3 else head[:_SHORT] + " …"


def _places(screen: Screen, history: History) -> None:
    worth = [place for place in history.places if place.what != "end of turn"]
    if worth:
        screen.line("Places worth pointing at", style="bold")
        screen.table(["address", "what", ""], [(place.address, place.what, place.text) for place in worth], grow=2)
