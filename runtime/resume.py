"""Restoring: events to states, the live context to messages, repairs, a look at the workspace, and a report of it all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ..events.damage import damage_finding, remark_finding, tail_finding
from ..events.errors import Refused
from ..events.findings import Finding, Severity, grade
from ..events.store import EventStore, SessionRow
from ..events.times import to_iso
from ..projections.fold import Folded, restore_states
from ..projections.labels import title_of
from . import restored as parts
from .copied import accounting_of_copy, original_of
from .messages import live_messages
from .opened import StoreLike, opened
from .place_of_session import Policy, checked_workspace, recorded_workspace, with_mapped_files
from .pricing import PriceBook
from .repair import repaired_messages
from .resolve import SessionLike, resolve_pointer
from .rights import agent_of
from .spoken import Spoken
from .state_of_app import Reader, app_state
from .subagents import subagents_of
from .totals import added, totals

if TYPE_CHECKING:
    from .workspace.paths import PathMap

_UNKNOWN_LISTED = 50


def resume_session(
    session: SessionLike,
    *,
    store: StoreLike = None,
    project: str | os.PathLike[str] | None = None,
    allow_cross_project: bool = False,
    policy: Policy = "strict",
    accept: Iterable[str] = (),
    check_workspace: bool = True,
    maps: Sequence[PathMap] = (),
    candidates: Iterable[str | os.PathLike[str]] = (),
) -> parts.RestoredRuntime:
    """Restore the runtime of a session at its head or at a pointer. Reads only: nothing is sent, run or written but caches.

    session: an id, a unique prefix, a title, or a pointer (`SESSION@POSITION`, `@last`, `@turn:N`, `@before-compaction`,
    `@` and a message id). project: the directory a person named; None keeps the recorded one. accept: codes of findings that
    are fine as they are.
    maps: where directories of another machine lie on this one. candidates: directories where a missing project may be (proven by
    its commits).

    Raises:
        SessionNotFound, AmbiguousSession, InvalidPointer, EventNotFound: nothing was created.
        Refused: a check says no; the report is in `facts`.
        DamagedDatabase: stored bytes cannot be read.
    """
    with opened(store) as events:
        pointer = resolve_pointer(events, session)
        folded = restore_states(events, pointer.session_id, pointer.position)
        if not check_workspace:
            runtime = restored_from(events, folded)
        else:
            place, findings = checked_workspace(
                events,
                folded,
                project=project,
                allow_cross_project=allow_cross_project,
                policy=policy,
                accept=accept,
                maps=maps,
                candidates=candidates,
            )
            runtime = restored_from(events, folded, place=place, findings=findings)
            runtime = with_mapped_files(runtime, maps)
    if runtime.report.outcome == "refused":
        raise refusal(runtime)
    return runtime


def _unanswered(spoken: Sequence[Spoken], session_id: str) -> list[Finding]:
    """The prompt at the end that nothing answered: it is there, and need not be typed again."""
    last = spoken[-1] if spoken else None
    if last is None or last.role != "user" or last.origin not in ("human", "queued"):
        return []
    return [
        Finding(
            code="unanswered-input",
            severity="info",
            message="The last prompt has no answer yet.",
            remedy=f"Have it answered, without typing it again: rehydrate run {session_id}",
            facts={"pointer": f"{session_id}@{last.position}"},
        )
    ]


def refusal(runtime: parts.RestoredRuntime) -> Refused:
    """The error of a refused restore; `facts` holds the whole report."""
    session_id = runtime.session.id
    errors = [finding for finding in runtime.report.findings if finding.severity == "error"]
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return Refused(
        f"Session {session_id} is refused: {errors[0].message}{more}",
        remedy=errors[0].remedy,
        session_id=session_id,
        outcome="refused",
        codes=[finding.code for finding in errors],
        findings=[finding.model_dump(mode="json") for finding in runtime.report.findings],
    )


def restored_from(
    store: EventStore, folded: Folded, *, place: parts.Workspace | None = None, findings: Sequence[Finding] = ()
) -> parts.RestoredRuntime:
    """The runtime of folded states; without `place` the workspace is as recorded, not looked at."""
    row = store.session(folded.session_id)
    reader = Reader(store, folded.session_id)
    prices = PriceBook(store)
    found: list[Finding] = _told_by_source(store, row, folded)
    spoken, repairs = repaired_messages(
        live_messages(store, folded),
        row.session_id,
        source=row.source,
        recorded=folded.states["conversation"]["repairs"],
    )
    found += repairs
    found += _unanswered(spoken, row.session_id)
    subagents = subagents_of(store, row, folded, reader, prices)
    agent = agent_of(folded, subagents, found)
    original = original_of(store, row, folded)
    counted = folded.states["accounting"]
    if original is not None:
        counted = accounting_of_copy(store, row, folded.position, original)
    accounting = _accounting(row, folded, counted, subagents, prices, found)
    found += _unverified(store, row, folded, accounting)
    return parts.RestoredRuntime(
        session=_session(row, folded, original),
        messages=tuple(_message(message, row.session_id) for message in spoken),
        app_state=app_state(folded, reader),
        agent=agent,
        workspace=place or recorded_workspace(folded),
        accounting=accounting,
        transcript_pointer=f"{row.session_id}@{folded.position}",
        compactions=_compactions(folded),
        turn_state=_turn_state(folded),
        unrecognized=dict(sorted(folded.states["damage"]["unknown"].items())),
        report=grade([*found, *findings]),
    )


def _session(row: SessionRow, folded: Folded, original: str | None) -> parts.SessionInfo:
    states = folded.states
    labels, lineage, activity = states["labels"], states["lineage"], states["activity"]
    fields: dict[str, Any] = lineage["fields"]
    created = next((us for us in (activity["first_us"], lineage["created_us"]) if us is not None), None)
    last = activity["last_us"] if activity["last_us"] is not None else activity["any_us"]
    return parts.SessionInfo(
        id=row.session_id,
        source=row.source,
        title=title_of(labels),
        created=to_iso(created),
        created_at=to_iso(created),
        last_activity=to_iso(last if last is not None else created),
        lineage=_lineage(row, folded, original),
        forked_from=row.forked_from or fields.get("forked_from"),
        parent_session=row.parent_session,
        native_id=fields.get("native_id"),
        client=fields.get("client"),
        client_version=fields.get("client_version"),
        tag=labels["tag"],
        color=labels["color"],
        archived=labels["archived"],
        deleted=bool(labels["deleted"]),
        events=folded.position,
        turns=activity["turns"],
        branches=max(1, len(folded.path.ends)),
    )


def _lineage(row: SessionRow, folded: Folded, original: str | None) -> tuple[parts.Parent, ...]:
    """Parents, nearest first: by reference (with the pointer), by copy in the source, as a sub-agent."""
    found: list[parts.Parent] = []
    pointers = [row.forked_from] if row.forked_from else []
    pointers += [one for one in reversed(folded.states["lineage"]["forks"]) if one not in pointers]
    for pointer in pointers:
        name, _, position = pointer.rpartition("@")
        if name and position.isdecimal():
            found.append(parts.Parent(session_id=name, pointer=pointer, relation="fork"))
        else:
            native, _, _ = pointer.partition("#")
            found.append(parts.Parent(session_id=native, relation="copy", native=pointer))
    if original is not None:
        found.append(parts.Parent(session_id=original, relation="copy"))
    if row.parent_session:
        found.append(parts.Parent(session_id=row.parent_session, relation="agent"))
    return tuple(found)


def _message(message: Spoken, session_id: str) -> parts.Message:
    blocks = [{name: value for name, value in block.items() if name != "answered"} for block in message.blocks]
    return parts.Message.model_validate(
        {
            "pointer": f"{session_id}@{message.position}",
            "role": message.role,
            "content": blocks,
            "native_id": message.native_id,
            "synthesized": message.synthesized,
            "origin": message.origin,
            "model": message.model,
            "provider": message.provider,
            "response_id": message.response_id,
            "timestamp": to_iso(message.ts),
        }
    )


def _accounting(
    row: SessionRow,
    folded: Folded,
    state: dict[str, Any],
    subagents: Sequence[parts.SubagentInfo],
    prices: PriceBook,
    findings: list[Finding],
) -> parts.Accounting:
    use = folded.states["context_use"]
    own, inherited = totals(state["own"], prices), totals(state["inherited"], prices)
    if row.forked_from and folded.position <= int(row.forked_from.rpartition("@")[2]):
        own, inherited = parts.Totals(), added(own, inherited)
    helpers = added(*(one.accounting for one in subagents))
    apart = [one for one in subagents if not one.inline]
    own = added(own, *(one.accounting for one in apart if not one.inherited))
    inherited = added(inherited, *(one.accounting for one in apart if one.inherited))
    if use["invalid"] is not None:
        facts = {**use["invalid"], "pointer": f"{row.session_id}@{use['invalid']['at']}"}
        text = f"A recorded context of {facts['tokens']} tokens does not fit a window of {facts['window']}; it is not taken over."
        findings.append(Finding(code="context-use-invalid", severity="info", message=text, facts=facts))
    return parts.Accounting(
        own=own,
        inherited=inherited,
        total=added(own, inherited),
        subagents=helpers,
        context=parts.ContextUse(tokens=use["tokens"], window=use["window"]),
        rate_limits=state["rate_limits"],
    )


def _unverified(store: EventStore, row: SessionRow, folded: Folded, accounting: parts.Accounting) -> list[Finding]:
    """Usage that the source copied from a session which is not here to be compared with."""
    parent = folded.states["lineage"]["fields"].get("forked_from_native")
    if row.forked_from or not accounting.inherited.requests or (parent and store.find_session(parent) is not None):
        return []
    text = "Usage copied from another session counts as inherited; that session is not in the store, so it could not be compared."
    facts = {"parent": parent, "output_tokens": accounting.inherited.output_tokens}
    return [
        Finding(
            code="inherited-unverified",
            severity="info",
            message=text,
            remedy="Import the parent's transcript as well.",
            facts=facts,
        )
    ]


def _compactions(folded: Folded) -> tuple[parts.Compaction, ...]:
    return tuple(
        parts.Compaction(
            pointer=f"{folded.session_id}@{one['at']}", **{name: value for name, value in one.items() if name != "at"}
        )
        for one in folded.states["compactions"]["list"]
        if not one.get("micro")
    )


def _turn_state(folded: Folded) -> Literal["idle", "interrupted", "waiting", "failed"]:
    run, calls = folded.states["activity"]["run"], folded.states["calls"]
    if calls["approvals"]:
        return "waiting"
    status = None if run is None else run["status"]
    if status in ("waiting", "failed"):
        return "waiting" if status == "waiting" else "failed"
    if run is not None and status == "completed" and all(call["at"] < run["at"] for call in calls["open"]):
        return "idle"  # A call that an earlier turn left open does not interrupt this one.
    if status in ("running", "interrupted") or any(not call.get("passed") for call in calls["open"]):
        return "interrupted"
    if folded.states["activity"]["last_side"] in ("result", "call"):
        return "interrupted"
    return "idle"


def _told_by_source(store: EventStore, row: SessionRow, folded: Folded) -> list[Finding]:
    """Damage, unknown records and a damaged tree, as the import met them."""
    damage = folded.states["damage"]
    found: list[Finding] = []
    sources = [source for source in store.sources(session_id=row.session_id) if not source.superseded]
    path = sources[0].path if len(sources) == 1 else None
    for one in damage["damaged"]:
        finding = damage_finding(one, path)
        facts = {**finding.facts, "pointer": f"{row.session_id}@{one['at']}"}
        found.append(finding.model_copy(update={"facts": facts}))
    for one in damage["remarks"]:
        finding = remark_finding(one)
        facts = {**finding.facts, "pointer": f"{row.session_id}@{one['at']}"}
        found.append(finding.model_copy(update={"facts": facts}))
    if folded.position == row.head:
        found += [finding for finding in map(tail_finding, sources) if finding is not None]
    if damage["unknown"]:
        counts = dict(sorted(damage["unknown"].items())[:_UNKNOWN_LISTED])
        text = f"{sum(damage['unknown'].values())} record(s) of unknown types are kept and left out of the context."
        found.append(Finding(code="unknown-records", severity="info", message=text, facts={"types": counts}))
    cleared = len(folded.states["conversation"]["cleared"])
    if cleared and row.source == "claude-code":
        text = f"{cleared} tool result(s) that a micro-compaction cleared stay cleared; the client itself would send them again."
        found.append(Finding(code="micro-compaction-kept", severity="info", message=text, facts={"results": cleared}))
    for remark in folded.path.remarks:
        severity: Severity = remark["severity"]
        found.append(
            Finding(code=remark["code"], severity=severity, message=remark["message"], facts=dict(remark["facts"]))
        )
    return found
