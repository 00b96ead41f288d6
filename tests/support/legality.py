"""What the providers publish about a legal conversation, as checks: written from their rules, not from our renderers.

Anthropic Messages API (2023-06-01), OpenAI Responses API and Chat Completions (2025). Each check returns what is wrong, as texts.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable
from typing import Any

ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")
ANTHROPIC_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
OPENAI_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
MEDIA = {"image/png", "image/jpeg", "image/gif", "image/webp"}


def _encodable(wire: Any) -> list[str]:
    try:
        json.dumps(wire, ensure_ascii=False).encode("utf-8")
    except (UnicodeEncodeError, TypeError, ValueError) as error:
        return [f"cannot be sent as JSON: {error}"]
    return ["holds NUL"] if _holds_nul(wire) else []


def _holds_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\x00" in value


def anthropic_faults(messages: list[dict[str, Any]]) -> list[str]:
    """Faults of a `messages` list of Anthropic's Messages API."""
    faults = _encodable(messages)
    if messages and messages[0]["role"] != "user":
        faults.append("first message is not from the user")
    used: set[str] = set()
    open_calls: list[str] = []
    before: str | None = None
    for number, message in enumerate(messages):
        place = f"messages[{number}]"
        role, content = message["role"], message["content"]
        if role not in ("user", "assistant"):
            faults.append(f"{place}: role {role}")
        if role == before:
            faults.append(f"{place}: roles do not alternate")
        before = role
        if not isinstance(content, list) or not content:
            faults.append(f"{place}: empty content")
            continue
        faults += _anthropic_results(place, role, content, open_calls)
        open_calls = []
        for block in content:
            faults += _anthropic_block(place, role, block)
            if block["type"] == "tool_use":
                if block["id"] in used:
                    faults.append(f"{place}: call id {block['id']} used twice")
                used.add(block["id"])
                open_calls.append(block["id"])
        if role == "assistant" and content[-1]["type"] in ("thinking", "redacted_thinking"):
            faults.append(f"{place}: ends in thinking")
    if open_calls:
        faults.append(f"calls without result at the end: {open_calls}")
    return faults


def _anthropic_results(place: str, role: str, content: list[dict[str, Any]], open_calls: list[str]) -> list[str]:
    faults: list[str] = []
    answered = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
    if sorted(answered) != sorted(open_calls):
        faults.append(f"{place}: results {answered} for calls {open_calls}")
    elif answered != open_calls:
        faults.append(f"{place}: results are not in call order")
    if role == "assistant" and answered:
        faults.append(f"{place}: a result in a reply")
    first = [block["type"] == "tool_result" for block in content]
    if first != sorted(first, reverse=True):
        faults.append(f"{place}: something stands before a result")
    return faults


def _anthropic_block(place: str, role: str, block: dict[str, Any]) -> list[str]:
    kind = block["type"]
    if kind == "text":
        return [] if isinstance(block["text"], str) and block["text"].strip() else [f"{place}: empty text"]
    if kind == "thinking":
        legal = role == "assistant" and str(block.get("thinking", "")).strip() and block.get("signature")
        return [] if legal else [f"{place}: thinking without text or signature"]
    if kind == "redacted_thinking":
        return [] if role == "assistant" and block.get("data") else [f"{place}: redacted thinking without data"]
    if kind == "tool_use":
        legal = role == "assistant" and isinstance(block["input"], dict)
        legal = legal and ANTHROPIC_ID.fullmatch(block["id"]) and ANTHROPIC_NAME.fullmatch(block["name"])
        return [] if legal else [f"{place}: bad call {block['id']} {block['name']}"]
    if kind == "tool_result":
        return _anthropic_result(place, block)
    if kind == "image":
        return _anthropic_image(place, block)
    return [] if kind == "document" and role == "user" else [f"{place}: block {kind} of {role}"]


def _anthropic_result(place: str, block: dict[str, Any]) -> list[str]:
    content = block.get("content", "")
    if isinstance(content, str):
        return [] if content or not block.get("is_error") else [f"{place}: error result without content"]
    faults: list[str] = []
    for part in content:
        if part["type"] not in ("text", "image", "document"):
            faults.append(f"{place}: {part['type']} in a result")
        else:
            faults += _anthropic_block(place, "user", part)
    return faults


def _anthropic_image(place: str, block: dict[str, Any]) -> list[str]:
    source = block["source"]
    if source["type"] == "url":
        return [] if source["url"].startswith("http") else [f"{place}: image url {source['url'][:40]}"]
    faults = [] if source["media_type"] in MEDIA else [f"{place}: media type {source['media_type']}"]
    try:
        base64.b64decode(source["data"], validate=True)
    except (binascii.Error, ValueError):
        faults.append(f"{place}: image is no base64")
    if not source["data"] or len(source["data"]) > 5 * 1024 * 1024:
        faults.append(f"{place}: image of {len(source['data'])} bytes")
    return faults


CALLS = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}
PROVIDER_ITEMS = {"web_search_call", "image_generation_call", "compaction", "compaction_summary", "context_compaction"}


def responses_faults(items: list[dict[str, Any]]) -> list[str]:
    """Faults of an `input` list of OpenAI's Responses API."""
    faults = _encodable(items)
    used: set[str] = set()
    waiting: dict[str, str] = {}
    for number, item in enumerate(items):
        place = f"input[{number}]"
        kind = item.get("type", "message")
        if kind in CALLS:
            faults += _openai_call(place, item, used)
            waiting[item["call_id"]] = CALLS[kind]
        elif kind in CALLS.values():
            if waiting.pop(item["call_id"], None) != kind:
                faults.append(f"{place}: output {item['call_id']} without its call")
            if not isinstance(item["output"], str | list):
                faults.append(f"{place}: output is neither text nor list")
        elif kind == "reasoning":
            after = next((other for other in items[number + 1 :] if other.get("type") != "reasoning"), None)
            follows = after is not None and (
                after.get("role") == "assistant" or after.get("type") in {*CALLS, *PROVIDER_ITEMS}
            )
            if not follows:
                faults.append(f"{place}: reasoning without what follows it")
            if not item.get("encrypted_content"):
                faults.append(f"{place}: reasoning without encrypted content")
        elif kind == "message":
            faults += [f"{place}: calls without output: {sorted(waiting)}"] if waiting else []
            faults += _responses_message(place, item)
        elif kind not in PROVIDER_ITEMS | {"tool_search_call", "tool_search_output"}:
            faults.append(f"{place}: item {kind}")
    return [*faults, f"calls without output: {sorted(waiting)}"] if waiting else faults


def _openai_call(place: str, item: dict[str, Any], used: set[str]) -> list[str]:
    faults = [] if OPENAI_NAME.fullmatch(item["name"]) else [f"{place}: tool name {item['name']}"]
    call_id = item["call_id"]
    if not 0 < len(call_id) <= 64 or call_id in used:
        faults.append(f"{place}: call id {call_id}")
    used.add(call_id)
    text = item.get("arguments", item.get("input"))
    if not isinstance(text, str):
        faults.append(f"{place}: arguments are no text")
    elif "arguments" in item and not isinstance(json.loads(text), dict):
        faults.append(f"{place}: arguments are no object")
    return faults


def _responses_message(place: str, item: dict[str, Any]) -> list[str]:
    role, content = item["role"], item["content"]
    faults = [] if role in ("user", "assistant", "system", "developer") else [f"{place}: role {role}"]
    allowed = {"output_text", "refusal"} if role == "assistant" else {"input_text", "input_image", "input_file"}
    if not content:
        faults.append(f"{place}: empty content")
    for part in content:
        if part["type"] not in allowed:
            faults.append(f"{place}: {part['type']} of {role}")
        if part["type"].endswith("_text") and not part["text"].strip():
            faults.append(f"{place}: empty text")
    return faults


def chat_faults(messages: list[dict[str, Any]]) -> list[str]:
    """Faults of a `messages` list of Chat Completions."""
    faults = _encodable(messages)
    used: set[str] = set()
    waiting: list[str] = []
    for number, message in enumerate(messages):
        place = f"messages[{number}]"
        role = message["role"]
        if role == "tool":
            if not waiting or message["tool_call_id"] != waiting.pop(0):
                faults.append(f"{place}: tool message {message['tool_call_id']} out of order")
            faults += [] if message["content"] else [f"{place}: empty tool message"]
            continue
        if waiting:
            faults.append(f"{place}: calls without tool message: {waiting}")
        waiting = []
        for call in message.get("tool_calls", ()):
            named = {"call_id": call["id"], **call["function"]}
            faults += _openai_call(place, named, used)
            waiting.append(call["id"])
        if role == "assistant" and not waiting and not message["content"]:
            faults.append(f"{place}: empty reply")
        if role != "assistant" and not message["content"]:
            faults.append(f"{place}: empty content")
        if role not in ("system", "developer", "user", "assistant"):
            faults.append(f"{place}: role {role}")
    return [*faults, f"calls without tool message: {waiting}"] if waiting else faults


def faults(runtime: Any, model: str | None = None) -> dict[str, list[str]]:
    """The faults of all three renderings of a restored runtime; empty when all are legal."""
    checks: dict[str, tuple[Callable[..., Any], Callable[[Any], list[str]]]] = {
        "anthropic": (runtime.to_anthropic, anthropic_faults),
        "responses": (runtime.to_responses, responses_faults),
        "chat": (runtime.to_chat, chat_faults),
    }
    found = {form: check(render(model=model)) for form, (render, check) in checks.items()}
    return {form: wrong for form, wrong in found.items() if wrong}
