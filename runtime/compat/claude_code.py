"""The message list that Claude Code 2.1.197 sends when it resumes a session, block by block and defect by defect."""

from __future__ import annotations

from typing import Any

from ...events.importers.claude_code.shape import obj
from ...events.store import EventStore
from ...projections.tree import choose
from .claude_messages import messages_of
from .claude_records import Record, load_records, nodes_of
from .claude_wire import wired

LARGE_BYTES = 5 * 1024 * 1024
"""From about this file size the client reads nothing before the last compaction."""


def render(store: EventStore, session_id: str, position: int, model: str | None) -> list[dict[str, Any]]:
    """The messages as the client would send them to `model` (None: the last model of the transcript)."""
    records, size_bytes = load_records(store, session_id, position)
    return render_records(records, model, size_bytes)


def render_records(records: list[Record], model: str | None, size_bytes: int = 0) -> list[dict[str, Any]]:
    """As `render`, for records that are already read."""
    nodes, pointers = nodes_of(records)
    main = [node for node in nodes if not node.sidechain]
    if not main:
        for node in nodes:
            node.sidechain = False
    branch = choose(nodes, pointers, as_client=True, bounded=size_bytes >= LARGE_BYTES)
    chain = [records[node.order] for node in branch.context]
    return wired(messages_of(chain, model or last_model(chain)))


def last_model(chain: list[Record]) -> str | None:
    """The model of the newest reply on the chain that a model gave."""
    for record in reversed(chain):
        model = obj(record.get("message")).get("model")
        if record.get("type") == "assistant" and isinstance(model, str) and model != "<synthetic>":
            return model
    return None
