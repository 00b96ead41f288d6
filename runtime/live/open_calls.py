"""Calls without a result: which of them wait for a person, which may run now, and which were cut off and get their one result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...events.event import Event
from ...events.kinds import (
    ApprovalRequested,
    ApprovalResolved,
    Fact,
    Repair,
    Repaired,
    ToolResult,
)
from ...events.references import preview
from ..repair_calls import INTERRUPTED
from . import calling

if TYPE_CHECKING:
    from .core import Core

CODE = "SESSION_RESUME_INTERRUPTED"


def _states(core: Core) -> dict[str, Any]:
    return core.state.folded.states["calls"]


def _asked(core: Core) -> dict[str, dict[str, Any]]:
    """Requests without a decision, by call id."""
    approvals: dict[str, dict[str, Any]] = _states(core)["approvals"]
    return approvals


def _uses(core: Core) -> list[Event]:
    """The open calls, oldest first, as events with their arguments."""
    found: list[Event] = []
    for call in _states(core)["open"]:
        store = core.journal.store
        found += store.hydrate(store.read(core.session_id, after=call["at"] - 1, until=call["at"]))
    return found


def waiting(core: Core) -> list[Event]:
    """Calls that a person has not decided on yet."""
    asked = _asked(core)
    return [use for use in _uses(core) if use.data["call_id"] in asked] if asked else []


def approved(core: Core) -> list[Event]:
    """Calls that a person allowed and that never started: the only ones that run after a restore.

    Not those from before a fork: they are the parent's to run.
    """
    stream = core.journal.store.session(core.session_id).stream
    uses = {use.data["call_id"]: use for use in _uses(core) if use.stream == stream}
    if not uses:
        return []
    allowed: set[str] = set()
    first = min(use.position for use in uses.values())
    for event in core.journal.store.read(core.session_id, after=first, kinds=["ApprovalResolved", "Notice"]):
        call_id = event.data.get("call_id")
        if event.kind == "Notice" and event.data["subtype"] == calling.STARTED:
            allowed.discard(str(call_id))
        elif event.kind == "ApprovalResolved" and event.data["decision"] == "approved":
            allowed.add(str(call_id))
    return [use for call_id, use in uses.items() if call_id in allowed]


def undecided(core: Core) -> list[ApprovalRequested]:
    """The requests that wait, as they were made."""
    found: list[ApprovalRequested] = []
    for asked in _asked(core).values():
        store = core.journal.store
        events = store.hydrate(store.read(core.session_id, after=asked["at"] - 1, until=asked["at"]))
        found += [ApprovalRequested.model_validate(event.data) for event in events]
    return found


def closing_facts(core: Core, *, superseded: bool) -> tuple[list[Fact], list[dict[str, Any]]]:
    """What has to be written before a run goes on: decisions by default, and one result for each call that was cut off.

    superseded: a new input came; calls that still wait for a person are refused by that.
    """
    facts: list[Fact] = []
    told: list[dict[str, Any]] = []
    keep = {use.data["call_id"] for use in approved(core)}
    asked = _asked(core)
    repairs: list[Repair] = []
    for use in _uses(core):
        call_id = use.data["call_id"]
        request = asked.get(call_id)
        if request is not None:
            facts += _by_default(call_id, request, superseded=superseded)
        elif call_id not in keep:
            text = INTERRUPTED
            facts.append(
                ToolResult(call_id=call_id, content=text, is_error=True, synthesized=True, preview=preview(text))
            )
            repairs.append(Repair(code=CODE, call_id=call_id, position=use.position, text=text))
            told.append({"callId": call_id, "code": CODE})
    if repairs:
        facts.append(Repaired(repairs=tuple(repairs)))
    return facts, told


def _by_default(call_id: str, request: dict[str, Any], *, superseded: bool) -> list[Fact]:
    if calling.is_expired(request.get("expires_at")):
        outcome = calling.expiry_result()
        decided = ApprovalResolved(call_id=call_id, decision="expired")
        return [decided, ToolResult(call_id=call_id, content=outcome.content, is_error=True, denied="expired")]
    if superseded:
        reason = "the conversation went on without a decision"
        outcome = calling.refusal(reason)
        decided = ApprovalResolved(call_id=call_id, decision="refused", reason=reason)
        return [decided, ToolResult(call_id=call_id, content=outcome.content, is_error=True, denied="refused")]
    return []


def stopped_facts(core: Core) -> list[Fact]:
    """Results for the calls that a person's interruption left open; those that wait for approval stay."""
    asked = _asked(core)
    text = calling.INTERRUPTED
    return [
        ToolResult(call_id=use.data["call_id"], content=text, is_error=True, synthesized=True, preview=preview(text))
        for use in _uses(core)
        if use.data["call_id"] not in asked
    ]
