"""`repair`: everything but the events is disposable; make it anew."""

from __future__ import annotations

import typer

from .ago import many, size
from .frame import Answer, Frame
from .screen import Screen


def repair(context: typer.Context) -> Answer:
    """Mend what can be mended in a database without touching its events.

    Makes files private, drops stored states, dead leases and leftovers, folds all sessions again.

    Example: rehydrate repair
    """
    from ..store_repair import repair_store

    result = repair_store(store=Frame.of(context).db)

    def show(screen: Screen) -> None:
        for one in result.mended:
            screen.styled(("~ ", "cyan"), (f"{one.what}: {one.count}", None))
        told = f"{many(result.sessions, 'session')} with {many(result.events, 'event')} folded again"
        screen.line(told + (f"; {size(result.freed_bytes)} freed." if result.freed_bytes else "."))
        screen.next_step("rehydrate verify", "Prove it")

    return Answer(result, show)
