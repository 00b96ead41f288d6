"""`check`: what stands against restoring or going on, without doing either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .frame import Answer, Frame
from .options import AcceptOption, CrossProjectOption, LastOption, OptionalPointer, PolicyOption
from .place_options import ForceOption, MapOption, PlaceOption, here, path_maps, policy_in_force
from .which import chosen

if TYPE_CHECKING:
    from ..workspace.session_check import SessionCheck
    from .screen import Screen

GateOption = Annotated[
    Literal["restore", "open"],
    typer.Option("--gate", help="restore: only read the session (default). open: go on with it, as run does."),
]
_REFUSED = 5


def check(
    context: typer.Context,
    pointer: OptionalPointer = None,
    project: PlaceOption = None,
    gate: GateOption = "restore",
    allow_cross_project: CrossProjectOption = False,
    policy: PolicyOption = "strict",
    accept: AcceptOption = None,
    force: ForceOption = False,
    maps: MapOption = None,
    last: LastOption = False,
) -> Answer:
    """Report what stands against going on with a session; restores nothing.

    Exits with 0, or with 5 when the gate refuses.

    Example: rehydrate check 4f2a --gate open
    """
    from ..workspace.session_check import check_session

    frame = Frame.of(context)
    found = check_session(
        chosen(frame, pointer, last=last, project=project),
        project,
        frame.db,
        gate=gate,
        policy=policy_in_force(policy, force=force),
        accept=tuple(accept or ()),
        allow_cross_project=allow_cross_project,
        maps=path_maps(maps),
        candidates=here(),
    )
    return Answer(found, lambda screen: _show(screen, found), exit_code=_REFUSED if found.outcome == "refused" else 0)


def _show(screen: Screen, found: SessionCheck) -> None:
    from .runtime_view import OUTCOMES

    screen.styled((found.outcome, f"bold {OUTCOMES[found.outcome]}"), (f"  {found.session_id}", "cyan"))
    screen.pairs(
        [
            ("directory", found.cwd),
            ("branch", found.found.branch if found.found is not None else None),
            ("going on", "refused until the marked findings are settled" if found.open_outcome == "refused" else None),
            ("files", _files(found)),
        ]
    )
    if found.findings:
        screen.line()
        screen.findings(found.findings)
    else:
        screen.line("Nothing differs from what was recorded.")
    if found.open_outcome != "refused":
        screen.next_step(f"rehydrate resume {found.session_id}")


def _files(found: SessionCheck) -> str | None:
    drift = found.drift
    if drift is None or not (drift.unchanged or drift.unknown or drift.differs):
        return None
    parts = [
        f"{count} {word}"
        for count, word in (
            (drift.unchanged, "as the session left them"),
            (len(drift.changed), "changed since"),
            (len(drift.gone), "gone"),
            (len(drift.returned), "there again"),
            (drift.unknown, "not comparable"),
        )
        if count
    ]
    return ", ".join(parts)
