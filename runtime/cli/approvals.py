"""`approve`, `refuse`, `answer`: a person's decisions on calls that wait, from any process and at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .frame import Answer, Frame
from .options import SessionArgument

if TYPE_CHECKING:
    from ..live.approvals import Decided
    from .screen import Screen

CallArgument = Annotated[str, typer.Argument(metavar="CALL", help="The id of the call that waits.")]


def approve(context: typer.Context, session: SessionArgument, call: CallArgument) -> Answer:
    """Allow a call that waits for a person.

    It runs, once, when the session next goes on.

    Example: rehydrate approve 4f2a call_7
    """
    from ..live.approvals import approve_call

    return _decided(approve_call(session, call, store=Frame.of(context).db))


def refuse(
    context: typer.Context,
    session: SessionArgument,
    call: CallArgument,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Told to the model.")] = None,
) -> Answer:
    """Refuse a call that waits for a person.

    Example: rehydrate refuse 4f2a call_7 --reason "not on the main branch"
    """
    from ..live.approvals import refuse_call

    return _decided(refuse_call(session, call, reason=reason, store=Frame.of(context).db))


def answer(
    context: typer.Context,
    session: SessionArgument,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="Its id, or the id of its call.")],
    choice: Annotated[str, typer.Argument(metavar="CHOICE", help="A choice, its number from 1, or your own words.")],
) -> Answer:
    """Answer a question that the agent asked.

    Example: rehydrate answer 4f2a call_9 "the second one"
    """
    from ..live.approvals import answer_question

    return _decided(answer_question(session, question, choice, store=Frame.of(context).db))


def _decided(decided: Decided) -> Answer:
    def show(screen: Screen) -> None:
        screen.line(f"Call {decided.call_id}: {decided.decision}.")
        for call in decided.remaining:
            screen.line(f"Still waiting: {call}")
        screen.next_step(f"rehydrate run {decided.session_id}")

    return Answer(decided, show)
