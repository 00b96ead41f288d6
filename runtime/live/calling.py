"""Running the calls of a reply: each result is durable before the next request, and no call ever runs twice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ...events.event import Event
from ...events.kinds import (
    ApprovalRequested,
    ApprovalResolved,
    ContentReplacement,
    Fact,
    Notice,
    ToolResult,
)
from ...events.references import preview
from .live_events import LiveEvent
from .tools import Outcome, Tool, ToolContext, call_tool, error

if TYPE_CHECKING:
    from .core import Core

STARTED = "call-started"
"""Notice written before an approved call runs: what was started once is never started again."""

INTERRUPTED = "Error [INTERRUPTED]: The user stopped this call. It may have had effects; look before you repeat it."
STRUCTURED_CHARS = 16_000


def find_tool(core: Core, name: str, arguments: Any) -> tuple[Tool | None, Any]:
    """The tool of this name and the arguments for it; a name of another client leads to the coding tool that does the same."""
    from ..compat.tool_names import translated

    exact = next((each for each in core.tools if each.name == name), None)
    if exact is not None:
        return exact, arguments
    other, adapted = translated(name, arguments)
    return next((each for each in core.tools if each.name == other), None), adapted


def settle(core: Core, uses: list[Event]) -> Iterator[LiveEvent]:
    """Run the calls that may run, ask for those that need it; what is left open afterwards waits for a person."""
    for use in uses:
        if core.interrupted.is_set():
            return
        name, call_id = use.data["name"], use.data["call_id"]
        tool, arguments = find_tool(core, name, use.data.get("arguments"))
        if tool is None:
            offered = ", ".join(each.name for each in core.tools) or "none"
            yield from finish(core, call_id, name, error(f"There is no tool {name!r}. Tools: {offered}."))
            continue
        judged = core.verdict_on(tool)
        if judged == "deny":
            mode = core.permission_mode
            yield from finish(
                core, call_id, name, error(f"{name} is not permitted in this session (mode {mode})."), denied="rights"
            )
        elif judged == "ask":
            yield from _ask(core, use, tool, arguments)
        else:
            yield from _execute(core, call_id, name, tool, arguments)


def run_approved(core: Core, use: Event) -> Iterator[LiveEvent]:
    """Run a call that a person allowed, in this process or another; noted as started first."""
    name, call_id = use.data["name"], use.data["call_id"]
    tool, arguments = find_tool(core, name, use.data.get("arguments"))
    if tool is None:
        yield from finish(core, call_id, name, error(f"The tool {name!r} is not there any more."))
        return
    core.append(Notice(subtype=STARTED, call_id=call_id))
    yield from _execute(core, call_id, name, tool, arguments)


def _ask(core: Core, use: Event, tool: Tool, arguments: Any) -> Iterator[LiveEvent]:
    request = ApprovalRequested(
        call_id=use.data["call_id"],
        tool=use.data["name"],
        arguments=arguments,
        reason=f"{tool.name} needs approval",
        expires_at=_expiry(core.settings.approval_ttl_s),
    )
    yield from request_approval(core, request, use)


def request_approval(core: Core, request: ApprovalRequested, use: Event) -> Iterator[LiveEvent]:
    """Write the request down; when somebody is there to be asked, ask now, else the call waits."""
    core.append(request)
    yield core.event("approval_requested", **asked(request))
    decision = core.settings.approver(request) if core.settings.approver else None
    if decision is None:
        return
    if isinstance(decision, str):
        answers = {question.id: decision for question in request.questions} or {"1": decision}
        core.append(ApprovalResolved(call_id=request.call_id, decision="answered", answers=answers, by="person"))
        yield from finish(core, request.call_id, str(request.tool), Outcome(decision))
    elif decision:
        core.append(ApprovalResolved(call_id=request.call_id, decision="approved", by="person"))
        yield core.event("approval_resolved", callId=request.call_id, decision="approved")
        yield from run_approved(core, use)
    else:
        core.append(ApprovalResolved(call_id=request.call_id, decision="refused", by="person"))
        yield core.event("approval_resolved", callId=request.call_id, decision="refused")
        yield from finish(core, request.call_id, str(request.tool), refusal(None), denied="refused")


def asked(request: ApprovalRequested) -> dict[str, Any]:
    """A request as the faces show it."""
    return {
        "callId": request.call_id,
        "tool": request.tool,
        "kind": request.type,
        "reason": request.reason,
        "arguments": request.arguments,
        "questions": [question.model_dump(mode="json") for question in request.questions],
        "expiresAt": request.expires_at,
    }


def refusal(reason: str | None) -> Outcome:
    return error(f"The user refused this call{f': {reason}' if reason else ''}. Do not try it again without asking.")


def expiry_result() -> Outcome:
    return error("The approval of this call was not given in time; it did not run.")


def _execute(core: Core, call_id: str, name: str, tool: Tool, arguments: Any) -> Iterator[LiveEvent]:
    context = ToolContext(core.settings.root, call_id, core.journal.store.put_blob, core.interrupted, core.spawn)
    outcome = call_tool(tool, arguments, context)
    if isinstance(outcome.ask, ApprovalRequested):
        (use,) = [Event(core.session_id, 0, "ToolUse", {"call_id": call_id, "name": name, "arguments": arguments}, "")]
        yield from request_approval(core, outcome.ask, use)
        return
    yield from finish(core, call_id, name, outcome)


def finish(core: Core, call_id: str, name: str, outcome: Outcome, denied: str | None = None) -> Iterator[LiveEvent]:
    """Append the result with the facts it proves, all at once."""
    core.append(*result_facts(call_id, outcome, core.settings.result_chars, denied))
    yield core.event("tool_result", callId=call_id, name=name, output=outcome.content, isError=outcome.is_error)


def result_facts(call_id: str, outcome: Outcome, result_chars: int, denied: str | None = None) -> list[Fact]:
    """The events of one result. A very long one is kept whole; the model gets its beginning and end instead."""
    text = outcome.content.replace("\x00", "\ufffd")
    structured = outcome.structured if len(str(outcome.structured)) <= STRUCTURED_CHARS else None
    facts: list[Fact] = [
        ToolResult(
            call_id=call_id,
            content=text,
            is_error=outcome.is_error,
            structured=structured,
            denied=denied,
            preview=preview(text),
        ),
        *outcome.facts,
    ]
    if len(text) > result_chars:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        facts.append(ContentReplacement(call_id=call_id, replacement=shortened(text, digest), original_digest=digest))
    return facts


def shortened(text: str, digest: str, keep: int = 4_000) -> str:
    """What stands in the context for a long result."""
    left_out = len(text) - 2 * keep
    gap = f"[… {left_out} of {len(text)} characters left out; the whole is kept as {digest[:12]} …]"
    return f"{text[:keep]}\n{gap}\n{text[-keep:]}"


def _expiry(ttl_s: float | None) -> str | None:
    if ttl_s is None:
        return None
    return (datetime.now(UTC) + timedelta(seconds=ttl_s)).isoformat(timespec="seconds").replace("+00:00", "Z")


def is_expired(expires_at: str | None) -> bool:
    if not expires_at:
        return False
    try:
        moment = datetime.fromisoformat(expires_at)
    except ValueError:
        return False
    return moment.replace(tzinfo=moment.tzinfo or UTC) <= datetime.now(UTC)
