"""`compact`: the context of a session replaced by a summary that the model writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .frame import Answer, Frame
from .options import AcceptOption, PolicyOption, ProjectOption, SessionArgument

if TYPE_CHECKING:
    from .screen import Screen


def compact(
    context: typer.Context,
    session: SessionArgument,
    wish: Annotated[str | None, typer.Argument(metavar="[WISH]", help="What the summary should keep.")] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="M", help="The model that writes it.")] = None,
    api: Annotated[
        Literal["responses", "chat"], typer.Option("--api", help="The interface the model's service speaks.")
    ] = "responses",
    project: ProjectOption = None,
    policy: PolicyOption = "strict",
    accept: AcceptOption = None,
) -> Answer:
    """Replace the context of a session by a summary.

    Everything before stays readable; the model goes on from the summary and the newest messages.

    Example: rehydrate compact 4f2a "keep the failing test names"
    """
    from ..live.opening import open_session

    frame = Frame.of(context)
    opened = open_session(
        session, store=frame.db, project=project, model=model, api=api, policy=policy, accept=tuple(accept or ())
    )
    with opened as live:
        pointer = live.compact(wish)
        document = {"session_id": live.id, "pointer": pointer, "messages": len(live.runtime.messages)}

    def show(screen: Screen) -> None:
        screen.line(f"Compacted at {pointer}; the model now sees {document['messages']} message(s).")
        screen.next_step(f"rehydrate run {document['session_id']} PROMPT")

    return Answer(document, show)
