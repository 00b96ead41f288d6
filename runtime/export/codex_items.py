"""Neutral messages as the items of OpenAI's Responses API, in the form that Codex CLI 0.171 keeps in its files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..spoken import Block, Spoken
from .transcript import Json, Losses, list_of, object_of

OPENAI = frozenset({"codex", "openai", "live"})
"""Whose encrypted reasoning a Codex session can go on with."""


class ItemWriter:
    """Turns messages into items, one message at a time. `keep_reasoning`: the thinking comes from a provider of the
    same kind."""

    def __init__(self, losses: Losses, *, keep_reasoning: bool) -> None:
        self._losses = losses
        self._keep_reasoning = keep_reasoning
        self._types: dict[str, str] = {}

    def items(self, message: Spoken) -> list[Json]:
        """The items of one message: a reply gives its texts, thinking and calls in order; results come before
        texts."""
        if message.role == "assistant":
            return list(self._reply(message))
        results = [self._output(block) for block in message.of_type("tool_result")]
        content = [self._part(block) for block in message.blocks if block.get("type") != "tool_result"]
        role = "developer" if message.role == "system" else message.role
        return [*results, *([self._message(role, content)] if content else [])]

    def _reply(self, message: Spoken) -> Iterator[Json]:
        content: list[Json] = []
        for block in message.blocks:
            if block.get("type") == "text":
                content.append({"type": "output_text", "text": block.get("text") or ""})
                continue
            if content:
                yield self._message("assistant", content)
                content = []
            yield from self._special(block)
        if content:
            yield self._message("assistant", content)

    def _special(self, block: Block) -> Iterator[Json]:
        kind = block.get("type")
        if kind == "thinking":
            item = self._reasoning(block)
        elif kind == "tool_use":
            item = self._call(block)
        else:
            item = self._message("assistant", [self._unknown(block, "output_text")])
        if item is not None:
            yield item

    @staticmethod
    def _message(role: str, content: list[Json]) -> Json:
        return {"type": "message", "role": role, "content": content}

    def _reasoning(self, block: Block) -> Json | None:
        if not self._keep_reasoning or not block.get("signature"):
            self._losses.add("thinking-not-carried")
            return None
        text = block.get("thinking") or ""
        summary = [{"type": "summary_text", "text": text}] if text else []
        item: Json = {"type": "reasoning", "summary": summary, "encrypted_content": block["signature"]}
        return {**item, "id": block["item_id"]} if block.get("item_id") else item

    def _call(self, block: Block) -> Json | None:
        call_id, name, arguments = block["id"], block["name"], block.get("input")
        kind = block.get("call_type") or "function"
        if kind == "server" or block.get("answered"):
            self._losses.add("server-call-not-carried")
            return None
        self._types[call_id] = kind
        if kind == "custom":
            text = arguments if isinstance(arguments, str) else _json(arguments)
            return {"type": "custom_tool_call", "status": "completed", "call_id": call_id, "name": name, "input": text}
        if kind == "shell" and object_of(arguments).get("type") == "exec":
            return {"type": "local_shell_call", "call_id": call_id, "status": "completed", "action": arguments}
        if kind == "search":
            return {"type": "tool_search_call", "call_id": call_id, "status": "completed", "execution": "client",
                    "arguments": arguments or {}}  # fmt: skip
        text = arguments if isinstance(arguments, str) else _json(arguments if arguments is not None else {})
        return {"type": "function_call", "name": name, "arguments": text, "call_id": call_id}

    def _output(self, block: Block) -> Json:
        call_id = block["tool_use_id"]
        kind = self._types.get(call_id, "function")
        if block.get("is_error") and not block.get("synthesized"):
            self._losses.add("error-flag-not-carried")
        if kind == "search":
            return {"type": "tool_search_output", "call_id": call_id, "status": "completed", "execution": "client",
                    "tools": []}  # fmt: skip
        content = block.get("content")
        output: Any = content if isinstance(content, str) else [self._part(part) for part in list_of(content)]
        if len(list_of(output)) == 1 and output[0]["type"] == "input_text":
            output = output[0]["text"]
        type_ = "custom_tool_call_output" if kind == "custom" else "function_call_output"
        return {"type": type_, "call_id": call_id, "output": output or ""}

    def _part(self, block: Block) -> Json:
        """A piece of content: text or image; anything else becomes a line that says what was there."""
        kind = block.get("type")
        if kind == "text":
            return {"type": "input_text", "text": block.get("text") or ""}
        if kind == "image" and block.get("data"):
            media = block.get("media_type") or "image/png"
            return {"type": "input_image", "image_url": f"data:{media};base64,{block['data']}"}
        if kind == "image" and block.get("url"):
            return {"type": "input_image", "image_url": block["url"]}
        if kind == "document" and block.get("text"):
            return {"type": "input_text", "text": block["text"]}
        return self._unknown(block, "input_text")

    def _unknown(self, block: Block, type_: str) -> Json:
        self._losses.add("block-not-carried")
        what = block.get("native_type") or block.get("type") or "block"
        title = f" {block['title']}" if block.get("title") else ""
        return {"type": type_, "text": f"[{what}{title} not carried over]"}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
