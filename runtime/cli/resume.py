"""`resume`: the restored runtime, or only the messages a provider would take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ...events.errors import UsageError
from .frame import Answer, Frame, as_json
from .options import (
    AcceptOption,
    CrossProjectOption,
    LastOption,
    OptionalPointer,
    PolicyOption,
)
from .place_options import ForceOption, MapOption, PlaceOption, RecreateOption, here, path_maps, policy_in_force
from .which import chosen

if TYPE_CHECKING:
    from ..restored import RestoredRuntime

MessagesOption = Annotated[
    Literal["responses", "chat", "anthropic"] | None,
    typer.Option("--messages", help="Only the messages, ready for this kind of interface."),
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="M", help="The model the messages are made for (default: the session's)."),
]
CompatOption = Annotated[
    Literal["client"] | None,
    typer.Option(
        "--compat", help="With --messages: exactly what the source's own client would send, its defects included."
    ),
]


def resume(
    context: typer.Context,
    pointer: OptionalPointer = None,
    messages: MessagesOption = None,
    model: ModelOption = None,
    compat: CompatOption = None,
    project: PlaceOption = None,
    allow_cross_project: CrossProjectOption = False,
    policy: PolicyOption = "strict",
    accept: AcceptOption = None,
    force: ForceOption = False,
    maps: MapOption = None,
    recreate_worktree: RecreateOption = False,
    last: LastOption = False,
) -> Answer:
    """Restore the runtime of a session at its end or at a pointer.

    Only reads: nothing is sent, run or written, neither in the project nor where the transcript lies
    (`--recreate-worktree` is the one exception, and only when it is asked for).

    Example: rehydrate resume 4f2a --messages anthropic --json
    """
    from ..resume import resume_session

    if compat is not None and messages is None:
        raise UsageError("--compat is about messages.", remedy="Add --messages responses, chat or anthropic.")
    frame = Frame.of(context)
    name = chosen(frame, pointer, last=last, project=project)
    if recreate_worktree:
        from ..workspace.recreate import recreate_worktree as recreate

        frame.note(f"Recreated {recreate(name, frame.db).path}.")
    runtime = resume_session(
        name,
        store=frame.db,
        project=project,
        allow_cross_project=allow_cross_project,
        policy=policy_in_force(policy, force=force),
        accept=tuple(accept or ()),
        maps=path_maps(maps),
        candidates=here(),
    )
    if messages is not None:
        return _messages(frame, runtime, messages, model, compat)
    from .runtime_view import show_runtime

    return Answer(runtime, lambda screen: show_runtime(screen, runtime))


def _messages(
    frame: Frame,
    runtime: RestoredRuntime,
    form: Literal["responses", "chat", "anthropic"],
    model: str | None,
    compat: str | None,
) -> Answer:
    """The list itself: a JSON list with `--json` and without it, because it is meant for a program."""
    if compat is None:
        made = {"responses": runtime.to_responses, "chat": runtime.to_chat, "anthropic": runtime.to_anthropic}
        listed = made[form](model=model)
    else:
        from ..compat.client import client_messages

        listed = client_messages(runtime.transcript_pointer, form=form, model=model, store=frame.db)

    return Answer(listed, lambda screen: screen.raw(as_json(listed, frame.out)))
