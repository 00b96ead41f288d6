"""User records: what a person wrote, what the client put in a person's place, and the results of calls."""

from __future__ import annotations

import re
from typing import Any

from .content import all_text, block_at, blocks_at, first_text
from .markup import command_of, is_command_markup, is_interruption, notified_task, starts_run
from .memory import Memory
from .record import Record, shown
from .results import result_events
from .shape import obj, rows, text
from .todos import todo_items

_TEAMMATE = re.compile(r"\s*<teammate-message\b")


def user_events(record: Record, memory: Memory) -> None:
    """ToolResult for each result, UserInput for the rest, then the state that either of them proves."""
    content = record.message.get("content")
    results = [n for n, block in enumerate(rows(content)) if obj(block).get("type") == "tool_result"]
    for number in results:
        result_events(record, memory, number, alone=len(results) == 1)
    others = [n for n in range(len(rows(content))) if n not in results]
    if results and not others:
        return
    if results:
        blocks = [block_at(record, "message", "content", number) for number in others]
        plain: Any = [rows(content)[number] for number in others]
    else:
        blocks = blocks_at(record, "message", "content")
        plain = content
    _input(record, memory, blocks, plain, beside_results=bool(results))


def _input(record: Record, memory: Memory, blocks: list[dict[str, Any]], content: Any, *, beside_results: bool) -> None:
    value = record.value
    said = first_text(content)
    origin = _origin(record, said, beside_results=beside_results)
    human = origin in ("human", "queued", "command") and not beside_results
    record.add(
        "UserInput",
        content=blocks,
        origin=origin,
        starts_turn=(human and starts_run(said, content)) or None,
        visible_to_model=False if value.get("isVirtual") else None,
        visible_to_reader=False if origin == "meta" and not is_interruption(said) else None,
        preview=shown(command_of(said) or said) or None,
        prompt_id=text(value.get("promptId")),
        source_call_id=text(value.get("sourceToolUseID")),
    )
    if is_interruption(said):
        record.add("RunEnded", status="interrupted", reason=shown(said))
    if origin == "notification":
        notified_task(record, all_text(content))
    _command(record, said)
    if not beside_results:
        _prompt_state(record, memory)


def _origin(record: Record, said: str, *, beside_results: bool) -> str:
    value = record.value
    if value.get("isCompactSummary"):
        return "summary"
    kind = text(obj(value.get("origin")).get("kind"))
    if kind == "task-notification" or said.lstrip().startswith("<task-notification>"):
        return "notification"
    if _TEAMMATE.match(said):
        return "agent"
    if value.get("isMeta") or is_interruption(said):
        return "meta"
    if is_command_markup(said):
        return "command"
    if beside_results:
        return "meta"
    if record.identity.role == "subagent":
        return "agent" if value.get("parentUuid") is None else "human"
    return "queued" if value.get("promptSource") == "queued" else "human"


def _command(record: Record, said: str) -> None:
    """A slash command that sets the model names it as typed."""
    command = command_of(said)
    if command is None or record.lane is not None:
        return
    name, _, argument = command.partition(" ")
    if name == "/model" and argument.strip():
        record.add("AgentMetadata", model_override=argument.strip()[:100])


def _prompt_state(record: Record, memory: Memory) -> None:
    """Mode, todo list and accepted plan as a prompt carries them."""
    value = record.value
    if record.lane is not None:
        return
    mode = text(value.get("permissionMode"))
    if mode is not None:
        record.add("AgentMetadata", permission_mode=mode)
        memory.permission_mode = mode
    if isinstance(value.get("todos"), list) and value["todos"]:
        record.add("TodoSnapshot", items=todo_items(value["todos"]), origin="prompt")
    if text(value.get("planContent")):
        record.add("PlanSnapshot", text=record.at("planContent"), status="accepted", active=False)
