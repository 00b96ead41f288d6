"""`tree`: sessions and what they came from, drawn with lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from .frame import Answer, Frame
from .options import OptionalSession

if TYPE_CHECKING:
    from ..tree_view import Tree, TreeNode
    from .screen import Screen

_SIGNS = {"session": "●", "subagent": "◇", "compaction": "✂", "rewind": "↶", "branch": "⑂"}


def tree(context: typer.Context, session: OptionalSession = None) -> Answer:
    """Draw sessions with their forks, rewinds, compactions and sub-agents.

    Example: rehydrate tree 4f2a
    """
    from ..tree_view import tree_view

    drawn = tree_view(session, store=Frame.of(context).db)
    return Answer(drawn, lambda screen: _show(screen, drawn), masked=True)


def _show(screen: Screen, drawn: Tree) -> None:
    for root in drawn.roots:
        _node(screen, root, "", "")
    if not drawn.roots:
        screen.line("There are no sessions yet.")
        screen.next_step("rehydrate import")
    for name in drawn.missing:
        screen.line(f"{name} is named as an ancestor but not in this database.", style="dim")


def _node(screen: Screen, node: TreeNode, lead: str, below: str) -> None:
    sign = _SIGNS.get(node.kind, "·")
    inside = node.kind in {"compaction", "rewind", "branch"}
    name = f"{node.kind} {node.pointer}" if inside else node.session_id
    forked = lead and node.kind == "session"
    cut = f"  forked at {node.at}" if forked and node.at is not None else "  copied" if forked else ""
    about = node.text if inside else node.title or node.text
    screen.styled((f"{lead}{sign} ", "dim"), (name, None if inside else "bold"), (cut, "dim"), (f"  {about}", "cyan"))
    for number, child in enumerate(node.children):
        last = number == len(node.children) - 1
        _node(screen, child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))
