"""Claude-style message trees: which records a conversation consists of, though parent links fork, dangle or loop.

Pure and linear. `choose` gives the branch either exactly as the client would resume it (`as_client`) or with the
client's losses repaired, each difference told as a `Remark`. The rules are those observed on Claude Code 2.1.197.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..events.event import NodeType

MESSAGES = ("user", "assistant")


@dataclass(slots=True)
class Node:
    """One record of the tree.

    order: its place (file order, or the position of its first event). ts: microseconds, None when unusable.
    cuts: it is a compaction boundary. preserved, segment, anchor: what that boundary kept verbatim.
    virtual: a record of a type that no client takes for a link (repaired trees walk through it).
    """

    order: int
    id: str
    parent: str | None
    type: NodeType
    sidechain: bool = False
    ts: int | None = None
    message_id: str | None = None
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    logical_parent: str | None = None
    cuts: bool = False
    summary: bool = False
    preserved: tuple[str, ...] = ()
    segment: tuple[str | None, str | None] | None = None
    anchor: str | None = None

    @property
    def speaks(self) -> bool:
        """A message of the main conversation."""
        return self.type in MESSAGES and not self.sidechain


@dataclass(frozen=True, slots=True)
class BranchPointer:
    """A record of the source that names the leaf; `order` is the pointer's own place."""

    order: int
    leaf: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about the tree that the reader of a restore should know: the code of a finding and its facts."""

    code: str
    severity: str
    message: str
    facts: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Branch:
    """The chosen conversation.

    context: what the model sees, in order, from the last compaction on (its boundary first).
    path: the whole live branch in order, also before compactions; equals `context` for `as_client` choices.
    ends: ids of all leaves of the main conversation, the chosen one last.
    """

    leaf: str | None
    context: tuple[Node, ...]
    path: tuple[Node, ...]
    ends: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()


class Links:
    """Nodes by id and in order, with parents resolved through records that are only links."""

    def __init__(self, nodes: Iterable[Node], *, as_client: bool) -> None:
        self.remarks: list[Remark] = []
        self.through: dict[str, Node] = {}
        self.by_id: dict[str, Node] = {}
        self.place: dict[str, int] = {}
        for node in nodes:
            self._add(node, as_client)
        self.parent_of: dict[str, str | None] = {}
        for node in self.by_id.values():
            self.parent_of[node.id] = self.resolved(node)

    def _add(self, node: Node, as_client: bool) -> None:
        if node.type == "progress" or (node.type == "unknown" and not as_client):
            self.through[node.id] = node
            return
        if node.type == "unknown":
            return
        known = self.by_id.get(node.id)
        if known is not None and as_client:
            del self.by_id[node.id]
        elif known is not None:
            facts = {"native_id": node.id, "position": node.order}
            text = f"The id {node.id} occurs again with other content."
            self.remarks.append(Remark("repeated-id", "info", text, facts))
            if node.parent != known.parent or node.type != known.type:
                node.id = f"{node.id}#{node.order}"
            else:
                self.place[node.id] = self.place[known.id]
        self.by_id[node.id] = node
        if as_client or node.id not in self.place:
            self.place[node.id] = node.order

    def resolved(self, node: Node) -> str | None:
        """The nearest ancestor that is a node; None at a root; the missing id where the link leads nowhere."""
        parent = node.parent
        seen: list[str] = []
        while parent is not None and parent in self.through and parent not in self.by_id:
            link = self.through[parent]
            seen.append(parent)
            if link.parent == parent or len(seen) > len(self.through):
                return None
            parent = link.parent
        if len(seen) > 1:
            for name in seen:
                self.through[name].parent = parent
        return parent

    def in_order(self) -> list[Node]:
        return sorted(self.by_id.values(), key=lambda node: self.place[node.id])

    def children(self) -> dict[str, list[Node]]:
        """Children by resolved parent, in order."""
        found: dict[str, list[Node]] = {}
        for node in self.in_order():
            parent = self.parent_of[node.id]
            if parent is not None:
                found.setdefault(parent, []).append(node)
        return found

    def segment(self, head: str | None, tail: str | None) -> tuple[str, ...]:
        """The ids from head to tail by parent links; empty when the tail does not lead to the head."""
        found: list[str] = []
        at = tail
        seen: set[str] = set()
        while at is not None and at in self.by_id and at not in seen:
            seen.add(at)
            found.append(at)
            if at == head:
                return tuple(reversed(found))
            at = self.parent_of.get(at)
        return ()

    def kept(self, boundary: Node) -> tuple[str, ...]:
        """The ids that a compaction kept verbatim, present or not."""
        if boundary.preserved:
            return boundary.preserved
        return self.segment(*boundary.segment) if boundary.segment else ()


def reattached(chain: Sequence[Node], links: Links, *, as_client: bool) -> list[Node]:
    """The chain with the parts of its replies that lie beside it: parallel calls, and the results of all of them.

    Each reply's own parts come right after its last record on the chain, their results next; a walk from the leaf alone
    loses them.
    """
    members: dict[str, list[Node]] = {}
    for node in links.by_id.values():
        if node.type == "assistant" and node.message_id:
            members.setdefault(node.message_id, []).append(node)
    results: dict[str, list[Node]] = {}
    for node in links.by_id.values():
        if node.results:
            parent = links.parent_of[node.id]
            if parent is not None:
                results.setdefault(parent, []).append(node)
    on_chain = {node.id for node in chain}
    last: dict[str, str] = {}
    for node in chain:
        if node.type == "assistant":
            last[node.message_id or f"#{node.id}"] = node.id
    found: list[Node] = []
    for node in chain:
        found.append(node)
        key = node.message_id or f"#{node.id}"
        if node.type != "assistant" or last[key] != node.id:
            continue
        reply = members.get(key, [node])
        beside = [part for part in reply if part.id not in on_chain]
        beside.sort(key=(lambda part: part.ts or 0) if as_client else (lambda part: part.order))
        if not as_client:
            beside = _connected(beside, on_chain, links)
            reply = [part for part in reply if part.id in on_chain or part in beside]
        late = [answer for part in reply for answer in results.get(part.id, ()) if answer.id not in on_chain]
        late.sort(key=(lambda part: part.ts or 0) if as_client else (lambda part: part.order))
        for extra in (*beside, *late):
            on_chain.add(extra.id)
            found.append(extra)
    return found


def _connected(parts: Sequence[Node], on_chain: set[str], links: Links) -> list[Node]:
    """The parts that hang off the chain or off one another: a copy of the reply elsewhere in the file is none of them."""
    reached: set[str] = set()
    found: list[Node] = []
    for part in parts:
        parent = links.parent_of[part.id]
        if parent in on_chain or parent in reached:
            reached.add(part.id)
            found.append(part)
    return found


def choose(
    nodes: Iterable[Node],
    pointers: Sequence[BranchPointer] = (),
    *,
    as_client: bool = False,
    leaf: str | None = None,
    bounded: bool = False,
) -> Branch:
    """Choose leaf and branch.

    as_client: exactly what the client does, its losses included; else repaired, each difference in `remarks`.
    leaf: take this record as the end instead of choosing one.
    bounded: as the client treats files above about 5 MB: nothing before the last compaction is read (`as_client` only).
    """
    if as_client:
        from .tree_client import choose_as_client

        return choose_as_client(nodes, pointers, leaf=leaf, bounded=bounded)
    from .tree_repaired import choose_repaired

    return choose_repaired(nodes, pointers, leaf=leaf)
