"""Agents that an agent starts: each has its own session; the parent's call stays open until the child's result closes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...events.errors import LeaseConflict, PositionConflict, ProviderError, SessionNotFound
from ...events.event import Draft
from ...events.kinds import AgentMetadata, SessionStarted, Subagent, UserInput
from ...events.references import preview
from ...events.times import now_us
from . import calling
from .journal import Journal, new_id
from .lease import lease
from .state import LiveState
from .tools import Outcome, Tool, ToolContext, error, tool

if TYPE_CHECKING:
    from .core import Core

AGENT_TOOL = "start_agent"
TRIES = 5


def start_agent(prompt: str, context: ToolContext, name: str | None = None) -> Outcome:
    """Let another agent do a task in this workspace; it sees only `prompt`, and its last words are the result."""
    if context.spawn is None:
        return error("agents cannot be started here")
    return context.spawn(context.call_id, prompt, name, None)


def agent_tool() -> Tool:
    """The tool that starts a child agent; children are not given it."""
    return tool(start_agent)


def spawn(core: Core, call_id: str, prompt: str, name: str | None, kind: str | None) -> Outcome:
    """Make the child's session, note it in the parent, run it. A failed child is an error result of the call."""
    agent_id = new_id()
    child_id = f"{core.session_id}/agent-{agent_id}"
    core.append(
        Subagent(
            agent_id=agent_id,
            session_id=child_id,
            name=name,
            type=kind,
            prompt=prompt,
            description=preview(prompt),
            model=core.settings.model,
            status="running",
            call_id=call_id,
        )
    )
    _create(core, child_id, agent_id, name, prompt)
    from .opening import open_session

    child = open_session(
        child_id,
        store=core.journal.store,
        tools=[each for each in core.tools if each.name != AGENT_TOOL],
        client=core.client,
        limits=core.settings.limits,
        approver=core.settings.approver,
        permission_mode=core.settings.permission_mode,
        interrupted=core.interrupted,
        report=False,
    )
    with child:
        try:
            result = child.run()
        except ProviderError as failure:
            core.append(Subagent(agent_id=agent_id, status="failed"))
            return error(f"the agent failed: {failure.message}")
    if result.status == "completed":
        return Outcome(
            result.output or "(the agent said nothing)", facts=(Subagent(agent_id=agent_id, status="completed"),)
        )
    core.append(Subagent(agent_id=agent_id, status="interrupted"))
    return error(f"the agent did not finish ({result.status}); go on with it: rehydrate run {child_id}")


def _create(core: Core, child_id: str, agent_id: str, name: str | None, prompt: str) -> None:
    """The child's first events: who it is, never with more rights than the parent, and what it was asked."""
    from .turn import user_input

    store = core.journal.store
    agent = core.runtime().agent
    started = SessionStarted(
        source="live",
        client=core.settings.client_name,
        cwd=str(core.settings.root),
        parent_session=core.session_id,
        agent_id=agent_id,
    )
    who = AgentMetadata(
        name=name,
        model=core.settings.model,
        effort=core.settings.effort,
        permission_mode=core.permission_mode,
        sandbox=agent.sandbox,
        tools=tuple(each.name for each in core.tools if each.name != AGENT_TOOL),
        parent_agent=agent.name,
        instructions=core.settings.instructions,
        instructions_digest=agent.instructions_digest if core.settings.instructions else None,
    )
    asked: UserInput = user_input(prompt, "agent")
    moment = now_us()
    with store.writing():
        store.create_session(
            child_id, source="live", role="subagent", parent_session=core.session_id, agent_id=agent_id
        )
        store.append(child_id, [Draft.of(fact, ts=moment) for fact in (started, who, asked)], 0)


def report_to_parent(core: Core, output: str) -> None:
    """A child that was resumed by itself has finished: its result closes the parent's call, if that is still open."""
    if not core.reports or not core.is_child:
        return
    store = core.journal.store
    row = store.session(core.session_id)
    if row.parent_session is None or row.agent_id is None:
        return
    try:
        parent = store.session(row.parent_session)
    except SessionNotFound:
        return
    for attempt in range(1, TRIES + 1):
        try:
            _report(core, parent.session_id, row.agent_id, output)
            return
        except PositionConflict:
            if attempt == TRIES:
                raise


def _report(core: Core, parent: str, agent_id: str, output: str) -> None:
    """Append the result to the parent as it is now. Needs no lease: a holder of the parent takes it in."""
    started = _started(core, parent, agent_id)
    state = LiveState(core.journal.store, parent)
    journal = Journal(core.journal.store, parent, state.position, tip=state.tip)
    done = Subagent(agent_id=agent_id, status="completed")
    open_ids = {call["call_id"] for call in state.folded.states["calls"]["open"]}
    if started.get("call_id") in open_ids:
        outcome = Outcome(output or "(the agent said nothing)", facts=(done,))
        journal.append(*calling.result_facts(started["call_id"], outcome, core.settings.result_chars))
        return
    try:
        with lease(core.journal.store, parent) as held:
            journal = Journal(core.journal.store, parent, state.position, token=held.token, tip=state.tip)
            journal.append(_late(agent_id, output), done)
    except LeaseConflict:
        journal.append(
            done
        )  # The parent is busy: it learns that the child is done, the words are in the child's session.


def _started(core: Core, parent: str, agent_id: str) -> dict[str, Any]:
    for event in core.journal.store.read(parent, kinds=["Subagent"]):
        if event.data["agent_id"] == agent_id and event.data.get("call_id"):
            return event.data
    return {}


def _late(agent_id: str, output: str) -> UserInput:
    """The call was closed in the meantime: the result comes as a notification."""
    text = f"The agent {agent_id}, interrupted before, has finished. Its result:\n\n{output}"
    return UserInput.model_validate(
        {"content": [{"type": "text", "text": text}], "origin": "notification", "preview": preview(text)}
    )
