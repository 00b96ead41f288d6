"""`rehydrate check`: all findings about a session: its place, files, agent, content, and its history."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from ...events.blocks import Frozen
from ...events.findings import Finding, Outcome, grade
from ...projections.fold import restore_states
from ..opened import StoreLike, opened
from ..pricing import PriceBook
from ..resolve import resolve_pointer
from ..resume import restored_from
from .agents import agent_findings
from .check import PlaceView
from .content import content_findings
from .drift import Drift
from .paths import PathMap
from .policy import Policy, settled
from .session_place import session_place
from .sessions import recorded_of
from .verdict import Gate


class SessionCheck(Frozen):
    """The findings about a session, and how each gate stands: `outcome` for restoring, `open_outcome` for going on."""

    session_id: str
    outcome: Outcome
    open_outcome: Outcome
    findings: tuple[Finding, ...]
    cwd: str | None = None
    expected: PlaceView = PlaceView()
    found: PlaceView | None = None
    drift: Drift | None = None


def check_session(
    session: str,
    project: str | os.PathLike[str] | None = None,
    store: StoreLike = None,
    *,
    gate: Gate = "restore",
    policy: Policy = "strict",
    accept: Iterable[str] = (),
    allow_cross_project: bool = False,
    maps: Sequence[PathMap] = (),
    candidates: Iterable[str] = (),
) -> SessionCheck:
    """What stands against restoring (gate `restore`) or going on with (gate `open`) a session. Nothing is written anywhere.

    session: an id, a prefix, a title or a pointer. project: as for `resume_session`. candidates: directories to be tried when the
    recorded one is missing; each is proven by its commits.

    Raises:
        SessionNotFound, AmbiguousSession, EventNotFound: there is no such session or place in it.
    """
    accepted = tuple(accept)
    with opened(store) as events:
        pointer = resolve_pointer(events, session)
        folded = restore_states(events, pointer.session_id, pointer.position)
        recorded = recorded_of(folded, events)
        report = session_place(
            events,
            recorded,
            project,
            gate=gate,
            policy=policy,
            accept=accepted,
            allow_cross_project=allow_cross_project,
            maps=maps,
            candidates=candidates,
        )
        other = agent_findings(recorded.agent, report.cwd, gate, recorded.session_id, knows=PriceBook(events).knows)
        other += content_findings(events, recorded.session_id, recorded.position, gate)
        findings = (*report.findings, *settled(other, policy, accepted))
        findings = restored_from(events, folded, findings=findings).report.findings
    return SessionCheck(
        session_id=recorded.session_id,
        outcome=grade(findings).outcome,
        open_outcome="refused" if _blocked(findings, "open") else grade(findings).outcome,
        findings=findings,
        cwd=report.cwd,
        expected=report.expected,
        found=report.found,
        drift=report.drift,
    )


def _blocked(findings: Iterable[Finding], gate: Gate) -> bool:
    return any(
        finding.severity == "error" or (gate in finding.facts.get("blocks", ()) and "settled_by" not in finding.facts)
        for finding in findings
    )
