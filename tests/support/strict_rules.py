"""What a provider refuses: the rules of the Responses API and of Chat Completions for a conversation with tool calls."""

from __future__ import annotations

import json
import re
from typing import Any

NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
ISSUED = "strict-reasoning:"
"""Encrypted reasoning of this server begins so; anything else is foreign."""


class Illegal(ValueError):
    """The request breaks a rule; the text is what the provider would answer."""


def _require(condition: object, message: str) -> None:
    if not condition:
        raise Illegal(message)


def check_text(raw: bytes) -> dict[str, Any]:
    """The body as an object: UTF-8, JSON, no lone surrogate, no NUL.

    Raises:
        Illegal: it is not.
    """
    try:
        body = json.loads(raw.decode("utf-8"))
        json.dumps(body, ensure_ascii=False).encode("utf-8")
    except ValueError as error:
        raise Illegal(f"We could not parse the JSON body of your request: {error}") from error
    _require(isinstance(body, dict), "The body must be an object.")
    _require(not _holds_nul(body), "NUL in the body.")
    return dict(body)


def _holds_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(each) for pair in value.items() for each in pair)
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\x00" in value


def check_responses(body: dict[str, Any]) -> None:
    """Refuse what /v1/responses refuses.

    Raises:
        Illegal: with the provider's kind of message.
    """
    _require(isinstance(body.get("model"), str) and body["model"], "Missing required parameter: 'model'.")
    items = body.get("input")
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    _require(isinstance(items, list) and items, "Missing required parameter: 'input'.")
    _check_tools([(tool.get("name"), tool.get("parameters")) for tool in body.get("tools") or ()])
    assert isinstance(items, list)
    open_calls: list[str] = []
    seen: set[str] = set()
    for number, item in enumerate(items):
        kind = item.get("type", "message")
        if kind in ("function_call", "custom_tool_call"):
            _check_call(item, kind, seen)
            open_calls.append(item["call_id"])
        elif kind in ("function_call_output", "custom_tool_call_output"):
            call = item.get("call_id")
            _require(call in seen, f"No tool call found for function call output with call_id {call}.")
            _require(call in open_calls, f"Duplicate output for call_id {call}.")
            _require(open_calls[0] == call, f"Output of {call} is out of order: {open_calls[0]} comes first.")
            open_calls.pop(0)
            _require(item.get("output") not in (None, "", []), f"Empty output for {call}.")
        elif kind == "reasoning":
            _require(not open_calls, "A reasoning item stands between a call and its output.")
            _check_reasoning(item, items[number + 1 :])
        elif kind == "message":
            _require(not open_calls, f"No tool output found for function call {', '.join(open_calls)}.")
            _check_message(item)
        else:
            raise Illegal(f"Invalid value: '{kind}' as the type of input[{number}].")
    _require(not open_calls, f"No tool output found for function call {', '.join(open_calls)}.")


def _check_call(item: dict[str, Any], kind: str, seen: set[str]) -> None:
    call = item.get("call_id")
    _require(isinstance(call, str) and 0 < len(call) <= 64, f"Invalid call_id {call!r}.")
    _require(call not in seen, f"Duplicate call_id {call}.")
    _require(NAME.match(str(item.get("name"))), f"Invalid tool name {item.get('name')!r}.")
    if kind == "function_call":
        _require(isinstance(item.get("arguments"), str), "arguments must be a string.")
        _parsed(item["arguments"])
    else:
        _require(isinstance(item.get("input"), str), "input must be a string.")
    seen.add(str(call))


def _parsed(text: str) -> None:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise Illegal(f"arguments are no JSON: {error}") from error
    _require(isinstance(value, dict), "arguments must be an object.")


def _check_reasoning(item: dict[str, Any], following: list[dict[str, Any]]) -> None:
    secret = str(item.get("encrypted_content") or "")
    _require(secret.startswith(ISSUED), f"The encrypted content {secret[:12]}... could not be verified.")
    rest = [other for other in following if other.get("type") != "reasoning"]
    follower = rest[0] if rest else {}
    said = follower.get("type", "message") == "message" and follower.get("role") == "assistant"
    _require(
        said or follower.get("type") in ("function_call", "custom_tool_call"),
        "Item of type 'reasoning' was provided without its required following item.",
    )


def _check_message(item: dict[str, Any]) -> None:
    role = item.get("role")
    _require(role in ("user", "assistant", "system", "developer"), f"Invalid role {role!r}.")
    content = item.get("content")
    if isinstance(content, str):
        _require(content.strip(), f"Empty content in a message of {role}.")
        return
    _require(isinstance(content, list) and content, f"Empty content in a message of {role}.")
    allowed = {"output_text", "refusal"} if role == "assistant" else {"input_text", "input_image", "input_file"}
    for part in content or ():
        _require(part.get("type") in allowed, f"Invalid value: '{part.get('type')}' in a message of {role}.")
        if "text" in part["type"]:
            _require(str(part.get("text", "")).strip(), f"Empty text in a message of {role}.")


def _check_tools(tools: list[tuple[Any, Any]]) -> None:
    names = [name for name, _ in tools]
    _require(len(set(names)) == len(names), "Tool names must be unique.")
    for name, parameters in tools:
        _require(NAME.match(str(name)), f"Invalid tool name {name!r}.")
        _require(isinstance(parameters, dict) and parameters.get("type") == "object", f"Schema of {name} is no object.")


def check_chat(body: dict[str, Any]) -> None:
    """Refuse what /v1/chat/completions refuses.

    Raises:
        Illegal: with the provider's kind of message.
    """
    _require(isinstance(body.get("model"), str) and body["model"], "you must provide a model parameter")
    messages = body.get("messages")
    _require(isinstance(messages, list) and messages, "[] is too short - 'messages'")
    functions = [tool.get("function", {}) for tool in body.get("tools") or ()]
    _check_tools([(function.get("name"), function.get("parameters")) for function in functions])
    waiting: list[str] = []
    seen: set[str] = set()
    for number, message in enumerate(messages or ()):
        role = message.get("role")
        if role == "tool":
            call = message.get("tool_call_id")
            _require(waiting, "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.")
            _require(call == waiting[0], f"tool message {call} is out of order, {waiting[0]} was expected.")
            waiting.pop(0)
            _require(message.get("content"), f"Empty content for tool_call_id {call}.")
            continue
        _require(
            not waiting,
            f"An assistant message with 'tool_calls' must be followed by tool messages: {', '.join(waiting)}",
        )
        _require(role in ("system", "developer", "user", "assistant"), f"messages[{number}]: invalid role {role!r}.")
        calls = message.get("tool_calls") or []
        _require(role == "assistant" or not calls, "Only assistant messages hold tool_calls.")
        for call in calls:
            _check_chat_call(call, seen)
        waiting = [call["id"] for call in calls]
        _require(calls or _has_text(message.get("content")), f"messages[{number}]: empty content.")
        _require("reasoning_content" not in message, "Foreign reasoning in a message.")
    _require(not waiting, f"tool_call_ids did not have response messages: {', '.join(waiting)}")


def _check_chat_call(call: dict[str, Any], seen: set[str]) -> None:
    _require(call.get("type") == "function" and call.get("id") not in seen, f"Bad tool call {call.get('id')}.")
    _require(len(str(call["id"])) <= 64, f"tool call id too long: {call['id']}")
    seen.add(call["id"])
    _require(NAME.match(str(call["function"].get("name"))), f"Invalid function name {call['function'].get('name')!r}.")
    _parsed(call["function"].get("arguments", ""))


def _has_text(content: Any) -> bool:
    if isinstance(content, list):
        return bool(content) and all(
            part.get("type") != "text" or str(part.get("text", "")).strip() for part in content
        )
    return isinstance(content, str) and bool(content.strip())
