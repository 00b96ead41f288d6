"""Tree nodes out of event envelopes, one event at a time, so that a fold can keep them as plain JSON rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..events.event import Event
from .tree import BranchPointer, Node


class NodeCollector:
    """Gathers nodes and branch pointers of one session; `order` is the position of a record's first event."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.pointers: list[BranchPointer] = []
        self.positions: list[list[int]] = []
        self._record: int | None = None

    def add(self, event: Event) -> None:
        """Take the next event in order of position."""
        if event.kind == "BranchChosen":
            self.pointers.append(BranchPointer(event.position, str(event.data.get("native_leaf"))))
            return
        if event.native_id is not None:
            self.nodes.append(
                Node(
                    order=event.position,
                    id=event.native_id,
                    parent=event.native_parent,
                    type=event.node or "unknown",
                    sidechain=event.lane is not None,
                    ts=event.ts,
                )
            )
            self.positions.append([event.position])
            self._record = event.record
        elif event.record is None or event.record != self._record or not self.nodes:
            return
        else:
            self.positions[-1].append(event.position)
        _learn(self.nodes[-1], event)

    def positions_of(self, nodes: Iterable[Node]) -> set[int]:
        """The positions of all events of these nodes' records."""
        by_order = {rows[0]: rows for rows in self.positions}
        by_id = {node.order: node for node in self.nodes}
        found: set[int] = set()
        for node in nodes:
            if node.order in by_id:
                found.update(by_order[node.order])
        return found


def _learn(node: Node, event: Event) -> None:
    data: dict[str, Any] = event.data
    if event.kind in ("AssistantMessage", "ToolUse"):
        node.message_id = node.message_id or data.get("response_id")
    if event.kind == "ToolUse":
        node.calls = (*node.calls, str(data.get("call_id")))
    elif event.kind == "ToolResult":
        node.results = (*node.results, str(data.get("call_id")))
    elif event.kind == "UserInput" and data.get("origin") == "summary":
        node.summary = True
    elif event.kind == "ContextCompact" and not data.get("micro"):
        node.cuts = True
        node.logical_parent = data.get("logical_parent")
        node.preserved = tuple(data.get("preserved") or ())
        segment = data.get("preserved_segment")
        node.segment = (segment[0], segment[1]) if segment else None
        node.anchor = data.get("anchor")


def collect(events: Iterable[Event]) -> NodeCollector:
    """The tree of a sequence of events."""
    found = NodeCollector()
    for event in events:
        found.add(event)
    return found
