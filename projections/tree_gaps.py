"""Parent links that lead nowhere or in a circle, replaced by the record before in the file."""

from __future__ import annotations

from collections.abc import Sequence

from .tree import Links, Node, Remark


class Gaps:
    """Replaces such links in `links.parent_of`.

    before: by record the one before it in the file, side chains and the main conversation apart.
    bridged: by record the parent it names and the code of what is wrong with that.
    """

    def __init__(self, links: Links, order: Sequence[Node]) -> None:
        self._links = links
        self._order = order
        self._place = {node.id: number for number, node in enumerate(order)}
        self.before = self._previous()
        self.bridged: dict[str, tuple[str, str]] = {}
        self._bridge_missing()
        self._cut_loops()

    def _previous(self) -> dict[str, str | None]:
        last: dict[bool, str | None] = {True: None, False: None}
        found: dict[str, str | None] = {}
        for node in self._order:
            found[node.id] = last[node.sidechain]
            last[node.sidechain] = node.id
        return found

    def _bridge(self, node: Node, code: str) -> None:
        parent = self._links.parent_of[node.id]
        self.bridged[node.id] = (str(parent), code)
        self._links.parent_of[node.id] = self.before[node.id]

    def _bridge_missing(self) -> None:
        for node in self._order:
            parent = self._links.parent_of[node.id]
            if parent is not None and parent not in self._links.by_id:
                self._bridge(node, "dangling-parent")

    def _cut_loops(self) -> None:
        """In a loop the earliest record cannot follow a later one: its link is replaced like a missing one."""
        parent_of = self._links.parent_of
        done: set[str] = set()
        for start in self._order:
            trail: dict[str, None] = {}
            at: str | None = start.id
            while at is not None and at not in done:
                if at not in trail:
                    trail[at] = None
                    at = parent_of[at]
                    continue
                names = list(trail)
                loop = names[names.index(at) :]
                at = min(loop, key=lambda name: self._place[name])
                self._bridge(self._links.by_id[at], "parent-cycle")
                for name in loop:
                    del trail[name]
            done.update(trail)

    def remark(self, node: Node) -> Remark:
        """What to tell of a replaced link that lies on the chosen branch."""
        named, code = self.bridged[node.id]
        parent = self.before[node.id]
        facts = {"native_id": node.id, "parent": named, "bridged_to": parent, "position": node.order}
        if parent is None:
            text = f"The parent of record {node.id} is not in the file; the history starts there."
        elif code == "dangling-parent":
            text = f"The parent of record {node.id} is not in the file; the record before it is taken."
        else:
            text = f"The parents of record {node.id} lead back to itself; the record before it is taken."
        return Remark(code, "warning" if parent is None else "repaired", text, facts)
