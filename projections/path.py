"""Which events count: the live path through rewinds, rollbacks and message trees, and the order in which the model sees them.

Three things take events off the path: our own `Rewound` (to a position), a source's rollbacks (by turns, `turns.py`) and, in
sessions with native parent links, not lying on the chosen branch (`tree.py`). Nothing is deleted by any of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..events.event import Event
from .tree import Branch, choose
from .tree_nodes import NodeCollector

Reader = Callable[[], Iterable[Event]]
"""Gives all events of the session up to the restored position, each time anew."""


@dataclass(slots=True)
class Ranges:
    """A set of positions as sorted, separate, inclusive ranges."""

    parts: list[list[int]] = field(default_factory=list[list[int]])

    @classmethod
    def of(cls, positions: Iterable[int]) -> Ranges:
        made = cls()
        for position in sorted(positions):
            if made.parts and position <= made.parts[-1][1] + 1:
                made.parts[-1][1] = max(made.parts[-1][1], position)
            else:
                made.parts.append([position, position])
        return made

    def __contains__(self, position: int) -> bool:
        at = bisect_right(self.parts, position, key=lambda part: part[0]) - 1
        return at >= 0 and position <= self.parts[at][1]

    def with_range(self, lo: int, hi: int) -> Ranges:
        """These positions and those from `lo` to `hi`."""
        if lo > hi:
            return self
        made = Ranges()
        for part in sorted([*self.parts, [lo, hi]]):
            if made.parts and part[0] <= made.parts[-1][1] + 1:
                made.parts[-1][1] = max(made.parts[-1][1], part[1])
            else:
                made.parts.append(list(part))
        return made


@dataclass(slots=True)
class Path:
    """dead: positions off the live path. retracted: those of them that the source itself took back.

    tree: whether native parent links choose the branch; `tips` are then the ids a clean continuation may hang off, `leaf` the
    last record, `ends` all leaves. order: positions in the order the model sees them, None where that is the order of position.
    """

    dead: Ranges = field(default_factory=Ranges)
    retracted: Ranges = field(default_factory=Ranges)
    tree: bool = False
    leaf: str | None = None
    tips: list[str] = field(default_factory=list[str])
    ends: list[str] = field(default_factory=list[str])
    remarks: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    record: int | None = None
    order: list[int] | None = None

    def live(self, position: int) -> bool:
        return position not in self.dead

    def as_json(self) -> dict[str, Any]:
        """What a snapshot keeps; `order` is left out, the conversation's state holds its outcome."""
        return {
            "dead": self.dead.parts,
            "retracted": self.retracted.parts,
            "tree": self.tree,
            "leaf": self.leaf,
            "tips": self.tips,
            "ends": self.ends,
            "remarks": self.remarks,
            "record": self.record,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Path:
        dead, retracted = Ranges(data["dead"]), Ranges(data["retracted"])
        return cls(**{**data, "dead": dead, "retracted": retracted})

    def extend(self, event: Event) -> bool:
        """Take the next event if it only continues the path; False when the path must be found anew."""
        if event.kind == "Rewound":
            return event.data.get("scope") == "files"
        if event.kind == "BranchChosen":
            return event.data.get("native_leaf") in self.tips
        if event.native_id is None or (event.node is None and not self.tree):
            return True
        if not self.tree:
            return False
        if event.lane is not None:
            return True
        if event.node == "unknown" or event.native_parent not in self.tips or event.native_id in self.tips:
            return False
        if event.node == "progress":
            self.tips.append(event.native_id)
            return True
        self.ends = [end for end in self.ends if end != self.leaf] + [event.native_id]
        self.leaf, self.tips = event.native_id, [event.native_id]
        self.record = event.record
        return True


def changes_the_past(event: Event) -> bool:
    """Whether a plain pass in order of position does not do: a rewind, or a tree."""
    return event.node is not None or (event.kind == "Rewound" and event.data.get("scope") != "files")


def find_path(read: Reader) -> Path:
    """The live path of the events that `read` gives."""
    collector = NodeCollector()
    rewinds: list[Event] = []
    tree = False
    others: list[int] = []
    nodes_seen: set[int] = set()
    for event in read():
        tree = tree or event.node is not None
        if event.kind == "Rewound" and event.data.get("scope") != "files":
            rewinds.append(event)
        collector.add(event)
        if tree and collector.positions and collector.positions[-1][-1] == event.position:
            nodes_seen.add(event.position)
        elif tree:
            others.append(event.position)
    dead = _rewound(rewinds)
    if not tree:
        return _linear(read, rewinds, dead)
    return _branch(collector, rewinds, dead, others)


def _rewound(rewinds: list[Event], at: int | None = None) -> Ranges:
    """What our own rewinds took off the path: each goes back to the path as it was at its target, earlier rewinds included."""
    last = None
    for event in rewinds:
        if event.data.get("to_position") is not None and (at is None or event.position <= at):
            last = event
    if last is None:
        return Ranges()
    target = int(last.data["to_position"])
    return _rewound(rewinds, min(target, last.position - 1)).with_range(target + 1, last.position - 1)


def _linear(read: Reader, rewinds: list[Event], dead: Ranges) -> Path:
    path = Path(dead=dead)
    live = [event for event in rewinds if event.position not in dead]
    if any(event.data.get("turns") for event in live):
        from .turns import dead_positions

        gone = dead_positions(event for event in read() if event.position not in dead)
        path.dead = Ranges.of({*gone, *_positions(dead)})
    ids = {native for event in live for native in event.data.get("retracted") or ()}
    if ids:
        taken = [event.position for event in read() if event.native_id in ids]
        path.retracted = Ranges.of(taken)
        path.dead = Ranges.of({*taken, *_positions(path.dead)})
    return path


def _positions(ranges: Ranges) -> Iterable[int]:
    for lo, hi in ranges.parts:
        yield from range(lo, hi + 1)


def _branch(collector: NodeCollector, rewinds: list[Event], rewound: Ranges, others: list[int]) -> Path:
    nodes = [node for node in collector.nodes if node.order not in rewound]
    all_positions = {rows[0]: rows for rows in collector.positions}
    sidechain = {node.order for node in nodes if node.sidechain}
    pointers = [pointer for pointer in collector.pointers if pointer.order not in rewound]
    branch = choose(nodes, pointers)
    retracted_ids = {
        native for event in rewinds if event.position not in rewound for native in event.data.get("retracted") or ()
    }
    retracted = {
        position for node in nodes if node.id in retracted_ids for position in all_positions.get(node.order, ())
    }
    live = collector.positions_of(branch.path) | collector.positions_of(branch.context)
    on_nodes = {position for rows in collector.positions for position in rows}
    beside = {position for order in sidechain for position in all_positions[order]}
    dead = (on_nodes - live - beside) | retracted
    path = Path(
        dead=Ranges.of({*dead, *_positions(rewound)}),
        retracted=Ranges.of(retracted),
        tree=True,
        leaf=branch.leaf,
        tips=[] if branch.leaf is None else [branch.leaf],
        ends=list(branch.ends),
        remarks=[
            {"code": remark.code, "severity": remark.severity, "message": remark.message, "facts": remark.facts}
            for remark in branch.remarks
        ],
    )
    path.order = _order(branch, collector, path, others)
    return path


def _order(branch: Branch, collector: NodeCollector, path: Path, others: list[int]) -> list[int]:
    """The positions that the model sees, in its order; events that hang on no record stand where they were appended."""
    rows = {positions[0]: positions for positions in collector.positions}
    chain: list[int] = []
    for node in branch.context:
        chain += [position for position in rows.get(node.order, ()) if position not in path.dead]
    first = branch.context[0].order if branch.context and branch.context[0].cuts else 0
    extras = [position for position in others if position > first and position not in path.dead]
    merged: list[int] = []
    at = 0
    for position in chain:
        while at < len(extras) and extras[at] < position:
            merged.append(extras[at])
            at += 1
        merged.append(position)
    return merged + extras[at:]
