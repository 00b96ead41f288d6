"""Tool calls and what their results prove: plans of todos, changed files, commands that go on running."""

from __future__ import annotations

import json
from typing import Any

from ...references import preview
from .batch import Batch, text_or_none
from .files import KnownFiles, emit_patched, remembered
from .memory import WAITING, Memory
from .patches import patch_in_call
from .results import Outcome, outcome_of, text_of
from .shapes import is_list, is_object, object_of
from .threads import AGENT_TOOLS, emit_agents, remembered_agent_call

_STATUS = {"pending": "pending", "in_progress": "in_progress", "completed": "completed"}
_SERVER_NAMES = {"web_search_call": "web_search", "image_generation_call": "image_generation"}
_COMMAND_CHARS = 300


def emit_call(batch: Batch, memory: Memory, item: dict[str, Any], call_type: str, arguments: Any = None) -> None:
    """ToolUse of a call item; what its result will prove is remembered until then."""
    item_id = text_or_none(item.get("id"))
    call_id = text_or_none(item.get("call_id")) or item_id or f"call-{batch.place}-{len(batch.drafts)}"
    name, raw = _name(item, call_type), _raw_arguments(item, call_type)
    if arguments is None:
        arguments = _arguments(batch, item, call_type)
    batch.add(
        "ToolUse",
        call_id=call_id,
        name=name,
        arguments=arguments,
        call_type=call_type,
        namespace=text_or_none(item.get("namespace")),
        model=memory.model,
        provider=memory.provider,
        item_id=item_id,
        expects_result=call_type != "server" and bool(item.get("call_id")),
        preview=preview(
            command_of(raw) or (raw if isinstance(raw, str) else json.dumps(raw)) if raw is not None else ""
        ),
    )
    call = _to_remember(memory, name, raw)
    if call is not None:
        memory.opened(call_id, call)


def _name(item: dict[str, Any], call_type: str) -> str:
    kind = str(item.get("type") or "")
    default = {"shell": "local_shell", "search": "tool_search"}.get(call_type) or _SERVER_NAMES.get(kind) or "unknown"
    return text_or_none(item.get("name")) or default


def _raw_arguments(item: dict[str, Any], call_type: str) -> Any:
    for field in ("arguments", "input", "action"):
        if item.get(field) is not None:
            return item[field]
    return {"revised_prompt": item.get("revised_prompt")} if call_type == "server" else None


def _arguments(batch: Batch, item: dict[str, Any], call_type: str) -> Any:
    for field in ("arguments", "input", "action"):
        if item.get(field) is not None:
            return batch.at(field)
    return batch.at() if call_type == "server" else ""


def _to_remember(memory: Memory, name: str, raw: Any) -> dict[str, Any] | None:
    if name == "update_plan":
        plan = _parsed(raw)
        return {"name": name, "plan": plan} if plan else None
    if name in AGENT_TOOLS:
        return remembered_agent_call(name, _parsed(raw))
    patch = patch_in_call(name, raw)
    if patch is not None:
        arguments = _parsed(raw)
        workdir = text_or_none(arguments.get("workdir")) or memory.cwd
        return {"name": name, "patch": remembered(patch, workdir)}
    if name in ("exec_command", "unified_exec"):
        return {"name": name, "command": preview(command_of(raw), _COMMAND_CHARS)}
    if name == "write_stdin":
        session = _parsed(raw).get("session_id")
        return {"name": name, "process": str(session)} if session is not None else None
    return None


def _parsed(raw: Any) -> dict[str, Any]:
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except ValueError:
            return {}
    return object_of(raw)


def command_of(raw: Any) -> str:
    """The shell command of a call as one text, empty when it is none."""
    command = _parsed(raw).get("command", _parsed(raw).get("cmd"))
    if is_list(command):
        words = [word for word in command if isinstance(word, str)]
        return words[-1] if len(words) == 3 and words[1].startswith("-") else " ".join(words)
    return command if isinstance(command, str) else ""


def emit_result(batch: Batch, memory: Memory, item: dict[str, Any], call_type: str, field: str) -> None:
    """ToolResult of an output item and the facts that it proves."""
    call_id = text_or_none(item.get("call_id")) or text_or_none(item.get("id")) or "unknown"
    output = item.get(field)
    text = text_of(output)
    if call_type == "custom" and item.get("name") and call_id in memory.answered:
        _notify(batch, memory, call_id, text, _content(batch, output, call_type, field))
        return
    memory.answered.append(call_id)
    del memory.answered[:-WAITING]
    outcome = outcome_of(text)
    if is_object(output) and output.get("success") is False:
        outcome = Outcome(True, outcome.exit_code, outcome.process, outcome.denied)
    structured = {"exit_code": outcome.exit_code} if outcome.exit_code is not None else None
    batch.add(
        "ToolResult",
        call_id=call_id,
        content=_content(batch, output, call_type, field),
        is_error=outcome.failed or call_id in memory.failed,
        structured=batch.at(field) if call_type == "search" else structured,
        denied=outcome.denied,
        call_type=call_type,
        preview=preview(text),
    )
    call = memory.calls.pop(call_id, None)
    if call is not None:
        _prove(batch, memory, call_id, call, outcome)
        if "agents" in call:
            emit_agents(batch, call["agents"], text, call_id)


def _notify(batch: Batch, memory: Memory, call_id: str, text: str, content: Any) -> None:
    """What a cell of code mode says after its call has its output: no second answer, but news for the model."""
    blocks = content if is_list(content) else [{"type": "text", "text": content}]
    batch.add(
        "UserInput",
        content=blocks,
        origin="notification",
        preview=preview(text),
        attachment_type="cell_notification",
        source_call_id=call_id,
        turn_id=memory.turn_id,
    )


def _content(batch: Batch, output: Any, call_type: str, field: str) -> Any:
    from .items import blocks_of

    if call_type == "search":
        return "" if not output else json.dumps([tool.get("name") for tool in output if is_object(tool)])
    if isinstance(output, str):
        return batch.at(field)
    if is_list(output):
        return blocks_of(batch, output, field)
    if is_object(output):
        for name in ("content", "text"):
            inner = output.get(name)
            if isinstance(inner, str):
                return batch.at(field, name)
            if is_list(inner):
                return blocks_of(batch, inner, field, name)
        return json.dumps(output)
    return ""


def _prove(batch: Batch, memory: Memory, call_id: str, call: dict[str, Any], outcome: Outcome) -> None:
    if "plan" in call and not outcome.failed:
        emit_plan(batch, call["plan"], call_id)
    if "patch" in call and not outcome.failed and call_id not in memory.patched:
        emit_patched(batch, KnownFiles(memory.files), call["patch"], call_id)
        note_patched(memory, call_id)
    if "command" in call and outcome.process is not None:
        batch.add(
            "BackgroundTask",
            task_id=outcome.process,
            type="shell",
            command=call["command"],
            status="running",
            call_id=call_id,
        )
    if "process" in call and outcome.exit_code is not None:
        batch.add(
            "BackgroundTask",
            task_id=call["process"],
            type="shell",
            status="completed" if outcome.exit_code == 0 else "failed",
            exit_code=outcome.exit_code,
        )


def note_patched(memory: Memory, call_id: str) -> None:
    """The file changes of this call have been given; its other record must not give them again."""
    memory.patched.append(call_id)
    del memory.patched[:-WAITING]


def emit_plan(batch: Batch, plan: dict[str, Any], call_id: str | None) -> None:
    """TodoSnapshot of an update_plan call; each call replaces the whole list, an item's id is its number in it."""
    steps = plan.get("plan")
    if not is_list(steps):
        return
    items = [
        {
            "id": str(number),
            "content": str(step.get("step", "")),
            "status": _STATUS.get(str(step.get("status")), "pending"),
        }
        for number, step in enumerate(steps, 1)
        if is_object(step)
    ]
    batch.add(
        "TodoSnapshot", items=items, origin="plan", explanation=text_or_none(plan.get("explanation")), call_id=call_id
    )
