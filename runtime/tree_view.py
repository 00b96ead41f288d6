"""Sessions with where they come from and what became of them: forks, rewinds, compactions, sub-agents, as a tree."""

from __future__ import annotations

from typing import Any

from ..events.blocks import Frozen
from ..events.store import EventStore, SessionRow
from ..projections.fold import restore_states
from .fork import forks_of
from .opened import StoreLike, opened
from .resolve import resolve_session
from .session_index import listed_rows

_MARKS = {"ContextCompact": "compaction", "Rewound": "rewind"}


class TreeNode(Frozen):
    """A session (kind `session` or `subagent`) or something inside it (`compaction`, `rewind`, `branch`); `at` is
    its position.

    For a fork, `at` is the position in its parent that it was cut at.
    """

    kind: str
    session_id: str
    pointer: str
    at: int | None = None
    title: str | None = None
    source: str | None = None
    text: str = ""
    children: tuple[TreeNode, ...] = ()


class Tree(Frozen):
    roots: tuple[TreeNode, ...] = ()
    missing: tuple[str, ...] = ()


def tree_view(session: str | None = None, *, store: StoreLike = None) -> Tree:
    """The family of one session (from its oldest ancestor on), or of all listed sessions.

    missing: ancestors that are named but not in this database.

    Raises:
        SessionNotFound, AmbiguousSession: there is no such session.
    """
    with opened(store) as events:
        drawing = _Drawing(events)
        if session is not None:
            row = drawing.root_of(resolve_session(events, session))
            return Tree(roots=(drawing.session(row),), missing=tuple(drawing.missing))
        rows = [events.session(row["session_id"]) for row in listed_rows(events) if not row["deleted"]]
        roots = [row for row in rows if drawing.root_of(row).session_id == row.session_id]
        return Tree(roots=tuple(drawing.session(row) for row in roots), missing=tuple(drawing.missing))


class _Drawing:
    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._titles = {row["session_id"]: row["title"] for row in listed_rows(store)}
        self._drawn: set[str] = set()
        self._copies: dict[str, str] | None = None
        self.missing: list[str] = []

    def root_of(self, row: SessionRow) -> SessionRow:
        """The oldest ancestor that is in the database: over forks, and from a sub-agent to its session."""
        seen: set[str] = set()
        while row.session_id not in seen:
            seen.add(row.session_id)
            above = self._above(row)
            if above is None:
                break
            parent = self._store.find_session(above)
            if parent is None:
                if above not in self.missing:
                    self.missing.append(above)
                break
            row = parent
        return row

    def _above(self, row: SessionRow) -> str | None:
        """The session a row comes from: by our own fork, as a sub-agent, or as the copy that its client made."""
        if row.forked_from is not None:
            return row.forked_from.rpartition("@")[0]
        return row.parent_session or self._copied_from().get(row.session_id)

    def _copied_from(self) -> dict[str, str]:
        if self._copies is None:
            self._copies = {}
            for row in self._store.sessions(role="main"):
                first = next(self._store.read(row.session_id, until=1, kinds=["SessionStarted"]), None)
                origin = None if first is None else first.data.get("forked_from_native")
                if origin:
                    self._copies[row.session_id] = str(origin).partition("@")[0]
        return self._copies

    def session(self, row: SessionRow, at: int | None = None) -> TreeNode:
        self._drawn.add(row.session_id)
        children = [*self._inside(row), *self._forks(row), *self._subagents(row)]
        children.sort(key=lambda node: node.at or 0)
        return TreeNode(
            kind=row.role if row.role == "subagent" else "session",
            session_id=row.session_id,
            pointer=f"{row.session_id}@{row.head}",
            at=at,
            title=self._titles.get(row.session_id),
            source=row.source,
            children=tuple(children),
        )

    def _inside(self, row: SessionRow) -> list[TreeNode]:
        """Compactions and rewinds of the session's own part (a fork's past is drawn with its parent)."""
        own_from = 0 if row.forked_from is None else int(row.forked_from.rpartition("@")[2])
        found: list[TreeNode] = []
        for event in self._store.read(row.session_id, after=own_from, kinds=sorted(_MARKS)):
            if event.data.get("micro"):
                continue
            found.append(
                TreeNode(
                    kind=_MARKS[event.kind],
                    session_id=row.session_id,
                    pointer=event.pointer,
                    at=event.position,
                    text=_said(event.kind, event.data),
                )
            )
        return [*found, *self._branches(row)]

    def _branches(self, row: SessionRow) -> list[TreeNode]:
        """Ends of the source's own message tree that the live line left."""
        path = restore_states(self._store, row.session_id).path
        ends = set(path.ends) - {path.leaf}
        if not ends:
            return []
        return [
            TreeNode(
                kind="branch",
                session_id=row.session_id,
                pointer=event.pointer,
                at=event.position,
                text=str(event.data.get("preview") or ""),
            )
            for event in self._store.read(row.session_id)
            if event.native_id in ends and not path.live(event.position)
        ]

    def _forks(self, row: SessionRow) -> list[TreeNode]:
        forks = forks_of(self._store, row.session_id)
        copies = [(child, None) for child, origin in self._copied_from().items() if origin == row.session_id]
        return [
            self.session(self._store.session(child), at) for child, at in [*forks, *copies] if child not in self._drawn
        ]

    def _subagents(self, row: SessionRow) -> list[TreeNode]:
        found: list[TreeNode] = []
        for child in self._store.sessions(role="subagent", parent=row.session_id):
            if child.session_id in self._drawn:
                continue
            node = self.session(child)
            found.append(node.model_copy(update={"text": child.agent_id or ""}))
        return found


def _said(kind: str, data: dict[str, Any]) -> str:
    if kind == "ContextCompact":
        return str(data.get("trigger") or "")
    if data.get("to_position") is not None:
        return f"to {data['to_position']} ({data.get('scope', 'conversation')})"
    return f"{data['turns']} turn(s)" if data.get("turns") else f"{len(data.get('retracted') or ())} message(s)"
