"""A session for another client than its own: what the model saw, rewritten in the other's form, and a word on every
loss."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib import metadata

from ...events.times import now_us
from ..fork import new_session_id
from ..spoken import Block, Spoken
from .as_is import is_uuid
from .claude_written import ClaudeWriter
from .codex_items import OPENAI
from .codex_written import RolloutWriter
from .places import claude_place, codex_place
from .subject import CLAUDE, CODEX, Subject
from .transcript import Losses, Transcript

_OTHERS_CONTEXT = {"context"}
"""Origins that belong to one client only: its environment and its instructions for its own tools."""


def to_claude(subject: Subject) -> Transcript:
    """The session as a Claude Code transcript under a new id."""
    losses = Losses("Claude Code")
    session_id = new_session_id()
    messages = _carried(subject, CLAUDE, losses)
    keep = subject.row.source == CLAUDE
    writer = ClaudeWriter(session_id, subject.cwd, _start(subject, messages), losses, keep_thinking=keep)
    writer.origin = {"sessionId": subject.row.session_id, "messageUuid": str(subject.pointer)}
    writer.messages(_with_plan(subject, messages, "TodoWrite"))
    if subject.title:
        writer.label("custom-title", customTitle=subject.title)
    prompts = [message.text for message in messages if message.origin in {"human", "queued"}]
    writer.label("last-prompt", lastPrompt=prompts[-1][:200] if prompts else "", leafUuid=writer.leaf)
    place = claude_place(subject.cwd, session_id)
    return Transcript(
        session_id=session_id,
        place=place,
        cwd=subject.cwd,
        command=("claude", "--resume", session_id),
        lines=writer.lines(),
        findings=losses.findings(),
    )


def to_codex(subject: Subject) -> Transcript:
    """The session as a Codex rollout under a new id."""
    losses = Losses("Codex")
    session_id = new_session_id()
    messages = _carried(subject, CODEX, losses)
    started = _start(subject, messages)
    writer = RolloutWriter(session_id, started, losses, keep_reasoning=_keeps_reasoning(subject))
    instructions = getattr(subject.restored.agent, "instructions", None)
    origin = subject.row.session_id if is_uuid(subject.row.session_id) else None
    base = {"text": instructions} if instructions else None
    writer.meta(subject.cwd, _version(), base_instructions=base, forked_from_id=origin)
    writer.messages(_with_plan(subject, messages, "update_plan"))
    return Transcript(
        session_id=session_id,
        place=codex_place(session_id, time.localtime()),
        cwd=subject.cwd,
        command=("codex", "resume", session_id),
        lines=writer.lines,
        findings=losses.findings(),
    )


def _version() -> str:
    return metadata.version("rehydrate")


def _start(subject: Subject, messages: Sequence[Spoken]) -> int:
    times = [message.ts for message in messages if message.ts]
    return min([*times, subject.started_us, now_us()])


def _keeps_reasoning(subject: Subject) -> bool:
    return subject.row.source in OPENAI


def _carried(subject: Subject, target: str, losses: Losses) -> list[Spoken]:
    """The messages that mean something to the other client, and counts of what is left behind."""
    messages = subject.spoken()
    if target != subject.row.source:
        kept = [message for message in messages if message.origin not in _OTHERS_CONTEXT]
        losses.add("context-not-carried", len(messages) - len(kept))
        messages = kept
    losses.add("queued-input-not-carried", len(subject.restored.app_state.queued_inputs))
    losses.add("accounting-not-carried", subject.restored.accounting.total.requests)
    losses.add("subagents-not-carried", len(subject.restored.agent.subagents))
    losses.add("settings-not-carried", _settings(subject))
    if subject.restored.compactions:
        losses.add("earlier-history-not-carried", _unseen(subject, messages))
    return messages


def _settings(subject: Subject) -> int:
    agent = subject.restored.agent
    values = (agent.model, agent.recorded_permission_mode, agent.effort, agent.recorded_sandbox, agent.approval_policy)
    return sum(value is not None for value in values)


def _unseen(subject: Subject, messages: Sequence[Spoken]) -> int:
    first = min((message.position for message in messages), default=subject.pointer.position)
    return max(first - 1, 0)


def _with_plan(subject: Subject, messages: list[Spoken], tool: str) -> list[Spoken]:
    """The todo list as a call of the other client's own tool, before the last word, unless that tool told it
    already."""
    todos = subject.restored.app_state.todos
    if not todos or _told_by(messages, tool):
        return messages
    call_id = f"call_plan_{subject.pointer.position}"
    if tool == "update_plan":
        told = {"plan": [{"step": todo.content, "status": todo.status} for todo in todos]}
        answer = "Plan updated"
    else:
        told = {
            "todos": [
                {"content": todo.content, "status": todo.status, "activeForm": todo.active_form or todo.content}
                for todo in todos
            ]
        }
        answer = "Todos have been modified successfully."
    at = (
        len(messages) - 1
        if messages and not messages[-1].only_results and not _has_calls(messages[-1])
        else len(messages)
    )
    ts = messages[at - 1].ts if at else None
    model = next((message.model for message in reversed(messages) if message.model), None)
    call: Block = {"type": "tool_use", "id": call_id, "name": tool, "input": told}
    result: Block = {"type": "tool_result", "tool_use_id": call_id, "content": answer}
    position = subject.pointer.position
    pair = [
        Spoken("assistant", position, [call], model=model, ts=ts),
        Spoken("user", position, [result], ts=ts),
    ]
    return [*messages[:at], *pair, *messages[at:]]


def _has_calls(message: Spoken) -> bool:
    return any(True for _ in message.of_type("tool_use"))


def _told_by(messages: Sequence[Spoken], tool: str) -> bool:
    return any(block.get("name") == tool for message in messages for block in message.of_type("tool_use"))
