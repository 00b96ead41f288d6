"""A session for the OpenAI Agents SDK (protocol `agents.memory.Session` of 0.24) whose items are events of ours.

The SDK runs the turns; this keeps them: append-only, forkable, with calls that were cut off answered before the model is asked.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...events.event import Event
from ...events.kinds import Fact, Notice, Repair, Repaired, Rewound, SessionStarted, ToolResult
from ...events.store import EventStore
from ...projections.fold import restore_states
from ...projections.path import Path as LivePath
from ..live.journal import Journal, new_id
from ..live.json_shapes import is_object
from ..live.lease import lease
from ..opened import StoreLike
from ..repair_calls import INTERRUPTED
from .sdk_items import fact_of, plain_item

Item = dict[str, Any]
RAW = "agents-sdk-item"
"""Notice that holds an item as the SDK gave it, right before the event that says the same in our words."""

CODE = "SESSION_RESUME_INTERRUPTED"


class RehydrateSession:
    """Implements `get_items`, `add_items`, `pop_item`, `clear_session` and `session_id`.

    session_id: None makes a new one. An imported or live session can be gone on with as well: its context comes first.
    repair: answer calls that were cut off, once, so that the next request is legal. `pop_item` and `clear_session` go back by an
    event; nothing is destroyed. Needs no import of the SDK.
    """

    session_settings: Any = None

    def __init__(
        self,
        session_id: str | None = None,
        *,
        store: StoreLike = None,
        project: str | Path | None = None,
        repair: bool = True,
    ) -> None:
        self.session_id = session_id or new_id()
        self._owned = not isinstance(store, EventStore)
        self._store = store if isinstance(store, EventStore) else EventStore(store)
        self._project = None if project is None else str(Path(project).resolve())
        self._repair = repair
        self._guard = threading.Lock()

    async def get_items(self, limit: int | None = None, **_: Any) -> list[Item]:
        """The newest `limit` items (None: all) in order."""
        items = await asyncio.to_thread(self._items)
        if limit is None:
            return items
        return items[-limit:] if limit > 0 else []

    async def add_items(self, items: list[Any], **_: Any) -> None:
        """Append items, all or none."""
        if items:
            await asyncio.to_thread(self._add, [plain_item(item) for item in items])

    async def pop_item(self, **_: Any) -> Item | None:
        """Go back behind the newest item and return it; None when there is none."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self, **_: Any) -> None:
        """Go back to before the first item."""
        await asyncio.to_thread(self._clear)

    def close(self) -> None:
        """Close the store, unless it is the caller's own."""
        if self._owned:
            self._store.close()

    def _exists(self) -> bool:
        return self._store.find_session(self.session_id) is not None

    def _live(self) -> tuple[LivePath, int]:
        folded = restore_states(self._store, self.session_id)
        return folded.path, folded.position

    def _raw(self, path: LivePath) -> Iterator[tuple[int, Item]]:
        """Items of the SDK on the live path, each with the position of its notice."""
        for event in self._store.read(self.session_id, kinds=["Notice"]):
            if event.data["subtype"] == RAW and path.live(event.position):
                yield event.position, self._value(event)

    def _value(self, event: Event) -> Item:
        value = self._store.hydrate([event])[0].data["value"]
        assert is_object(value)
        return value

    def _items(self) -> list[Item]:
        if not self._exists():
            return []
        path, _ = self._live()
        raw = list(self._raw(path))
        first = raw[0][0] if raw else None
        items = [*self._before(first), *(item for _, item in raw)]
        return _answered(items) if self._repair else items

    def _before(self, first: int | None) -> list[Item]:
        """The context that the session had before the SDK's first item, as the provider takes it."""
        from ..render_responses import response_items
        from ..resume import resume_session

        runtime = resume_session(self.session_id, store=self._store, check_workspace=False)
        positions = ((int(message.pointer.rpartition("@")[2]), message) for message in runtime.messages)
        earlier = [message for position, message in positions if first is None or position < first]
        return response_items(earlier, source=runtime.session.source, model=runtime.agent.model, provider=None)

    def _add(self, items: list[Item]) -> None:
        with self._guard:
            if not self._exists():
                self._begin()
            with lease(self._store, self.session_id) as held:
                folded = restore_states(self._store, self.session_id)
                tip = folded.path.leaf if folded.path.tree else None
                journal = Journal(self._store, self.session_id, folded.position, token=held.token, tip=tip)
                journal.append(*self._closing(items), *(fact for item in items for fact in _facts(item)))

    def _begin(self) -> None:
        self._store.create_session(self.session_id, source="live")
        started = SessionStarted(source="live", client="openai-agents", cwd=self._project)
        Journal(self._store, self.session_id, 0).append(started)

    def _closing(self, coming: list[Item]) -> list[Fact]:
        """Results for calls that were cut off and that the coming items do not answer."""
        if not self._repair:
            return []
        path, _ = self._live()
        items = [item for _, item in self._raw(path)]
        answered = {item.get("call_id") for item in [*items, *coming] if str(item.get("type")).endswith("_output")}
        calls = [item for item in items if item.get("type") == "function_call" and item.get("call_id") not in answered]
        facts: list[Fact] = []
        for call in calls:
            facts += _facts(_interrupted(call), synthesized=True)
        if calls:
            repairs = tuple(Repair(code=CODE, call_id=str(call["call_id"]), text=INTERRUPTED) for call in calls)
            facts.append(Repaired(repairs=repairs))
        return facts

    def _pop(self) -> Item | None:
        with self._guard:
            if not self._exists():
                return None
            path, _ = self._live()
            raw = list(self._raw(path))
            if not raw:
                return None
            position, item = raw[-1]
            self._back_to(position - 1)
            return item

    def _clear(self) -> None:
        with self._guard:
            if not self._exists():
                return
            first = next(self._store.read(self.session_id, kinds=["SessionStarted"]), None)
            self._back_to(first.position if first is not None else 1)

    def _back_to(self, position: int) -> None:
        with lease(self._store, self.session_id) as held:
            head = self._store.session(self.session_id).head
            journal = Journal(self._store, self.session_id, head, token=held.token)
            journal.append(Rewound(to_position=position, scope="conversation"))


def _facts(item: Item, *, synthesized: bool = False) -> list[Fact]:
    fact = fact_of(item)
    if isinstance(fact, ToolResult) and synthesized:
        fact = fact.model_copy(update={"synthesized": True, "is_error": True})
    raw = Notice(subtype=RAW, value=item)
    return [raw] if fact is None else [raw, fact]


def _interrupted(call: Item) -> Item:
    return {"type": "function_call_output", "call_id": call["call_id"], "output": INTERRUPTED}


def _answered(items: list[Item]) -> list[Item]:
    """The items with an interrupted result behind each function call that has none."""
    results = {item.get("call_id") for item in items if str(item.get("type")).endswith("_output")}
    made: list[Item] = []
    for item in items:
        made.append(item)
        if item.get("type") == "function_call" and item.get("call_id") not in results:
            made.append(_interrupted(item))
    return made
