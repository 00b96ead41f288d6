"""`tail`: events of a session as another process writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .frame import Frame
from .options import SessionArgument

if TYPE_CHECKING:
    from ...events.event import Event


def tail(
    context: typer.Context,
    session: SessionArgument,
    after: Annotated[
        int | None, typer.Option("--after", metavar="POS", min=0, help="Begin behind this position (default: the end).")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow/--no-follow", help="Wait for more.")] = True,
) -> None:
    """Follow a session that another process writes.

    With --json each event is one line. Ctrl-C ends it.

    Example: rehydrate tail 4f2a --after 120
    """
    from ..live.tail import tail_session

    frame = Frame.of(context)
    start = after if after is not None or follow else 0
    for event in tail_session(session, after=start, follow=follow, store=frame.db):
        if frame.json:
            frame.line(document(event))
        else:
            frame.out.write(_line(event) + "\n")
            frame.out.flush()
    raise typer.Exit(0)


def document(event: Event) -> dict[str, Any]:
    """An event as one JSON document."""
    from ...events.times import to_iso

    return {
        "pointer": event.pointer,
        "position": event.position,
        "kind": event.kind,
        "timestamp": to_iso(event.ts),
        "event_id": event.event_id,
        "native_id": event.native_id,
        "data": event.data,
    }


def _line(event: Event) -> str:
    import json

    from ...events.references import preview

    text = event.data.get("preview") or json.dumps(event.data, ensure_ascii=False)
    return f"{event.position:>6}  {event.kind:<18} {preview(str(text), 160)}"
