"""Going back to a pointer in the same session: an event that moves the end of the conversation, the files, or
both."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from ..events.blocks import Frozen
from ..events.errors import EventNotFound, Refused
from ..events.event import Draft
from ..events.findings import Finding
from ..events.kinds import Rewound
from ..events.pointer import Pointer
from ..events.store import EventStore
from ..events.times import now_us
from .files.place import Ground, recorded_place
from .opened import StoreLike, opened
from .resolve import resolve_pointer
from .rewind_files import FilePlan, FileStep, carry_out, plan_files

Scope = Literal["conversation", "files", "both"]


class RewindResult(Frozen):
    """Where the session's end is now (`pointer`), where it went back to, and where it was (`former_end`, still
    usable).

    restored: files that now have the content of that time (checked on disk). files: every file of the plan.
    """

    session_id: str
    pointer: str
    rewound_to: str
    former_end: str
    scope: Scope
    restored: tuple[str, ...] = ()
    files: tuple[FileStep, ...] = ()
    findings: tuple[Finding, ...] = ()
    dry_run: bool = False


def rewind_session(
    pointer: str | Pointer,
    scope: Scope = "conversation",
    force: bool = False,
    store: StoreLike = None,
    project: str | Path | None = None,
    *,
    dry_run: bool = False,
) -> RewindResult:
    """Move a session back to `pointer` (inclusive) by appending an event; the former end stays readable and can be
    forked or gone back to.

    Files (scope `files` or `both`) get the content they had at the pointer: only those the session's tools changed
    after it, each compared first with what the session last wrote, each written at once or not at all, all of them
    saved first. project: where the project lies now; None for the recorded place. force: also files that someone
    else changed. dry_run: only the plan, nothing is written or appended.

    Raises:
        Refused: files were changed by someone else (`facts["findings"]` lists them), or there is no project to write
        in. LeaseConflict: another process runs the session.
        SessionNotFound, InvalidPointer, EventNotFound: the pointer leads nowhere.
    """
    with opened(store) as events:
        target = resolve_pointer(events, pointer)
        if not 0 <= target.position <= events.session(target.session_id).head:
            raise EventNotFound(f"There is no event at {target}.", remedy="List the places with: rehydrate show ID")
        plan = FilePlan(()) if scope == "conversation" else _plan(events, target, project)
        if dry_run:
            head = events.session(target.session_id).head
            return _result(target, Pointer(target.session_id, head), head, scope, plan, [], dry_run=True)
        _refuse_drift(target, plan, force)
        return _rewind(events, target, scope, plan, force=force)


def _rewind(store: EventStore, target: Pointer, scope: Scope, plan: FilePlan, *, force: bool) -> RewindResult:
    from .live.lease import lease

    session_id = target.session_id
    with lease(store, session_id) as held:
        former = store.session(session_id).head
        moves = plan.to_take(force=force)
        changed = carry_out(store, session_id, moves, held.token)
        done = [move.step for move in moves]
        marker = Rewound(
            to_position=target.position, scope=scope, files=_told(done) if scope != "conversation" else None
        )
        last = store.append(session_id, [Draft.of(marker, ts=now_us()), *changed], token=held.token)[-1]
    return _result(target, Pointer(session_id, last.position), former, scope, plan, [step.path for step in done])


def _result(
    target: Pointer,
    end: Pointer,
    former: int,
    scope: Scope,
    plan: FilePlan,
    restored: list[str],
    *,
    dry_run: bool = False,
) -> RewindResult:
    return RewindResult(
        session_id=target.session_id,
        pointer=str(end),
        rewound_to=str(target),
        former_end=f"{target.session_id}@{former}",
        scope=scope,
        restored=tuple(restored),
        files=tuple(move.step for move in plan.moves),
        findings=tuple(plan.findings()),
        dry_run=dry_run,
    )


def _plan(store: EventStore, target: Pointer, project: str | Path | None) -> FilePlan:
    recorded = recorded_place(store, target.session_id)
    place = str(project) if project is not None else recorded.root
    if place is None or not Path(place).is_dir():
        raise Refused(
            f"There is no project directory to put files back in ({place or 'none is recorded'}).",
            remedy=f"Say where the project lies: rehydrate rewind {target} --scope files --project PATH",
            path=place,
            findings=[],
        )
    return plan_files(store, target, Ground(Path(place).absolute(), recorded))


def _refuse_drift(target: Pointer, plan: FilePlan, force: bool) -> None:
    blocked = [move.step for move in plan.of("drift", "unverified")]
    if force or not blocked:
        return
    names = ", ".join(step.path for step in blocked)
    raise Refused(
        f"{len(blocked)} file(s) are not, or cannot be shown to be, as the session last wrote them: {names}.",
        remedy="Nothing was changed. --force puts them back all the same (their present content is saved first).",
        pointer=str(target),
        findings=[finding.model_dump(mode="json") for finding in plan.findings()],
        files=[step.path for step in blocked],
    )


def _told(steps: list[FileStep]) -> list[dict[str, Any]]:
    return [step.model_dump(mode="json", exclude_none=True) for step in steps]
