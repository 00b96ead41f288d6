"""What the scripted model says, and how its two HTTP interfaces put it on the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .strict_rules import ISSUED


@dataclass(frozen=True)
class Call:
    """A tool call the model makes."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    call_id: str | None = None


@dataclass(frozen=True)
class Reply:
    """One scripted answer.

    text, reasoning, calls: the items, in this order. status: an HTTP error instead. cut_after: the connection drops after so
    many finished items. pause_s: between streamed pieces. fails: the stream ends with `response.failed`.
    never_streams: one document comes although a stream was asked for.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    reasoning: str = ""
    status: int = 200
    error: str = "scripted failure"
    error_code: str | None = None
    cut_after: int | None = None
    pause_s: float = 0.0
    fails: bool = False
    never_streams: bool = False
    usage: tuple[int, int, int] = (100, 20, 0)
    headers: dict[str, str] = field(default_factory=dict)


def say(text: str, **more: Any) -> Reply:
    return Reply(text=text, **more)


def call(name: str, /, **arguments: Any) -> Reply:
    return Reply(calls=(Call(name, arguments),))


def items(reply: Reply, number: int) -> list[dict[str, Any]]:
    """The output items of a reply in the shape of the Responses API."""
    made: list[dict[str, Any]] = []
    if reply.reasoning:
        made.append(
            {
                "type": "reasoning",
                "id": f"rs_{number}",
                "summary": [{"type": "summary_text", "text": reply.reasoning}],
                "encrypted_content": f"{ISSUED}{number}",
            }
        )
    if reply.text:
        part = {"type": "output_text", "text": reply.text, "annotations": []}
        made.append(
            {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}
        )
    for place, one in enumerate(reply.calls):
        made.append(
            {
                "type": "function_call",
                "id": f"fc_{number}_{place}",
                "call_id": one.call_id or f"call_{number}_{place}",
                "name": one.name,
                "arguments": json.dumps(one.arguments),
                "status": "completed",
            }
        )
    return made


def response(reply: Reply, number: int, model: str, status: str = "completed") -> dict[str, Any]:
    """The whole response object."""
    fresh, out, cached = reply.usage
    usage = {
        "input_tokens": fresh + cached,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": out,
        "output_tokens_details": {"reasoning_tokens": 5 if reply.reasoning else 0},
        "total_tokens": fresh + cached + out,
    }
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": status,
        "model": model,
        "output": items(reply, number) if status == "completed" else [],
        "usage": usage if status != "in_progress" else None,
        "error": {"code": "server_error", "message": reply.error} if status == "failed" else None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "tools": [],
        "tool_choice": "auto",
        "temperature": 1.0,
        "top_p": 1.0,
    }


def response_events(reply: Reply, number: int, model: str) -> Iterator[dict[str, Any]]:
    """The server-sent events of a streamed response; ends early where the reply says so."""
    yield {"type": "response.created", "response": response(reply, number, model, "in_progress")}
    for place, item in enumerate(items(reply, number)):
        if reply.cut_after is not None and place >= reply.cut_after:
            return
        at = {"output_index": place}
        yield {"type": "response.output_item.added", "item": _begun(item), **at}
        yield from _deltas(item, at)
        yield {"type": "response.output_item.done", "item": item, **at}
    if reply.cut_after is not None:
        return
    if reply.fails:
        yield {"type": "response.failed", "response": response(reply, number, model, "failed")}
    else:
        yield {"type": "response.completed", "response": response(reply, number, model)}


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    empty: dict[str, Any] = {
        "message": {"content": []},
        "function_call": {"arguments": ""},
        "reasoning": {"summary": []},
    }
    return {**item, **empty[item["type"]], "status": "in_progress"}


def _deltas(item: dict[str, Any], at: dict[str, int]) -> Iterator[dict[str, Any]]:
    where = {**at, "item_id": item["id"]}
    if item["type"] == "message":
        text = item["content"][0]["text"]
        for piece in pieces(text):
            yield {"type": "response.output_text.delta", "delta": piece, "content_index": 0, "logprobs": [], **where}
        yield {"type": "response.output_text.done", "text": text, "content_index": 0, "logprobs": [], **where}
    elif item["type"] == "function_call":
        for piece in pieces(item["arguments"]):
            yield {"type": "response.function_call_arguments.delta", "delta": piece, **where}
        yield {
            "type": "response.function_call_arguments.done",
            "arguments": item["arguments"],
            "name": item["name"],
            **where,
        }


def pieces(text: str) -> list[str]:
    return [text[start : start + 8] for start in range(0, len(text), 8)]


def chat_message(reply: Reply, number: int) -> dict[str, Any]:
    calls = [
        {
            "id": one.call_id or f"call_{number}_{place}",
            "type": "function",
            "function": {"name": one.name, "arguments": json.dumps(one.arguments)},
        }
        for place, one in enumerate(reply.calls)
    ]
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    return {**message, "tool_calls": calls} if calls else message


def chat_usage(reply: Reply) -> dict[str, Any]:
    fresh, out, cached = reply.usage
    return {
        "prompt_tokens": fresh + cached,
        "completion_tokens": out,
        "total_tokens": fresh + cached + out,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def chat_completion(reply: Reply, number: int, model: str) -> dict[str, Any]:
    finish = "tool_calls" if reply.calls else "stop"
    choice = {"index": 0, "message": chat_message(reply, number), "finish_reason": finish, "logprobs": None}
    top = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1_700_000_000, "model": model}
    return {**top, "choices": [choice], "usage": chat_usage(reply)}


def chat_chunks(reply: Reply, number: int, model: str) -> Iterator[dict[str, Any]]:
    top = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**top, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": None}

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(reply.text):
        yield chunk({"content": piece})
    for place, one in enumerate(chat_message(reply, number).get("tool_calls", ())):
        if reply.cut_after is not None and place >= reply.cut_after:
            return
        function = one["function"]
        yield chunk({"tool_calls": [{**one, "index": place, "function": {"name": function["name"], "arguments": ""}}]})
        for piece in pieces(function["arguments"]):
            yield chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
    if reply.cut_after is not None:
        return
    yield chunk({}, "tool_calls" if reply.calls else "stop")
    yield {**top, "choices": [], "usage": chat_usage(reply)}
