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
from .tree import MESSAGES, Branch, Node, choose
from .tree_nodes import NodeCollector

LINKS = ("progress", "unknown")
"""Types of records that only link others: nothing of the conversation is in them."""

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

    tree: whether native parent links choose the branch; `leaf` is then its last message and `ends` are all such. tips: the ids
    that a clean continuation hangs off. loose: only looking at the whole tree tells how it goes on. reply: the last one's id;
    beside: it has parts beside the chain. dead_record: the last record, when it lies off the path and may still have events.
    order: positions in the order the model sees them, None where that is the order of position.
    """

    dead: Ranges = field(default_factory=Ranges)
    retracted: Ranges = field(default_factory=Ranges)
    tree: bool = False
    leaf: str | None = None
    tips: list[str] = field(default_factory=list[str])
    ends: list[str] = field(default_factory=list[str])
    loose: bool = False
    reply: str | None = None
    beside: bool = False
    dead_record: int | None = None
    remarks: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
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
            "loose": self.loose,
            "reply": self.reply,
            "beside": self.beside,
            "dead_record": self.dead_record,
            "remarks": self.remarks,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Path:
        told: dict[str, Any] = {**data, "dead": Ranges(data["dead"]), "retracted": Ranges(data["retracted"])}
        return cls(**told)

    def extend(self, event: Event, known_reply: Callable[[Event], bool] | None = None) -> bool:
        """Take the next event if it only continues the path; False when the path must be found anew.

        known_reply: tells whether the reply of an event was met before (a copy of an older one draws parts of it along).
        """
        if event.kind == "Rewound":
            return event.data.get("scope") == "files"
        if event.kind == "BranchChosen":
            stale = any(remark["code"] == "stale-branch-pointer" for remark in self.remarks)
            return not stale and not self.loose and event.data.get("native_leaf") in (self.leaf, *self.tips)
        if event.record is not None and (self.loose or event.record == self.dead_record):
            return False
        if event.native_id is None or (event.node is None and not self.tree):
            return True
        if not self.tree:
            return False
        if event.lane is not None:
            return True
        return self._extend_tree(event, event.native_id, known_reply)

    def _extend_tree(self, event: Event, name: str, known_reply: Callable[[Event], bool] | None) -> bool:
        if event.node in LINKS:
            if event.native_parent in self.tips:
                self.tips.append(name)
            return True
        breaks = event.kind == "ContextCompact" and not event.data.get("micro")
        summary = event.kind == "UserInput" and event.data.get("origin") == "summary"
        if self.loose or breaks or summary or event.native_parent not in self.tips or name in self.tips:
            return False
        if event.node in MESSAGES:
            if event.node == "assistant" and not self._extend_reply(event, known_reply):
                return False
            self.ends = [end for end in self.ends if end != self.leaf] + [name]
            self.leaf = name
        self.tips = [name]
        return True

    def _extend_reply(self, event: Event, known_reply: Callable[[Event], bool] | None) -> bool:
        reply = event.data.get("response_id")
        if reply is not None and reply == self.reply:
            return not self.beside
        if reply is not None and known_reply is not None and known_reply(event):
            return False
        self.reply, self.beside = reply, False
        return True


def changes_the_past(event: Event) -> bool:
    """Whether a plain pass in order of position does not do: a rewind, or a tree."""
    return event.node is not None or (event.kind == "Rewound" and event.data.get("scope") != "files")


def find_path(read: Reader) -> Path:
    """The live path of the events that `read` gives."""
    collector = NodeCollector()
    rewinds: list[Event] = []
    tree = False
    last, record = 0, None
    for event in read():
        tree = tree or event.node is not None
        if event.kind == "Rewound" and event.data.get("scope") != "files":
            rewinds.append(event)
        collector.add(event)
        last, record = event.position, event.record
    dead = _rewound(rewinds)
    path = _branch(collector, rewinds, dead, last) if tree else _linear(read, rewinds, dead)
    path.dead_record = None if path.live(last) else record
    return path


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
        _roll_back(path, read)
    ids = {native for event in live for native in event.data.get("retracted") or ()}
    if ids:
        taken = [event.position for event in read() if event.native_id in ids]
        path.retracted = Ranges.of(taken)
        path.dead = Ranges.of({*taken, *_positions(path.dead)})
    return path


def _roll_back(path: Path, read: Reader) -> None:
    """Take rolled-back turns off the path, and say where the source's client would cut elsewhere."""
    from .turns import TurnStack

    stack = TurnStack()
    for event in read():
        if event.position not in path.dead:
            stack.take(event)
    path.dead = Ranges.of({*stack.dead, *_positions(path.dead)})
    text = "A rollback went over a turn that does not hold exactly one message; the client cuts by messages, here whole turns go."
    path.remarks += [
        {"code": "rollback-by-turns", "severity": "info", "message": text, "facts": {"position": position}}
        for position in stack.uneven
    ]


def _positions(ranges: Ranges) -> Iterable[int]:
    for lo, hi in ranges.parts:
        yield from range(lo, hi + 1)


def _branch(collector: NodeCollector, rewinds: list[Event], rewound: Ranges, last: int) -> Path:
    rows = {positions[0]: positions for positions in collector.positions}
    nodes = [node for node in collector.nodes if node.order not in rewound]
    branch = choose(nodes, [pointer for pointer in collector.pointers if pointer.order not in rewound])
    taken = {
        native for event in rewinds if event.position not in rewound for native in event.data.get("retracted") or ()
    }
    retracted = {position for node in nodes if node.id in taken for position in rows[node.order]}
    # Side chains and records that are only links belong to no branch; they are always live.
    bound = {node.order for node in collector.nodes if not node.sidechain and node.type not in LINKS}
    on_nodes = {position for order in bound for position in rows[order]}
    live = {position for node in (*branch.path, *branch.context) for position in rows[node.order]}
    path = Path(
        dead=Ranges.of({*(on_nodes - live), *retracted, *_positions(rewound)}),
        retracted=Ranges.of(retracted),
        tree=True,
        leaf=branch.leaf,
        ends=list(branch.ends),
        remarks=[
            {"code": remark.code, "severity": remark.severity, "message": remark.message, "facts": remark.facts}
            for remark in branch.remarks
        ],
    )
    _find_tips(path, branch, nodes)
    others = [position for position in range(1, last + 1) if position not in on_nodes]
    path.order = _order(branch, rows, path, others)
    return path


def _find_tips(path: Path, branch: Branch, nodes: list[Node]) -> None:
    """What a next record may hang off so that it simply goes on, and whether the tree is too tangled for that."""
    if branch.leaf is None:
        path.loose = True
        return
    by_id = {node.id: node for node in nodes}
    at = next(number for number, node in enumerate(branch.context) if node.id == branch.leaf)
    path.tips = [branch.leaf]
    for node in branch.context[at + 1 :]:
        if node.type in MESSAGES or _parent(node, by_id) != path.tips[0]:
            path.loose = True
        path.tips = [node.id]
    for node in nodes:
        if node.type in LINKS and not node.sidechain and node.parent in path.tips:
            path.tips.append(node.id)
    reply = next((node.message_id for node in reversed(branch.context) if node.type == "assistant"), None)
    end = by_id[branch.leaf]
    for name in branch.ends[:-1]:
        other = by_id.get(name)
        asker = None if other is None else by_id.get(_parent(other, by_id) or "")
        late = other is not None and bool(other.results) and asker is not None and asker.message_id == reply
        path.loose = path.loose or late or (other is not None and other.order > end.order)
    path.reply = reply
    pairs = zip(branch.context, branch.context[1:], strict=False)
    of_reply = ((before, node) for before, node in pairs if reply in (before.message_id, node.message_id))
    path.beside = reply is not None and any(_parent(node, by_id) != before.id for before, node in of_reply)


def _parent(node: Node, by_id: dict[str, Node]) -> str | None:
    """The parent's id, seen through records that are only links."""
    name = node.parent
    seen: set[str] = set()
    while name is not None and name in by_id and by_id[name].type in LINKS and name not in seen:
        seen.add(name)
        name = by_id[name].parent
    return name


def _order(branch: Branch, rows: dict[int, list[int]], path: Path, others: list[int]) -> list[int]:
    """The positions that the model sees, in its order; events that hang on no record stand where they were appended."""
    chain = [position for node in branch.context for position in rows[node.order] if position not in path.dead]
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
