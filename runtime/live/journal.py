"""How a live session writes: in order, under its lease, and so that the events continue the path of the source they came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...events.errors import PositionConflict
from ...events.event import Draft, Event, NodeType
from ...events.kinds import (
    AssistantMessage,
    Fact,
    ToolResult,
    ToolUse,
    UserInput,
)
from ...events.references import clean
from ...events.store import EventStore
from ...events.times import now_us
from .json_shapes import is_list, is_object

NODES: dict[type[Fact], NodeType] = {
    UserInput: "user",
    AssistantMessage: "assistant",
    ToolUse: "assistant",
    ToolResult: "user",
}
ALLOWED_BESIDE = frozenset(
    {"SessionLabel", "Notice", "ApprovalResolved", "Subagent", "ToolResult", "WorkspaceObserved"}
)
"""What others may append while we hold the lease: what a person says about the session, and answers to waiting calls."""


class Journal:
    """Appends facts at the end of one session and tells its listeners of every event, its own and those of others.

    token: the fencing token of the lease, None for single facts that need no lease.
    tip: native id of the last message when the source of the session orders its messages as a tree; live messages then
    get native ids and parents too, so that they continue that branch.
    """

    def __init__(
        self, store: EventStore, session_id: str, head: int, *, token: int | None = None, tip: str | None = None
    ) -> None:
        self.store = store
        self.session_id = session_id
        self.head = head
        self.tip = tip
        self._token = token
        self._listeners: list[Callable[[Sequence[Event]], None]] = []

    def listen(self, listener: Callable[[Sequence[Event]], None]) -> None:
        self._listeners.append(listener)

    def append(self, *facts: Fact) -> list[Event]:
        """Append all of them or none; when it returns they are durable.

        Raises:
            LeaseConflict: the session was taken over. PositionConflict: somebody appended what we cannot go on from.
            DiskFull, DatabaseBusy: nothing was written.
        """
        if not facts:
            return []
        while True:
            drafts, tip = self._drafts(facts)
            try:
                events = self.store.append(self.session_id, drafts, self.head, token=self._token)
                break
            except PositionConflict as conflict:
                self.catch_up(conflict)
        self.tip = tip
        self._take(events)
        return events

    def catch_up(self, conflict: PositionConflict | None = None) -> None:
        """Take in what others appended.

        Raises:
            PositionConflict: it changes the conversation.
        """
        others = list(self.store.read(self.session_id, after=self.head))
        foreign = next((event for event in others if event.kind not in ALLOWED_BESIDE), None)
        if conflict is not None and (foreign is not None or not others):
            raise conflict
        self._take(others)

    def _take(self, events: Sequence[Event]) -> None:
        if events:
            self.head = events[-1].position
            if self.tip is not None:
                self.tip = next((event.native_id for event in reversed(events) if event.native_id), self.tip)
            for listener in self._listeners:
                listener(events)

    def _drafts(self, facts: Sequence[Fact]) -> tuple[list[Draft], str | None]:
        moment = now_us()
        tip = self.tip
        drafts: list[Draft] = []
        for fact in facts:
            envelope: dict[str, Any] = {}
            node = NODES.get(type(fact))
            if tip is not None and node is not None:
                envelope = {"native_id": new_id(), "native_parent": tip, "node": node}
                tip = envelope["native_id"]
            draft = Draft.of(fact, ts=moment, **envelope)
            drafts.append(
                Draft(draft.kind, cleaned(draft.data), ts=moment, schema_version=draft.schema_version, **envelope)
            )
        return drafts, tip


def cleaned(value: Any) -> Any:
    """JSON data without lone surrogates, which no UTF-8 store and no provider takes."""
    if isinstance(value, str):
        return clean(value)
    if is_object(value):
        return {clean(key): cleaned(each) for key, each in value.items()}
    if is_list(value):
        return [cleaned(each) for each in value]
    return value


def new_id() -> str:
    """A UUID (version 7)."""
    import uuid_utils

    return str(uuid_utils.uuid7())
