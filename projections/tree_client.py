"""The branch that Claude Code 2.1.197 resumes, with everything it loses on the way (rules 2 to 7, defects D1 to D5)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from .tree import Branch, BranchPointer, Links, Node, reattached

BRIDGE_US = 5_000_000
"""How much older than its child a stand-in for a missing parent may be."""


def choose_as_client(
    nodes: Iterable[Node], pointers: Sequence[BranchPointer], *, leaf: str | None, bounded: bool
) -> Branch:
    """See `tree.choose`."""
    links = Links(_bounded(list(nodes)) if bounded else nodes, as_client=True)
    boundary = _last_boundary(links)
    if boundary is not None:
        _relink(links, boundary)
    end, below = _leaf(links, pointers, leaf)
    if end is None:
        return Branch(None, (), ())
    chain = _walk(links, end)
    context = tuple(reattached([*chain, *below], links, as_client=True))
    return Branch(end.id, context, context, (end.id,))


def _bounded(nodes: list[Node]) -> list[Node]:
    cuts = [number for number, node in enumerate(nodes) if node.cuts]
    if not cuts:
        return nodes
    boundary = nodes[cuts[-1]]
    kept = set(boundary.preserved)
    return [node for node in nodes[: cuts[-1]] if node.id in kept] + nodes[cuts[-1] :]


def _last_boundary(links: Links) -> Node | None:
    found = None
    for node in links.by_id.values():
        if node.cuts and (found is None or node.order > found.order):
            found = node
    return found


def _relink(links: Links, boundary: Node) -> None:
    """Chain the preserved messages behind the anchor, its other children behind them; all else before is forgotten."""
    kept = links.kept(boundary)
    if not kept or any(name not in links.by_id for name in kept):
        return
    inside = set(kept)
    anchor = boundary.anchor
    for node in list(links.by_id.values()):
        if node.id not in inside and node.order < boundary.order:
            del links.by_id[node.id]
            continue
        if anchor is not None and node.id not in inside and links.parent_of[node.id] == anchor:
            links.parent_of[node.id] = kept[-1]
    before = anchor
    for name in kept:
        links.parent_of[name] = before
        before = name


def _leaf(links: Links, pointers: Sequence[BranchPointer], leaf: str | None) -> tuple[Node | None, list[Node]]:
    if leaf is not None:
        return links.by_id.get(leaf), []
    spoken = _below_messages(links)
    end = None
    for node in links.by_id.values():
        if not node.sidechain and node.id in spoken and (end is None or node.order > end.order):
            end = node
    if end is None:
        main = (node for node in links.by_id.values() if not node.sidechain)
        end = max(main, key=lambda node: node.order, default=None)
    if end is None or not pointers:
        return end, []
    pointed = links.by_id.get(pointers[-1].leaf)
    if pointed is None or pointed.sidechain or pointed.id in _plain_ancestors(links, end):
        return end, []
    return pointed, _quiet_below(links, pointed)


def _below_messages(links: Links) -> set[str]:
    """The ids of records that are a message or have one among their ancestors."""
    known: dict[str, bool] = {}
    for node in links.by_id.values():
        trail: list[str] = []
        at: str | None = node.id
        answer = False
        while at is not None and at in links.by_id:
            if at in known:
                answer = known[at]
                break
            trail.append(at)
            known[at] = False
            if links.by_id[at].type in ("user", "assistant"):
                answer = True
                break
            at = links.parent_of[at]
        for name in trail:
            known[name] = answer
    return {name for name, answer in known.items() if answer}


def _plain_ancestors(links: Links, node: Node) -> set[str]:
    found: set[str] = set()
    at: str | None = node.id
    while at is not None and at not in found:
        found.add(at)
        at = links.parent_of.get(at)
    return found


def _quiet_below(links: Links, pointed: Node) -> list[Node]:
    """Attachments and system records that hang under a pointed-to leaf."""
    children = links.children()
    found: list[Node] = []
    waiting = [pointed.id]
    seen = {pointed.id}
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child.type in ("attachment", "system") and child.id not in seen:
                seen.add(child.id)
                found.append(child)
                waiting.append(child.id)
    return sorted(found, key=lambda node: node.order)


def _walk(links: Links, end: Node) -> list[Node]:
    """From the leaf to the root; a missing parent is bridged to the record nearest in time, at most 5 s older."""
    bridges: list[tuple[int, int, Node]] | None = None
    chain: list[Node] = []
    walked: set[str] = set()
    node: Node | None = end
    while node is not None:
        walked.add(node.id)
        chain.append(node)
        parent = links.parent_of[node.id]
        if node.cuts or parent is None or (parent in walked and parent != node.id):
            break
        if parent in links.by_id and parent != node.id:
            node = links.by_id[parent]
            continue
        if bridges is None:
            found = (item for item in links.by_id.values() if item.ts is not None and not item.sidechain)
            bridges = sorted(((item.ts or 0, -item.order, item) for item in found), key=lambda item: item[:2])
        node = _bridge(bridges, node, walked)
    chain.reverse()
    return chain


def _bridge(candidates: list[tuple[int, int, Node]], child: Node, walked: set[str]) -> Node | None:
    if child.ts is None:
        return None
    at = bisect_right(candidates, child.ts, key=lambda item: item[0]) - 1
    while at >= 0 and candidates[at][0] >= child.ts - BRIDGE_US:
        if candidates[at][2].id not in walked:
            return candidates[at][2]
        at -= 1
    return None
