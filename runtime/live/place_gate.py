"""The gate for going on: a session is only acted on where its place is sure; what a person overruled is written down."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...events.errors import Refused
from ...events.kinds import Fact
from ...events.store import EventStore
from ...projections.fold import restore_states
from .identity import Restored

if TYPE_CHECKING:
    from ...events.findings import Finding
    from ..workspace.paths import PathMap
    from ..workspace.policy import Policy
    from .core import Core


def ready_to_go_on(
    store: EventStore,
    session_id: str,
    project: str | os.PathLike[str] | None,
    *,
    policy: Policy,
    accept: tuple[str, ...],
    allow_cross_project: bool,
    maps: Sequence[PathMap] = (),
) -> Restored:
    """Restore a session and pass the gate.

    Raises:
        Refused: the history cannot be given, or there is no sure place to act in; all findings are in `facts`.
    """
    from ..pricing import PriceBook
    from ..resume import refusal, restored_from
    from ..workspace.agents import agent_findings, granted_tools
    from ..workspace.policy import settled
    from ..workspace.session_place import session_place
    from ..workspace.sessions import recorded_session
    from ..workspace.telling import facts_on_going_on

    folded = restore_states(store, session_id)
    recorded = recorded_session(store, session_id, folded.position)
    report = session_place(
        store,
        recorded,
        project,
        gate="open",
        policy=policy,
        accept=accept,
        allow_cross_project=allow_cross_project,
        maps=maps,
    )
    acting = settled(
        agent_findings(recorded.agent, report.cwd, "open", session_id, knows=PriceBook(store).knows), policy, accept
    )
    runtime = restored_from(store, folded, findings=[*report.findings, *acting])
    if runtime.report.outcome == "refused":
        raise refusal(runtime)
    if report.cwd is None or not Path(report.cwd).is_dir():
        raise Refused(
            f"Session {session_id} has no directory to act in.",
            remedy="Name the project's directory with --project.",
            session_id=session_id,
            findings=[finding.model_dump(mode="json") for finding in report.findings],
        )
    granted = granted_tools(recorded.agent, report.cwd)
    if granted is not None:
        runtime = runtime.model_copy(update={"agent": runtime.agent.model_copy(update={"tools": granted})})
    return Restored(runtime, Path(report.cwd), facts_on_going_on(report, recorded), runtime.report.findings)


def check_again(
    store: EventStore,
    session_id: str,
    project: str | os.PathLike[str] | None = None,
    *,
    policy: Policy = "strict",
    accept: tuple[str, ...] = (),
    allow_cross_project: bool = False,
    maps: Sequence[PathMap] = (),
) -> tuple[Finding, ...]:
    """What stands against another run of a session that stayed open: the place may have changed under it.

    Raises:
        Refused: there is no sure place to act in any more.
    """
    from ..workspace.session_place import session_place
    from ..workspace.sessions import recorded_session

    report = session_place(
        store,
        recorded_session(store, session_id, store.session(session_id).head),
        project,
        gate="open",
        policy=policy,
        accept=accept,
        allow_cross_project=allow_cross_project,
        maps=maps,
    ).settle()
    return tuple(finding for finding in report.findings if finding.severity == "warning")


def place_facts(core: Core) -> tuple[Fact, ...]:
    """What a run changed of its place, so that the session's own commits and branches are not held against it later."""
    from ..workspace.expected import expected_place
    from ..workspace.recorded import moved_while_acting

    fact = moved_while_acting(
        core.settings.root, expected_place(core.session_id, core.state.folded.states["workspace"])
    )
    return () if fact is None else (fact,)
