"""Response items, the model's ledger: messages, reasoning, calls and their outputs of every type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...references import preview
from .batch import Batch, text_or_none
from .calls import emit_call, emit_result
from .context import is_summary, texts_of, wrapper_of
from .environment import emit_environment
from .memory import Memory, key_of, take, wait
from .shapes import is_list, is_object, list_of

_ORIGINS = {
    "user_shell_command": "command",
    "subagent_notification": "notification",
    "hook_prompt": "hook",
    "goal_context": "meta",
    "warning": "meta",
}


def emit_item(batch: Batch, memory: Memory, item: dict[str, Any]) -> None:
    """The events of one response item; anything unknown is kept as unrecognized."""
    batch.named(item.get("id"))
    kind = item.get("type") or ("message" if "role" in item else None)
    handler = _HANDLERS.get(str(kind))
    if handler is None:
        batch.add("Unrecognized", type=f"response_item:{kind}")
    else:
        handler(batch, memory, item)


def blocks_of(batch: Batch, content: Any, *path: str | int) -> list[dict[str, Any]]:
    """The parts of a message or an output as blocks; a part of an unknown type is kept as it is."""
    if isinstance(content, str):
        return [{"type": "text", "text": batch.at(*path)}]
    if not is_list(content):
        return [] if content is None else [{"type": "other", "native_type": "content", "value": batch.at(*path)}]
    return [_block(batch, part, *path, number) for number, part in enumerate(content)]


def _block(batch: Batch, part: Any, *path: str | int) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": batch.at(*path)}
    kind = part.get("type") if is_object(part) else None
    if kind in ("input_text", "output_text", "text", "summary_text", "reasoning_text") and isinstance(
        part.get("text"), str
    ):
        return {"type": "text", "text": batch.at(*path, "text")}
    if kind == "input_image" and isinstance(part.get("image_url"), str):
        return {"type": "image", "url": batch.at(*path, "image_url")}
    if kind == "image_url" and is_object(part.get("image_url")):
        return {"type": "image", "url": batch.at(*path, "image_url", "url")}
    return {"type": "other", "native_type": str(kind) if kind else None, "value": batch.at(*path)}


def _message(batch: Batch, memory: Memory, item: dict[str, Any]) -> None:
    role = str(item.get("role") or "user")
    if role == "assistant":
        _reply(batch, memory, item)
    elif role == "tool":
        emit_result(
            batch,
            memory,
            {**item, "call_id": item.get("tool_call_id"), "output": item.get("content")},
            "function",
            "content",
        )
    elif role == "user":
        _input(batch, memory, item)
    else:
        blocks = blocks_of(batch, item.get("content"), "content")
        shown = preview(" ".join(texts_of(item)))
        said = "developer" if role == "developer" else "system"
        batch.add(
            "UserInput",
            content=blocks,
            origin="context",
            role=said,
            preview=shown,
            visible_to_reader=False,
            visible_to_model=role != "system",
            turn_id=_turn(item) or memory.turn_id,
        )


def _input(batch: Batch, memory: Memory, item: dict[str, Any]) -> None:
    texts = texts_of(item)
    wrapper = next((found for found in map(wrapper_of, texts) if found), None)
    human = wrapper is None and not any(map(is_summary, texts))
    content = blocks_of(batch, item.get("content"), "content")
    replaced: list[str] | None = None
    joined = "\n".join(texts)
    if human:
        replaced = take(memory.said_inputs, key_of(joined))
        if replaced is None:
            wait(memory.inputs, key_of(joined), " ".join(map(key_of, texts)))
    begins = human and starts_turn(memory)
    said = "human" if begins or replaced else "queued"
    batch.add(
        "UserInput",
        content=content,
        origin=said if human else _ORIGINS.get(wrapper or "", "context" if wrapper else "summary"),
        visible_to_reader=human or wrapper in ("user_shell_command", "subagent_notification", "turn_aborted"),
        starts_turn=begins and not replaced,
        preview=preview(joined),
        attachment_type=wrapper,
        turn_id=_turn(item) or memory.turn_id,
        replaces=replaced or None,
    )
    if human:
        memory.open_turn = True
    elif wrapper == "environment_context":
        emit_environment(batch, memory, texts)


def starts_turn(memory: Memory) -> bool:
    """Whether a person's input begins a turn: the first of a run; in files without runs every one."""
    return not (memory.open_turn and memory.has_runs)


def _reply(batch: Batch, memory: Memory, item: dict[str, Any]) -> None:
    texts = texts_of(item)
    text = "".join(texts)
    twin: list[str] | None = None
    if text.strip():
        keys = dict.fromkeys([key_of(text), key_of("\n".join(texts)), *map(key_of, texts)])
        found = [taken for key in keys if (taken := take(memory.said_replies, key)) is not None]
        twin = [native_id for taken in found for native_id in taken] if found else None
        if twin is None:
            wait(memory.replies, key_of(text), " ".join(keys))
    blocks = blocks_of(batch, item.get("content"), "content")
    calls = item.get("tool_calls")
    if blocks or not is_list(calls):
        batch.add(
            "AssistantMessage",
            blocks=blocks,
            model=memory.model,
            provider=memory.provider,
            preview=preview(text),
            phase=text_or_none(item.get("phase")),
            replaces=twin or None,
        )
    for number, call in enumerate(list_of(calls)):
        function = call.get("function") if is_object(call) else None
        if is_object(function):
            emit_call(
                batch,
                memory,
                {"call_id": call.get("id"), **function},
                "function",
                batch.at("tool_calls", number, "function", "arguments"),
            )


def _reasoning(batch: Batch, memory: Memory, item: dict[str, Any]) -> None:
    found = [
        (name, number, part)
        for name in ("summary", "content")
        for number, part in enumerate(list_of(item.get(name)))
        if is_object(part) and isinstance(part.get("text"), str)
    ]
    texts = [part["text"] for name, _, part in found if name == "summary"] or [part["text"] for _, _, part in found]
    thinking = batch.at(found[0][0], found[0][1], "text") if len(texts) == 1 and len(found) == 1 else "\n\n".join(texts)
    block = {
        "type": "thinking",
        "thinking": thinking,
        "signature": batch.at("encrypted_content") if isinstance(item.get("encrypted_content"), str) else None,
        "item_id": text_or_none(item.get("id")),
    }
    blocks = [{key: value for key, value in block.items() if value is not None}]
    batch.add(
        "AssistantMessage",
        blocks=blocks,
        model=memory.model,
        provider=memory.provider,
        preview=preview(texts[0] if texts else ""),
        phase="reasoning",
    )


def _agent_message(batch: Batch, memory: Memory, item: dict[str, Any]) -> None:
    batch.add(
        "UserInput",
        content=blocks_of(batch, item.get("content"), "content"),
        origin="agent",
        preview=preview(" ".join(texts_of(item))),
        attachment_type="agent_message",
        turn_id=_turn(item) or memory.turn_id,
    )


def _other(batch: Batch, memory: Memory, item: dict[str, Any]) -> None:
    """An item that the model gets back as it is and nobody can read: a compaction, a server's tool search."""
    block = {"type": "other", "native_type": str(item.get("type")), "value": batch.at()}
    batch.add("AssistantMessage", blocks=[block], model=memory.model, provider=memory.provider, visible_to_reader=False)


def _notice(batch: Batch, memory: Memory, item: dict[str, Any]) -> None:
    del memory
    batch.add("Notice", subtype=str(item.get("type")), value=batch.at())


def _tools(batch: Batch, memory: Memory, item: dict[str, Any]) -> None:
    del memory
    tools = item.get("tools")
    names = sorted(_tool_names(tools)) if is_list(tools) else []
    batch.add("AgentMetadata", tools_added=names)


def _tool_names(tools: list[Any]) -> set[str]:
    names: set[str] = set()
    for tool in tools:
        if not is_object(tool):
            continue
        inner = tool.get("tools")
        if is_list(inner):
            names |= _tool_names(inner)
        elif isinstance(tool.get("name"), str):
            names.add(tool["name"])
    return names


def _call(call_type: str) -> Callable[[Batch, Memory, dict[str, Any]], None]:
    def emit(batch: Batch, memory: Memory, item: dict[str, Any]) -> None:
        emit_call(batch, memory, item, call_type)

    return emit


def _output(call_type: str) -> Callable[[Batch, Memory, dict[str, Any]], None]:
    def emit(batch: Batch, memory: Memory, item: dict[str, Any]) -> None:
        if call_type == "search" and (item.get("execution") == "server" or not item.get("call_id")):
            _other(batch, memory, item)
        else:
            emit_result(batch, memory, item, call_type, "tools" if call_type == "search" else "output")

    return emit


def _turn(item: dict[str, Any]) -> str | None:
    link = item.get("internal_chat_message_metadata_passthrough") or item.get("metadata")
    return text_or_none(link.get("turn_id")) if is_object(link) else None


_HANDLERS: dict[str, Callable[[Batch, Memory, dict[str, Any]], None]] = {
    "message": _message,
    "agent_message": _agent_message,
    "reasoning": _reasoning,
    "function_call": _call("function"),
    "function_call_output": _output("function"),
    "custom_tool_call": _call("custom"),
    "custom_tool_call_output": _output("custom"),
    "local_shell_call": _call("shell"),
    "local_shell_call_output": _output("shell"),
    "tool_search_call": _call("search"),
    "tool_search_output": _output("search"),
    "web_search_call": _call("server"),
    "image_generation_call": _call("server"),
    "mcp_tool_call": _call("function"),
    "mcp_tool_call_output": _output("function"),
    "compaction": _other,
    "compaction_summary": _other,
    "context_compaction": _other,
    "additional_tools": _tools,
    "ghost_snapshot": _notice,
    "compaction_trigger": _notice,
}
