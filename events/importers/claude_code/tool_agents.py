"""Sub-agents as their parent's calls tell of them."""

from __future__ import annotations

from .record import Record
from .shape import Json, text

_STATUS = {"completed": "completed", "async_launched": "running", "teammate_spawned": "running"}


def subagent_session(record: Record, agent_id: str) -> str:
    """The id of the sub-agent's own session: all of one main session lie side by side."""
    parent = record.identity.parent_session or record.identity.session_id
    return f"{parent}/agent-{agent_id}"


def agent_result(record: Record, call_id: str, call: Json, twin: Json) -> None:
    """A sub-agent ended, or was sent into the background."""
    agent_id = text(twin.get("agentId")) or text(twin.get("agent_id"))
    status = _STATUS.get(str(twin.get("status")), "completed")
    record.add(
        "Subagent",
        agent_id=agent_id or call_id,
        session_id=subagent_session(record, agent_id) if agent_id is not None else None,
        name=text(call.get("name")),
        type=text(twin.get("agentType")) or text(call.get("t")),
        description=text(twin.get("description")) or text(call.get("about")),
        prompt=record.at("toolUseResult", "prompt") if text(twin.get("prompt")) else None,
        model=text(twin.get("resolvedModel")) or text(call.get("m")),
        status=status,
        call_id=call_id,
        worktree=text(twin.get("worktreePath")),
        background=True if status == "running" else None,
    )
    if status == "running" and agent_id is not None:
        record.add(
            "BackgroundTask",
            task_id=agent_id,
            type="agent",
            status="running",
            call_id=call_id,
            output_file=text(twin.get("outputFile")),
        )


def agent_message(record: Record, _call_id: str, _call: Json, twin: Json) -> None:
    """A message made a sub-agent go on."""
    agent_id = text(twin.get("resumedAgentId"))
    if agent_id is not None:
        session = subagent_session(record, agent_id)
        record.add("Subagent", agent_id=agent_id, session_id=session, status="running", background=True)
