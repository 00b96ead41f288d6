"""How the client rebuilds its history from the lines of a rollout: checkpoints, rollbacks, legacy compactions (C1 to C7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...events.importers.codex.compaction import LEGACY_INPUT_TOKENS, NO_SUMMARY
from ...events.importers.codex.context import is_context, is_developer_context, is_summary, texts_of
from ...events.importers.codex.schema import STRIPPED, accepted, known
from ...events.importers.codex.shapes import is_list, is_object
from ...projections.turns import kept_inputs
from .codex_cut import cut_output
from .codex_lines import RolloutLine

Item = dict[str, Any]
_OUTPUTS = ("function_call_output", "custom_tool_call_output")


@dataclass
class _Turn:
    """A stretch of lines seen from its end: its id, whether it counts, the newest checkpoint in it."""

    turn_id: str | None = None
    counts: bool = False
    checkpoint: int | None = None


def replayed(lines: Sequence[RolloutLine], model: str | None) -> list[Item]:
    """The history after the replay, before anything is paired."""
    if _paginated(lines):
        lines = _newest_page(lines)
    base = _base(lines)
    history = list(_replacement(lines[base]) or []) if base is not None else []
    for line in lines[0 if base is None else base + 1 :]:
        history = _step(history, line, model)
    return history


def _step(history: list[Item], line: RolloutLine, model: str | None) -> list[Item]:
    payload = line.payload
    if line.kind == "response_item":
        if accepted(payload) and not (payload.get("type") == "message" and payload.get("role") == "system"):
            history.append(cut_output(payload, model) if payload.get("type") in _OUTPUTS else _renamed(payload))
    elif line.kind == "inter_agent_communication":
        history.append(agent_message(payload))
    elif line.kind == "event_msg" and payload.get("type") == "thread_rolled_back":
        return rolled_back(history, payload.get("num_turns"))
    elif (
        line.kind == "compacted"
        and isinstance(payload.get("message"), str)
        and payload.get("replacement_history") is None
    ):
        return legacy_compacted(history, payload["message"])
    return history


def agent_message(payload: dict[str, Any]) -> Item:
    """The item that an inter-agent line becomes."""
    content: list[Item] = [{"type": "input_text", "text": str(payload.get("content") or "")}]
    if payload.get("encrypted_content"):
        content = [{"type": "encrypted_content", "encrypted_content": payload["encrypted_content"]}]
    return {
        "type": "agent_message",
        "author": payload.get("author"),
        "recipient": payload.get("recipient"),
        "content": content,
    }


def _replacement(line: RolloutLine) -> list[Item] | None:
    """A checkpoint's new history; None when the line is none (one bad item voids it)."""
    items = line.payload.get("replacement_history")
    if line.kind != "compacted" or not isinstance(line.payload.get("message"), str) or not is_list(items):
        return None
    kept = [item for item in items if not (is_object(item) and str(item.get("type")) in STRIPPED)]
    if any(not accepted(item) and (known(item) or not is_object(item) or "type" not in item) for item in kept):
        return None
    return [_renamed(item) for item in kept if known(item)]


def _renamed(item: Item) -> Item:
    """An item under the name that the client writes; it reads another one too."""
    return {**item, "type": "compaction"} if item.get("type") == "compaction_summary" else item


def _base(lines: Sequence[RolloutLine]) -> int | None:
    """The newest checkpoint in a turn that no later rollback discards."""
    pending = 0
    turn: _Turn | None = None
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        turn = turn or _Turn()
        kind = line.payload.get("type") if line.kind == "event_msg" else None
        if kind == "thread_rolled_back":
            turns = line.payload.get("num_turns")
            pending += turns if isinstance(turns, int) and turns > 0 else 0
        elif kind in ("task_started", "turn_started"):
            started = line.payload.get("turn_id")
            if turn.turn_id is None or started is None or turn.turn_id == started:
                if pending == 0 and turn.checkpoint is not None:
                    return turn.checkpoint
                pending -= 1 if pending and turn.counts else 0
                turn = None
        else:
            _note(turn, line, number)
    return turn.checkpoint if turn is not None and pending == 0 else None


def _note(turn: _Turn, line: RolloutLine, number: int) -> None:
    payload = line.payload
    kind = payload.get("type")
    if line.kind == "turn_context" or (
        line.kind == "event_msg" and kind in ("task_complete", "turn_complete", "turn_aborted")
    ):
        turn.turn_id = turn.turn_id or payload.get("turn_id")
    elif line.kind == "compacted":
        if turn.checkpoint is None and _replacement(line) is not None:
            turn.checkpoint = number
    elif (
        (line.kind == "event_msg" and kind == "user_message")
        or line.kind == "inter_agent_communication"
        or (line.kind == "response_item" and is_turn(payload) and accepted(payload))
    ):
        turn.counts = True


def is_turn(item: Item) -> bool:
    """Whether the client counts the item as a turn's beginning: a person's message or another agent's."""
    if item.get("type") == "agent_message":
        return True
    return item.get("type") == "message" and item.get("role") == "user" and not is_context(item)


def rolled_back(history: list[Item], turns: Any) -> list[Item]:
    """The history cut before the last `turns` user messages, the context directly above the cut taken along."""
    if isinstance(turns, bool) or not isinstance(turns, int) or turns <= 0:
        return history
    starts = [number for number, item in enumerate(history) if is_turn(item)]
    if not starts:
        return history
    cut = starts[-turns] if turns <= len(starts) else starts[0]
    while cut > starts[0] and _is_contextual(history[cut - 1]):
        cut -= 1
    return history[:cut]


def _is_contextual(item: Item) -> bool:
    if item.get("type") != "message":
        return False
    return (item.get("role") == "user" and is_context(item)) or (
        item.get("role") == "developer" and is_developer_context(item)
    )


def legacy_compacted(history: list[Item], summary: str) -> list[Item]:
    """A person's messages, newest first within the limit, then the summary as one more."""
    texts = [
        text
        for item in history
        if item.get("type") == "message" and item.get("role") == "user" and not is_context(item)
        for text in ["\n".join(texts_of(item))]
        if not is_summary(text)
    ]
    return [_user(text) for text in [*kept_inputs(texts, LEGACY_INPUT_TOKENS), summary or NO_SUMMARY]]


def _user(text: str) -> Item:
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def _paginated(lines: Sequence[RolloutLine]) -> bool:
    metas = [line.payload for line in lines if line.kind == "session_meta"]
    return bool(metas) and metas[0].get("history_mode") == "paginated"


def _newest_page(lines: Sequence[RolloutLine]) -> Sequence[RolloutLine]:
    """What a paginated thread reads backwards: to the start of the turn of the newest numbered checkpoint."""
    for number in range(len(lines) - 1, -1, -1):
        if isinstance(lines[number].payload.get("window_number"), int) and _replacement(lines[number]) is not None:
            start = number
            while start > 0 and lines[start].payload.get("type") not in ("task_started", "turn_started"):
                start -= 1
            return lines[start:]
    return lines
