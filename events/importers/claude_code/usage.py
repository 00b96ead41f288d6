"""What one provider response cost, as its line tells it; which lines count is the accounting fold's business."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from .record import Record
from .shape import Json, obj, rows, text, whole

SYNTHETIC = "<synthetic>"


def cost_event(record: Record) -> None:
    """One Cost for a line with usage; none for what the client made up itself."""
    message = record.message
    usage = message.get("usage")
    model = text(message.get("model"))
    if not isinstance(usage, dict) or model == SYNTHETIC or record.value.get("isApiErrorMessage"):
        return
    cost_usd = record.value.get("costUSD")
    priced = isinstance(cost_usd, int | float) and not isinstance(cost_usd, bool)
    tokens = token_classes(obj(usage))
    record.add(
        "Cost",
        response_id=text(message.get("id")),
        request_id=text(record.value.get("requestId")),
        model=model,
        **tokens,
        cost_usd=str(Decimal(str(cost_usd))) if priced else None,
        price_source="transcript" if priced else None,
        speed=text(obj(usage).get("speed")),
        service_tier=text(obj(usage).get("service_tier")),
        context_tokens=_context(tokens),
        iterations=_iterations(obj(usage)),
        inherited=True if _copied(record) else None,
    )


def token_classes(usage: Json) -> dict[str, int | None]:
    """The token counts by class. Cache writes without a class are 5-minute ones."""
    created = obj(usage.get("cache_creation"))
    short = whole(created.get("ephemeral_5m_input_tokens"))
    long = whole(created.get("ephemeral_1h_input_tokens"))
    if not short and not long:
        short = whole(usage.get("cache_creation_input_tokens"))
    return {
        "input_tokens": whole(usage.get("input_tokens")),
        "output_tokens": whole(usage.get("output_tokens")),
        "cache_read_tokens": whole(usage.get("cache_read_input_tokens")),
        "cache_write_5m_tokens": short,
        "cache_write_1h_tokens": long,
        "reasoning_tokens": whole(obj(usage.get("output_tokens_details")).get("thinking_tokens")),
        "web_searches": whole(obj(usage.get("server_tool_use")).get("web_search_requests")) or None,
    }


def _context(tokens: dict[str, int | None]) -> int | None:
    names = ("input_tokens", "cache_read_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens", "output_tokens")
    known = [tokens[name] for name in names]
    return sum(count or 0 for count in known) if any(count is not None for count in known) else None


def _iterations(usage: Json) -> list[dict[str, Any]] | None:
    """The earlier attempts of a response that was refused and given by another model: the usage itself is the last one's."""
    found = [obj(item) for item in rows(usage.get("iterations"))]
    if len(found) < 2:
        return None
    earlier = found[:-1]
    return [{"model": text(item.get("model")), **token_classes(item)} for item in earlier]


def _copied(record: Record) -> bool:
    """Whether the line was copied from another session when this one was forked or continued."""
    if record.identity.role != "main":
        return False
    if obj(record.value.get("forkedFrom")):
        return True
    named = text(record.value.get("sessionId"))
    return named is not None and named != record.identity.session_id
