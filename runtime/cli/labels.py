"""`rename`, `tag`, `archive`, `unarchive`: what a person says about a session is an event like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .frame import Answer, Frame
from .options import SessionArgument

if TYPE_CHECKING:
    from ..labels import Labelled
    from .screen import Screen


def rename(
    context: typer.Context,
    session: SessionArgument,
    title: Annotated[str, typer.Argument(metavar="TITLE", help='The new title; "" goes back to the one before.')],
) -> Answer:
    """Give a session a title.

    Example: rehydrate rename 4f2a "payment retries"
    """
    from ..labels import rename_session

    return _labelled(rename_session(session, title, store=Frame.of(context).db))


def tag(
    context: typer.Context,
    session: SessionArgument,
    text: Annotated[str, typer.Argument(metavar="TAG", help='The tag; "" takes it away.')],
) -> Answer:
    """Give a session a tag, or take it away.

    Example: rehydrate tag 4f2a release
    """
    from ..labels import tag_session

    return _labelled(tag_session(session, text, store=Frame.of(context).db))


def archive(context: typer.Context, session: SessionArgument) -> Answer:
    """Hide a session from the list.

    Example: rehydrate archive 4f2a
    """
    from ..labels import archive_session

    return _labelled(archive_session(session, store=Frame.of(context).db))


def unarchive(context: typer.Context, session: SessionArgument) -> Answer:
    """Show an archived or deleted session in the list again.

    Example: rehydrate unarchive 4f2a
    """
    from ..labels import unarchive_session

    return _labelled(unarchive_session(session, store=Frame.of(context).db))


def _labelled(labelled: Labelled) -> Answer:
    def show(screen: Screen) -> None:
        screen.line(f"{_what(labelled)}: {labelled.session_id}")
        screen.next_step(f"rehydrate resume {labelled.session_id}")

    return Answer(labelled, show)


def _what(labelled: Labelled) -> str:
    if labelled.title is not None:
        return f"Renamed to {labelled.title!r}" if labelled.title else "Title taken away"
    if labelled.tag is not None:
        return f"Tagged {labelled.tag!r}" if labelled.tag else "Tag taken away"
    return "Archived" if labelled.archived else "Back in the list"
