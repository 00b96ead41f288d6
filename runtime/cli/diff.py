"""`diff`: two pointers side by side, only what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .frame import Answer, Frame

if TYPE_CHECKING:
    from ..compare import Comparison
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
    from .diff_lines import change_lines, first_line

    screen.line(f"A {found.a}")
    screen.line(f"B {found.b}")
    if found.equal:
        screen.line("No difference.")
        return
    messages = found.messages
    if messages.only_a or messages.only_b:
        screen.line(f"{messages.common} messages in common, then", style="bold")
        for sign, style, told in (("A", "red", messages.only_a), ("B", "green", messages.only_b)):
            for one in told:
                screen.styled((f"  {sign} {one['role']:9} ", style), (first_line(one["text"]), None))
    lines = list(change_lines(found))
    if lines:
        screen.line("A → B", style="bold")
    for line in lines:
        screen.line(f"  {line}")
