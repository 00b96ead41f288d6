"""Tokens: `token_count` events and, since 2026, one usage record per response; each response counts once."""

from __future__ import annotations

from typing import Any

from .batch import Batch, text_or_none, whole
from .memory import Memory
from .shapes import is_object

_FIELDS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "total_tokens",
)
INPUT, CACHED, WRITTEN, OUTPUT, REASONING, TOTAL = range(6)


def usage_of(value: Any) -> list[int] | None:
    """The six figures of a usage object, in the order above; a total alone counts as input. None when there is none."""
    if not is_object(value):
        return None
    figures = [whole(value.get(name)) for name in _FIELDS]
    if all(figure is None for figure in figures):
        return None
    filled = [figure or 0 for figure in figures]
    if figures[TOTAL] is None:
        filled[TOTAL] = filled[INPUT] + filled[OUTPUT]
    elif all(figure is None for figure in figures[:TOTAL]):
        filled[INPUT] = filled[TOTAL]
    return filled


def emit_token_count(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    """Cost of a token_count; one whose totals did not change repeats the last response and adds nothing."""
    info = payload.get("info")
    limits = batch.value("rate_limits")
    if not is_object(info):
        if limits is not None:
            batch.add("Cost", replay=True, model=memory.model, provider=memory.provider, rate_limits=limits)
        return
    total, last = usage_of(info.get("total_token_usage")), usage_of(info.get("last_token_usage"))
    window = whole(info.get("model_context_window"))
    context = {"context_tokens": last[TOTAL] if last else None, "context_window": window, "rate_limits": limits}
    spent = _spent(memory, total, last, window)
    memory.totals = total or memory.totals
    memory.last = last or memory.last
    if spent is None:
        batch.add("Cost", replay=True, model=memory.model, provider=memory.provider, **context)
    else:
        _emit(batch, memory, spent, **context)


def _spent(memory: Memory, total: list[int] | None, last: list[int] | None, window: int | None) -> list[int] | None:
    """The usage of the response that this count tells of, None when it was counted before."""
    if memory.records:
        return None
    if total is None:
        return None if last is None or last == memory.last else last
    known = memory.totals
    if total == known or not any(total[:TOTAL]):
        return None
    if last is None or (window is not None and last[TOTAL] > window):
        difference = [new - old for new, old in zip(total, known or [0] * 6, strict=True)]
        return difference if all(figure >= 0 for figure in difference) else last
    return last


def emit_usage_record(batch: Batch, memory: Memory, payload: dict[str, Any]) -> None:
    """Cost of a usage record, which names its response; the token_count that follows repeats it."""
    usage = usage_of(payload.get("usage"))
    if usage is None:
        return
    memory.records, memory.last = True, usage
    batch.named(payload.get("response_id"))
    _emit(batch, memory, usage, response_id=text_or_none(payload.get("response_id")))


def _emit(batch: Batch, memory: Memory, usage: list[int], **more: Any) -> None:
    """Cached input is a part of the input; a provider that reports more of it than input counts the two apart."""
    cached, written = usage[CACHED], usage[WRITTEN]
    inclusive = cached + written <= usage[INPUT]
    batch.add(
        "Cost",
        model=memory.model,
        provider=memory.provider,
        input_tokens=usage[INPUT] - cached - written if inclusive else usage[INPUT],
        cache_read_tokens=cached,
        cache_write_5m_tokens=written or None,
        output_tokens=usage[OUTPUT],
        reasoning_tokens=usage[REASONING],
        total_tokens=usage[TOTAL],
        service_tier=memory.tier,
        inherited=memory.copying or None,
        **more,
    )
