"""The Responses input that Codex CLI 0.171.0 sends when it resumes a session, defect by defect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...events.importers.codex.context import texts_of
from ...events.importers.codex.shapes import is_object
from ...events.store import EventStore
from .codex_cut import prepared_images
from .codex_lines import RolloutLine, load_lines
from .codex_replay import replayed
from .codex_wire import paired

_NOT_SENT = ("internal_chat_message_metadata_passthrough",)


def render(store: EventStore, session_id: str, position: int, model: str | None) -> list[dict[str, Any]]:
    """The input items as the client would send them to `model` (None: the last model of the rollout), without the new prompt."""
    return render_lines(load_lines(store, session_id, position), model, session_id)


def render_lines(lines: Sequence[RolloutLine], model: str | None, thread: str = "") -> list[dict[str, Any]]:
    """As `render`, for lines that are already read."""
    history = replayed(lines, model or last_model(lines))
    items = [prepared_images(item) for item in paired(history)]
    sent = [{key: value for key, value in item.items() if key not in _NOT_SENT} for item in items]
    text = _instructions(lines, thread)
    if text is None or any(text in texts_of(item) for item in sent if item.get("role") == "developer"):
        return sent
    return [{"type": "message", "role": "developer", "content": [{"type": "input_text", "text": text}]}, *sent]


def _instructions(lines: Sequence[RolloutLine], thread: str) -> str | None:
    """The base instructions that the session was started with; the client's built-in ones are not known here."""
    metas = [line.payload for line in lines if line.kind == "session_meta"]
    own = [meta for meta in metas if meta.get("id") == thread] or metas
    base = own[0].get("base_instructions") if own else None
    text = base.get("text") if is_object(base) else None
    return text if isinstance(text, str) and text else None


def last_model(lines: Sequence[RolloutLine]) -> str | None:
    """The model of the newest turn."""
    for line in reversed(lines):
        if line.kind == "turn_context" and isinstance(line.payload.get("model"), str):
            return str(line.payload["model"])
    return None
