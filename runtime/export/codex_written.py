"""A Codex rollout written from neutral messages: for sessions of another client and for live ones.

Fields and their necessity: measured against Codex CLI 0.171.0 (see docs/decisions on exports). The items are what
the model gets; the events beside them are what the client's list and screen read, and what its rollback counts turns
by.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from ...events.times import to_iso
from ..spoken import Spoken
from .codex_items import ItemWriter
from .transcript import Json, Losses, line_of

PLAN_TOOL = "update_plan"


class RolloutWriter:
    """Collects lines; every line gets the time of what it tells, never earlier than the line before."""

    def __init__(self, session_id: str, started_us: int, losses: Losses, *, keep_reasoning: bool) -> None:
        self.lines: list[bytes] = []
        self._session_id = session_id
        self._now_us = started_us
        self._items = ItemWriter(losses, keep_reasoning=keep_reasoning)
        self._turn: str | None = None
        self._turns = 0
        self._last_text: str | None = None

    def meta(self, cwd: str, version: str, **more: Any) -> None:
        """The first line; without a `model_provider`, so that any provider may resume it."""
        payload: Json = {
            "id": self._session_id,
            "timestamp": self._time(),
            "cwd": cwd,
            "originator": "rehydrate",
            "cli_version": version,
            "source": "cli",
            **{name: value for name, value in more.items() if value is not None},
        }
        self._line("session_meta", payload)

    def messages(self, messages: Sequence[Spoken]) -> None:
        """All messages, as turns: a person's input starts one, the last one is closed."""
        for number, message in enumerate(messages):
            self._at(message.ts)
            if message.origin == "summary" and number == 0:
                self._compacted(message)
                continue
            if _is_prompt(message):
                self._end_turn()
                self._start_turn()
            self._message(message)
        self._end_turn()

    def plan(self, items: Sequence[Json], explanation: str | None = None) -> list[Json]:
        """A call of the plan tool and its answer: the todo list as it stands."""
        import json

        call_id = f"call_{uuid.uuid5(uuid.UUID(self._session_id), 'plan').hex[:24]}"
        plan = [{"step": item["content"], "status": item["status"]} for item in items]
        arguments: Json = {"plan": plan}
        if explanation:
            arguments["explanation"] = explanation
        text = json.dumps(arguments, ensure_ascii=False)
        call = {"type": "function_call", "name": PLAN_TOOL, "arguments": text, "call_id": call_id}
        return [call, {"type": "function_call_output", "call_id": call_id, "output": "Plan updated"}]

    def items(self, items: Sequence[Json]) -> None:
        for item in items:
            self._line("response_item", item)

    def _message(self, message: Spoken) -> None:
        for item in self._items.items(message):
            self._line("response_item", item)
            if item["type"] == "message" and item["role"] == "assistant":
                self._last_text = _text(item)
                self._event("agent_message", message=self._last_text)
            elif item["type"] == "message" and item["role"] == "user" and _is_prompt(message):
                self._event("user_message", message=_text(item), images=[], local_images=[], text_elements=[])

    def _compacted(self, message: Spoken) -> None:
        """A summary at the head: the checkpoint that Codex itself would have left."""
        (item,) = self._items.items(message)
        self._line("compacted", {"message": message.text, "replacement_history": [item]})

    def _start_turn(self) -> None:
        self._turns += 1
        self._turn = str(uuid.uuid5(uuid.UUID(self._session_id), f"turn {self._turns}"))
        self._event("task_started", turn_id=self._turn, model_context_window=None)

    def _end_turn(self) -> None:
        if self._turn is not None:
            self._event("task_complete", turn_id=self._turn, last_agent_message=self._last_text)
        self._turn = self._last_text = None

    def _event(self, kind: str, **payload: Any) -> None:
        self._line("event_msg", {"type": kind, **payload})

    def _line(self, kind: str, payload: Json) -> None:
        self.lines.append(line_of({"timestamp": self._time(), "type": kind, "payload": payload}))

    def _at(self, ts: int | None) -> None:
        self._now_us = max(self._now_us, ts or 0)

    def _time(self) -> str:
        text = to_iso(self._now_us)
        assert text is not None
        return text[:23] + "Z"


def _is_prompt(message: Spoken) -> bool:
    return message.role == "user" and message.origin in {"human", "queued", "command"} and not message.only_results


def _text(item: Json) -> str:
    return "\n".join(part["text"] for part in item["content"] if part.get("text") is not None)
