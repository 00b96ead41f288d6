"""The branch a person would expect: nothing lost at a gap, behind a stale pointer or beside a late result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .tree import Branch, BranchPointer, Links, Node, Remark, reattached
from .tree_gaps import Gaps


def choose_repaired(nodes: Iterable[Node], pointers: Sequence[BranchPointer], *, leaf: str | None = None) -> Branch:
    """See `tree.choose`."""
    tree = _Repaired(Links(nodes, as_client=False))
    end, ends = tree.end(pointers, leaf)
    if end is None:
        return Branch(None, (), (), remarks=tuple(tree.remarks))
    below = tree.quiet_below(end)
    context = tree.walk(end)
    history = tree.history(context[0]) if context[0].cuts else []
    context = reattached([*context, *below], tree.links, as_client=False)
    path = [*reattached(history, tree.links, as_client=False), *context]
    once = {node.id: node for node in path}
    if leaf is None:
        tree.note_side_end(once)
    return Branch(end.id, tuple(context), tuple(once.values()), ends, tuple(tree.remarks))


class _Repaired:
    def __init__(self, links: Links) -> None:
        self.links = links
        self.remarks = links.remarks
        self.order = links.in_order()
        self.gaps = Gaps(links, self.order)
        self.children = links.children()
        self.original = dict(links.parent_of)
        self.walked: set[str] = set()
        self._kept: dict[str, list[str]] = {}
        self._completed = self._boundaries_with_summary()
        for boundary in self.order:
            if boundary.id in self._completed:
                self._relink(boundary)

    # -- compaction -----------------------------------------------------------------------------------------------

    def _boundaries_with_summary(self) -> dict[str, Node]:
        """Boundaries that a summary followed; one without is an interrupted compaction and counts as none."""
        found: dict[str, Node] = {}
        last: Node | None = None
        for node in self.order:
            if node.cuts:
                last = node
            elif node.summary and last is not None:
                owner = self.links.by_id.get(self.original[node.id] or "")
                found[owner.id if owner is not None and owner.cuts else last.id] = node
        return found

    def _relink(self, boundary: Node) -> None:
        kept = self.links.kept(boundary)
        present = [name for name in kept if name in self.links.by_id]
        if len(present) < len(kept):
            facts = {"native_id": boundary.id, "missing": len(kept) - len(present)}
            text = "Messages that a compaction kept are not in the file; the summary and the rest are used."
            self.remarks.append(Remark("preserved-missing", "info", text, facts))
        if not present:
            return
        self._kept[boundary.id] = present
        anchor = boundary.anchor if boundary.anchor in self.links.by_id else self._completed[boundary.id].id
        inside = set(present)
        for child in self.children.get(anchor or "", ()):
            if child.id not in inside and child.order > boundary.order:
                self.links.parent_of[child.id] = present[-1]
        for before, name in zip([anchor, *present], present, strict=False):
            self.links.parent_of[name] = before

    # -- leaf -----------------------------------------------------------------------------------------------------

    def end(self, pointers: Sequence[BranchPointer], leaf: str | None) -> tuple[Node | None, tuple[str, ...]]:
        """The record the conversation ends with, and the ids of all ends (the chosen one last)."""
        if leaf is not None:
            return self.links.by_id.get(leaf), (leaf,)
        ends = self._ends()
        if not ends:
            return None, ()
        end = ends[-1]
        if pointers:
            end = self._pointed(pointers[-1], end, ends)
        names = [node.id for node in ends if node.id != end.id]
        return end, (*names, end.id)

    def _spoken_parent(self, node: Node, parent_of: dict[str, str | None]) -> Node | None:
        """The message before this one on its branch, also across a compaction."""
        at = parent_of[node.id]
        seen: set[str] = set()
        while at is not None and at in self.links.by_id and at not in seen:
            found = self.links.by_id[at]
            if found.speaks:
                return found
            seen.add(at)
            at = parent_of[at]
            if found.cuts and at is None:
                named = found.logical_parent
                at = named if named in self.links.by_id else self.gaps.before[found.id]
        return None

    def _ends(self) -> list[Node]:
        """Messages of the main conversation that none follows, in order; late results beside one do not count."""
        speaking = [node for node in self.order if node.speaks]
        parent = {node.id: self._spoken_parent(node, self.links.parent_of) for node in speaking}
        followed: set[str] = set()
        for node in speaking:
            if self.links.parent_of[node.id] != self.original[node.id]:
                written = self._spoken_parent(node, self.original)
                followed.update([written.id] if written is not None else [])
        went_on: set[str] = set()
        for node in speaking:
            before = parent[node.id]
            if before is None:
                continue
            followed.add(before.id)
            if before.type == "assistant":
                if not node.results and _reply(before) != _reply(node):
                    went_on.add(_reply(before))
            elif before.results:
                asker = parent[before.id]
                same = node.results or (asker is not None and _reply(asker) == _reply(node))
                if asker is not None and asker.type == "assistant" and not same:
                    went_on.add(_reply(asker))
        ends: dict[str, Node] = {}
        for node in speaking:
            if node.id in followed:
                continue
            before = parent[node.id]
            asked = node.results and before is not None and before.type == "assistant"
            key = _reply(before) if asked and before is not None else _reply(node)
            if key not in went_on:
                ends.pop(key, None)
                ends[key] = node
        return list(ends.values()) or speaking[-1:]

    def _pointed(self, pointer: BranchPointer, newest: Node, ends: list[Node]) -> Node:
        """The end of the pointed-to branch, unless a newer message lies elsewhere: then the pointer is stale."""
        target = self.links.by_id.get(pointer.leaf)
        if target is not None and not target.speaks and not target.sidechain:
            target = self._spoken_parent(
                target, self.links.parent_of
            )  # A quiet record stands for the message it hangs off.
        if target is None or target.sidechain or target.id in self._line(newest):
            return newest
        facts = {"leaf": pointer.leaf, "position": pointer.order}
        if newest.order > pointer.order:
            text = "The recorded end of the conversation is older than its newest messages; the newest are used."
            self.remarks.append(Remark("stale-branch-pointer", "info", text, facts))
            return newest
        inside = self._subtree(target)
        below = [node for node in ends if node.id in inside]
        return below[-1] if below else target

    def _subtree(self, top: Node) -> set[str]:
        found = {top.id}
        waiting = [top.id]
        while waiting:
            for child in self.children.get(waiting.pop(), ()):
                if child.id not in found:
                    found.add(child.id)
                    waiting.append(child.id)
        return found

    def _line(self, node: Node) -> set[str]:
        """The ids from a node to its root."""
        found: set[str] = set()
        at: str | None = node.id
        while at is not None and at not in found:
            found.add(at)
            at = self.links.parent_of[at]
        return found

    def note_side_end(self, path: dict[str, Node]) -> None:
        """Tell when the newest record lies beside the path: the client would end the conversation there."""
        newest = next((node for node in reversed(self.order) if not node.sidechain), None)
        stale = any(remark.code == "stale-branch-pointer" for remark in self.remarks)
        if newest is None or newest.id in path or stale:
            return
        text = "The newest record hangs off an earlier message; the client itself would end the conversation there."
        self.remarks.append(
            Remark("side-record-last", "info", text, {"native_id": newest.id, "position": newest.order})
        )

    def quiet_below(self, end: Node) -> list[Node]:
        """Attachments and system records under the last message."""
        found: list[Node] = []
        waiting = [end.id]
        seen = {end.id}
        while waiting:
            for child in self.children.get(waiting.pop(), ()):
                quiet = child.type in ("attachment", "system") and not child.cuts and not child.sidechain
                if quiet and child.id not in seen:
                    seen.add(child.id)
                    found.append(child)
                    waiting.append(child.id)
        return sorted(found, key=lambda node: node.order)

    # -- walk -----------------------------------------------------------------------------------------------------

    def walk(self, end: Node) -> list[Node]:
        """From the leaf up to the last completed compaction, or to the root."""
        chain: list[Node] = []
        node: Node | None = end
        while node is not None:
            self.walked.add(node.id)
            chain.append(node)
            if node.id in self._completed:
                break
            node = self._up(node, self.links.parent_of[node.id])
        chain.reverse()
        return chain

    def history(self, boundary: Node) -> list[Node]:
        """What lies before a compaction, back to the root, earlier compactions with their summaries included."""
        chain: list[Node] = []
        passed: set[str] = set()
        crossed = {boundary.id}
        released = set(self._kept.get(boundary.id, ()))
        node = self._before(boundary)
        while node is not None and node.id not in passed:
            passed.add(node.id)
            if node.id not in self.walked:
                self.walked.add(node.id)
                chain.append(node)
            if node.cuts and node.id not in crossed:
                # Messages that it kept stand behind its summary; from here on they are where they were written.
                crossed.add(node.id)
                released.update(self._kept.get(node.id, ()))
                passed.difference_update(self._kept.get(node.id, ()))
                node = self._before(node)
                continue
            links = self.original if node.id in released else self.links.parent_of
            node = self._up(node, links[node.id], passed)
        chain.reverse()
        return chain

    def _before(self, boundary: Node) -> Node | None:
        name = boundary.logical_parent or self.original[boundary.id]
        if name is not None and name in self.links.by_id:
            return self.links.by_id[name]
        if name is not None and self.gaps.before[boundary.id] is None:
            text = "What came before a compaction is not in the file."
            facts = {"native_id": boundary.id, "parent": name}
            self.remarks.append(Remark("missing-ancestor", "warning", text, facts))
        before = self.gaps.before[boundary.id]
        return self.links.by_id[before] if before is not None else None

    def _up(self, node: Node, parent: str | None, passed: set[str] | None = None) -> Node | None:
        done = self.walked if passed is None else passed
        if parent is None and node.cuts and node.id not in self._completed:
            return self._before(node)
        if node.id in self.gaps.bridged and parent == self.original[node.id]:
            self.remarks.append(self.gaps.remark(node))
        if parent is None or parent in done:
            return None
        return self.links.by_id[parent]


def _reply(node: Node) -> str:
    return node.message_id or f"#{node.id}"
