"""`rebuild`: states are caches; fold them again from the first event and say whether they had been right."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer

from .ago import many
from .frame import Answer, Frame, plain
from .screen import Screen

SessionsArgument = Annotated[list[str] | None, typer.Argument(metavar="ID", help="Sessions; without any, all of them.")]


def rebuild(
    context: typer.Context,
    sessions: SessionsArgument = None,
    derive: Annotated[
        bool,
        typer.Option("--derive", help="Derive the events again from the native records with today's importer first."),
    ] = False,
) -> Answer:
    """Fold sessions again from their first event and report differences.

    Example: rehydrate rebuild
    """
    from ..rebuild import rebuild_projections

    frame = Frame.of(context)
    document: dict[str, Any] = {}
    if derive:
        from ..derive import derive_sessions

        document["derived"] = plain(derive_sessions(sessions or (), store=frame.db))
    document = {**plain(rebuild_projections(sessions or (), store=frame.db)), **document}
    return Answer(document, lambda screen: show_counts(screen, document, "folded again"))


def show_counts(screen: Screen, document: dict[str, Any], done: str) -> None:
    """Counts, then each mismatch with what settles it."""
    mismatches = document["mismatches"]
    for mismatch in mismatches:
        screen.styled(("✗ ", "bold red"), (_told(mismatch), None))
    text = f"{many(document['sessions'], 'session')} with {many(document['events'], 'event')} {done}"
    ending = "no differences." if not mismatches else f"{many(len(mismatches), 'difference')}."
    screen.styled((f"{text}: ", None), (ending, "green" if not mismatches else "bold red"))


def _told(mismatch: Any) -> str:
    if not isinstance(mismatch, dict):
        return str(mismatch)
    facts = cast("dict[str, Any]", mismatch)
    message = facts.get("message") or facts.get("what")
    return str(message) if message else ", ".join(f"{key} {value}" for key, value in facts.items())
