"""Event messages, the reader's ledger: turns, rollbacks, patches, and texts that no response item carries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...references import preview
from .batch import Batch, text_or_none, whole
from .calls import note_patched
from .context import wrapper_of
from .files import KnownFiles, emit_changes
from .items import starts_turn
from .memory import WAITING, Memory, key_of, take_one, wait
from .settings import emit_settings
from .shapes import is_object, list_of, object_of
from .threads import emit_collaboration
from .usage import emit_token_count

CLIENT_TEXTS = ("Compact task completed",)
"""What the client itself put among the replies on its screen."""

Handler = Callable[[Batch, Memory, dict[str, Any]], None]


def emit_event(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    """The events of one event message; a kind without a meaning of its own becomes a notice."""
    kind = str(payload.get("type"))
    handler = _HANDLERS.get(kind)
    if handler is not None:
        handler(batch, memory, payload)
    if not batch.drafts:
        emit_notice(batch, kind, payload)


def emit_notice(batch: Batch, subtype: str, payload: dict[str, Any]) -> None:
    """What the client told its screen."""
    text = next(
        (batch.at(name) for name in ("message", "text", "aggregated_output") if isinstance(payload.get(name), str)),
        None,
    )
    batch.add("Notice", subtype=subtype, text=text, value=batch.at(), call_id=text_or_none(payload.get("call_id")))


def said_by_person(batch: Batch, memory: Memory, text: str, content: list[dict[str, Any]], subtype: str) -> None:
    """A person's text as the screen had it: a notice when the model's ledger has it too, else the message itself."""
    if take_one(memory.inputs, key_of(text)) or (memory.copying and memory.spawned):
        batch.add("Notice", subtype=subtype, text=next((block["text"] for block in content if "text" in block), None))
        return
    if wrapper_of(text) is not None or not content:
        return
    native_id = f"event-{batch.place}"
    batch.named(native_id)
    begins = starts_turn(memory)
    batch.add(
        "UserInput",
        content=content,
        origin="human" if begins else "queued",
        starts_turn=begins,
        preview=preview(text),
        turn_id=memory.turn_id,
        provisional=True,
    )
    wait(memory.said_inputs, key_of(text), native_id)
    memory.open_turn = True


def said_by_model(batch: Batch, memory: Memory, text: str, content: list[dict[str, Any]], subtype: str) -> None:
    """A reply as the screen had it; it usually comes just before the model's own item, which then takes its place."""
    if take_one(memory.replies, key_of(text)) or (memory.copying and memory.spawned):
        batch.add("Notice", subtype=subtype, text=next((block["text"] for block in content if "text" in block), None))
        return
    if not text.strip() or text.strip() in CLIENT_TEXTS:
        return
    native_id = f"event-{batch.place}"
    batch.named(native_id)
    batch.add(
        "AssistantMessage",
        blocks=content,
        model=memory.model,
        provider=memory.provider,
        preview=preview(text),
        provisional=True,
    )
    wait(memory.said_replies, key_of(text), native_id)


def _user_message(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    text = payload.get("message")
    if payload.get("kind") in ("user_instructions", "environment_context") or not isinstance(text, str):
        return
    content: list[dict[str, Any]] = [{"type": "text", "text": batch.at("message")}] if text else []
    images = payload.get("images")
    for number, url in enumerate(list_of(images)):
        if isinstance(url, str):
            content.append({"type": "image", "url": batch.at("images", number)})
    said_by_person(batch, memory, text, content, "user_message")


def _agent_message(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    text = payload.get("message")
    if isinstance(text, str):
        said_by_model(batch, memory, text, [{"type": "text", "text": batch.at("message")}], "agent_message")


def _task_started(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    turn_id = text_or_none(payload.get("turn_id"))
    run_id = turn_id or f"turn-{batch.place}"
    memory.turn_id, memory.run_id = turn_id, run_id
    memory.has_runs, memory.open_turn = True, False
    memory.inputs.clear()
    memory.replies.clear()
    batch.named(turn_id)
    batch.add("RunStarted", run_id=run_id, turn_id=turn_id, context_window=whole(payload.get("model_context_window")))


def _task_complete(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    error = payload.get("error")
    _ended(batch, memory, payload, "failed" if error else "completed", error=batch.at("error") if error else None)


def _turn_aborted(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    _ended(batch, memory, payload, "interrupted", reason=text_or_none(payload.get("reason")) or "interrupted")


def _ended(batch: Batch, memory: Memory, payload: dict[str, Any], status: str, **more: Any) -> None:
    turn_id = text_or_none(payload.get("turn_id")) or memory.turn_id
    batch.add(
        "RunEnded",
        run_id=turn_id or memory.run_id,
        turn_id=turn_id,
        status=status,
        duration_ms=whole(payload.get("duration_ms")),
        **more,
    )
    memory.turn_id = memory.run_id = None
    memory.open_turn = False


def _rolled_back(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    turns = whole(payload.get("num_turns"))
    if turns:
        batch.add("Rewound", turns=turns, scope="conversation")
        memory.inputs.clear()
        memory.open_turn = False


def _patched(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    call_id = text_or_none(payload.get("call_id")) or text_or_none(payload.get("id"))
    applied = payload.get("success") is True or payload.get("status") == "completed"
    if applied and payload.get("status") not in ("failed", "declined") and call_id not in memory.patched:
        path = (*batch.inner, "changes")
        emit_changes(batch, KnownFiles(memory.files), payload.get("changes"), path, memory.cwd, call_id)
    if call_id is not None:
        note_patched(memory, call_id)


def _server_call(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    """A finished call of an MCP server: its output, which follows, does not tell whether it failed."""
    call_id = text_or_none(payload.get("call_id")) or text_or_none(payload.get("id"))
    result = object_of(payload.get("result"))
    answer = object_of(result.get("Ok", result))
    failed = "Err" in result or answer.get("isError") is True or answer.get("is_error") is True
    if call_id is not None and (failed or payload.get("status") == "failed"):
        memory.failed.append(call_id)
        del memory.failed[:-WAITING]
    told = object_of(payload.get("invocation")) or payload
    value = {"server": told.get("server"), "tool": told.get("tool"), "failed": call_id in memory.failed}
    batch.add("Notice", subtype="mcp_tool_call", value=value, call_id=call_id)


def _title(batch: Batch, _memory: Memory, payload: dict[str, Any]) -> None:
    name = payload.get("thread_name")
    if isinstance(name, str):
        batch.add("SessionLabel", title=preview(name), set_by="person")


def _goal(batch: Batch, _memory: Memory, payload: dict[str, Any]) -> None:
    if is_object(payload.get("goal")):
        batch.add("AgentMetadata", goal=batch.value("goal"))


def _error(batch: Batch, _memory: Memory, _payload: dict[str, Any]) -> None:
    batch.add("Notice", subtype="error", level="error", text=batch.at("message"), value=batch.at())


def _plan(batch: Batch, _memory: Memory, _payload: dict[str, Any]) -> None:
    batch.add("PlanSnapshot", text=batch.at(*batch.inner, "text"), status="proposed")


def _item_completed(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    item = payload.get("item")
    if not is_object(item):
        return
    kind = str(item.get("type"))
    batch.inner = ("item",)
    if kind in ("UserMessage", "AgentMessage"):
        _said(batch, memory, item, kind)
    elif kind == "FileChange":
        _patched(batch, memory, item)
    elif kind == "McpToolCall":
        _server_call(batch, memory, item)
    elif kind == "Plan":
        _plan(batch, memory, item)
    elif kind in ("CollabAgentToolCall", "SubAgentActivity"):
        emit_collaboration(batch, memory, kind, item)
    if not batch.drafts:
        batch.add("Notice", subtype=kind, value=batch.at("item"), call_id=text_or_none(item.get("id")))


def _said(batch: Batch, memory: Memory, item: dict[str, Any], kind: str) -> None:
    parts = item.get("content")
    content: list[dict[str, Any]] = []
    texts: list[str] = []
    for number, part in enumerate(list_of(parts)):
        if not is_object(part):
            continue
        if isinstance(part.get("text"), str):
            texts.append(part["text"])
            content.append({"type": "text", "text": batch.at("item", "content", number, "text")})
        elif isinstance(part.get("image_url") or part.get("url"), str):
            name = "image_url" if isinstance(part.get("image_url"), str) else "url"
            content.append({"type": "image", "url": batch.at("item", "content", number, name)})
    if kind == "UserMessage":
        said_by_person(batch, memory, "\n".join(texts), content, kind)
    else:
        said_by_model(batch, memory, "".join(texts), content, kind)


def _collaboration(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    emit_collaboration(batch, memory, str(payload.get("type")), payload)


_HANDLERS: dict[str, Handler] = {
    "user_message": _user_message,
    "agent_message": _agent_message,
    "task_started": _task_started,
    "turn_started": _task_started,
    "task_complete": _task_complete,
    "turn_complete": _task_complete,
    "turn_aborted": _turn_aborted,
    "thread_rolled_back": _rolled_back,
    "token_count": emit_token_count,
    "patch_apply_end": _patched,
    "mcp_tool_call_end": _server_call,
    "thread_name_updated": _title,
    "thread_goal_updated": _goal,
    "thread_settings_applied": emit_settings,
    "error": _error,
    "stream_error": _error,
    "item_completed": _item_completed,
    "sub_agent_activity": _collaboration,
    "collab_agent_spawn_end": _collaboration,
    "collab_agent_interaction_end": _collaboration,
    "collab_waiting_end": _collaboration,
    "collab_close_end": _collaboration,
    "collab_resume_end": _collaboration,
}
