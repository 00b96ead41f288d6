"""`diff`: two pointers side by side, only what differs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .frame import Answer, Frame

if TYPE_CHECKING:
    from ..compare import Change, Comparison
    from .screen import Screen


def diff(
    context: typer.Context,
    a: Annotated[str, typer.Argument(metavar="A", help="A session or a pointer.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
) -> Answer:
    """Show what differs between two pointers.

    Example: rehydrate diff 4f2a@turn:3 4f2a@last
    """
    from ..compare import compare_pointers

    found = compare_pointers(a, b, store=Frame.of(context).db)
    return Answer(found, lambda screen: _show(screen, found), masked=True)


def _show(screen: Screen, found: Comparison) -> None:
    screen.line(f"{found.a} ↔ {found.b}", style="bold")
    if found.equal:
        screen.line("No difference.")
        return
    messages = found.messages
    if messages.only_a or messages.only_b:
        screen.line(f"Messages: {messages.common} in common")
        for sign, style, told in (("-", "red", messages.only_a), ("+", "green", messages.only_b)):
            for one in told:
                screen.styled((f"{sign} {one['role']}: ", style), (_short(one["text"]), None))
    for name in ("todos", "files", "agent", "workspace", "cost"):
        _changes(screen, name, getattr(found, name))


def _changes(screen: Screen, name: str, changes: tuple[Change, ...]) -> None:
    if changes:
        screen.line(name.capitalize())
        screen.table(["", "A", "B"], [(change.name, _short(change.a), _short(change.b)) for change in changes], grow=2)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:199] + "…"
