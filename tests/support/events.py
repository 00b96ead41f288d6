"""Builders for event logs: a session told in a few calls, as drafts or in a store."""

from __future__ import annotations

from typing import Any, Self

from rehydrate.events.event import Draft
from rehydrate.events.store import EventStore

START_US = 1_767_225_600_000_000
STEP_US = 1_000_000


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "text": content}


class Log:
    """A session in the making; every method appends drafts and returns the log."""

    def __init__(self, source: str = "live", cwd: str | None = None, **started: Any) -> None:
        self.drafts: list[Draft] = []
        self._us = START_US
        data = {"source": source, **started}
        if cwd is not None:
            data["cwd"] = cwd
        self.add("SessionStarted", **data)

    def add(self, kind: str, /, *, lane: str | None = None, native: str | None = None, **data: Any) -> Self:
        self._us += STEP_US
        self.drafts.append(Draft(kind, data, ts=self._us, lane=lane, native_id=native))
        return self

    def user(self, words: str, **more: Any) -> Self:
        return self.add("UserInput", content=[text(words)], preview=words[:200], starts_turn=True, **more)

    def meta(self, words: str, origin: str = "meta") -> Self:
        return self.add("UserInput", content=[text(words)], origin=origin, preview=words[:200])

    def says(self, words: str, response: str | None = None, model: str = "claude-test-1", **more: Any) -> Self:
        return self.reply([text(words)], response, model, **more)

    def reply(self, blocks: list[Any], response: str | None = None, model: str = "claude-test-1", **more: Any) -> Self:
        named = {} if response is None else {"response_id": response}
        return self.add("AssistantMessage", blocks=blocks, model=model, **named, **more)

    def thinks(self, words: str, signature: str | None, response: str | None = None, **more: Any) -> Self:
        block: dict[str, Any] = {"type": "thinking", "thinking": words}
        if signature is not None:
            block["signature"] = signature
        return self.reply([block], response, **more)

    def call(self, call_id: str, name: str = "Bash", response: str | None = None, **arguments: Any) -> Self:
        named = {} if response is None else {"response_id": response}
        return self.add("ToolUse", call_id=call_id, name=name, arguments=arguments, model="claude-test-1", **named)

    def result(self, call_id: str, content: Any = "ok", **more: Any) -> Self:
        return self.add("ToolResult", call_id=call_id, content=content, **more)

    def cost(self, response: str | None = None, model: str = "claude-test-1", **numbers: Any) -> Self:
        named = {} if response is None else {"response_id": response}
        return self.add("Cost", model=model, **named, **numbers)

    def todos(self, *items: tuple[str, str]) -> Self:
        listed = [{"id": str(n), "content": content, "status": status} for n, (content, status) in enumerate(items, 1)]
        return self.add("TodoSnapshot", items=listed)

    def compact(self, summary: str, **more: Any) -> Self:
        return self.add("ContextCompact", summary=summary, **more)

    def rewind(self, position: int, scope: str = "conversation") -> Self:
        return self.add("Rewound", to_position=position, scope=scope)

    @property
    def head(self) -> int:
        return len(self.drafts)

    def store_in(self, store: EventStore, session_id: str = "s", source: str = "live") -> EventStore:
        """Create the session and append everything; returns the store."""
        store.create_session(session_id, source=source)
        store.append(session_id, self.drafts)
        return store


class Tree:
    """Records of a Claude-style tree: each event is a record with its own id and parent."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = [Draft("SessionStarted", {"source": "claude-code"}, ts=START_US)]
        self._us = START_US

    def add(self, kind: str, node: str, name: str, parent: str | None, /, **data: Any) -> Self:
        self._us += STEP_US
        self.drafts.append(Draft(kind, data, ts=self._us, native_id=name, native_parent=parent, node=node))
        return self

    def user(self, name: str, parent: str | None, words: str | None = None) -> Self:
        words = words or name
        data = {"content": [text(words)], "preview": words, "starts_turn": True}
        return self.add("UserInput", "user", name, parent, **data)

    def says(self, name: str, parent: str, response: str | None = None) -> Self:
        data = {"blocks": [text(name)], "response_id": response or f"msg_{name}", "model": "claude-test-1"}
        return self.add("AssistantMessage", "assistant", name, parent, **data)

    def call(self, name: str, parent: str, call_id: str, response: str) -> Self:
        data = {"call_id": call_id, "name": "Bash", "arguments": {}, "response_id": response}
        return self.add("ToolUse", "assistant", name, parent, **data)

    def result(self, name: str, parent: str, call_id: str, content: str = "ok") -> Self:
        return self.add("ToolResult", "user", name, parent, call_id=call_id, content=content)

    def side(self, kind: str, /, **data: Any) -> Self:
        self._us += STEP_US
        self.drafts.append(Draft(kind, data, ts=self._us))
        return self

    @property
    def head(self) -> int:
        return len(self.drafts)

    def store_in(self, store: EventStore, session_id: str = "s") -> EventStore:
        store.create_session(session_id, source="claude-code")
        store.append(session_id, self.drafts)
        return store
