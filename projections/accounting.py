"""Tokens and reported costs by model: each provider response counts once, however often it is logged, copied or replayed.

Prices are not looked at here; what a price must be found for is kept apart from what came with its cost.
"""

from __future__ import annotations

import hashlib
from decimal import Decimal
from typing import Any

from ..events.event import Event
from .projection import Projection, State

CLASSES = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "reasoning_tokens",
    "web_searches",
)
"""The order of the numbers in a usage."""

LONG_PROMPT_TOKENS = 200_000
"""Responses with longer prompts are kept apart: providers price them differently."""

RECENT = 64
"""Responses whose usage may still be corrected by a later record."""

UNKNOWN_MODEL = "unknown"
_KEY_CHARS = 9

Usage = list[int]


def initial() -> State:
    """own, inherited: by model `{requests, short, long, costed: usages; cost; provider; last_us}`.

    recent: the last responses as `[id, request, model, side, usage, cost, lane, fallen back from]`. seen: short digests of the
    older ids of imported responses. cumulative: the last thread totals, for sources that log running sums.
    """
    return {
        "own": {},
        "inherited": {},
        "recent": [],
        "seen": "",
        "cumulative": None,
        "last_total": None,
        "rate_limits": None,
    }


def apply(state: State, event: Event) -> None:
    data = event.data
    if event.kind == "SessionStarted":
        if data.get("forked_from"):
            _inherit(state)
        return
    if data.get("rate_limits") is not None:
        state["rate_limits"] = data["rate_limits"]
    if data.get("replay"):
        return
    side = "inherited" if data.get("inherited") else "own"
    if data.get("cumulative"):
        _cumulative(state, event, side)
        return
    total = data.get("cumulative_total_tokens")
    if total is not None:
        if total == state["last_total"]:
            return
        state["last_total"] = total
    _response(state, event, side)


def _inherit(state: State) -> None:
    """A fork begins: all that was counted so far belongs to its parent."""
    for model, bucket in state["own"].items():
        _merge(state["inherited"].setdefault(model, _bucket()), bucket)
    state["own"] = {}
    for entry in state["recent"]:
        entry[3] = "inherited"


def _bucket() -> dict[str, Any]:
    zero: Usage = [0] * len(CLASSES)
    return {
        "requests": 0,
        "short": zero[:],
        "long": zero[:],
        "costed": zero[:],
        "source": None,
        "cost": "0",
        "provider": None,
        "last_us": None,
    }


def _merge(target: dict[str, Any], bucket: dict[str, Any]) -> None:
    target["requests"] += bucket["requests"]
    for part in ("short", "long", "costed"):
        target[part] = [a + b for a, b in zip(target[part], bucket[part], strict=True)]
    target["cost"] = str(Decimal(target["cost"]) + Decimal(bucket["cost"]))
    target["provider"] = bucket["provider"] or target["provider"]
    target["source"] = bucket["source"] or target["source"]
    target["last_us"] = bucket["last_us"] if bucket["last_us"] is not None else target["last_us"]


def usage_of(data: dict[str, Any]) -> Usage:
    return [int(data.get(name) or 0) for name in CLASSES]


def _add(
    state: State, side: str, model: str, usage: Usage, cost: str | None, sign: int, requests: int = 1
) -> dict[str, Any]:
    buckets = state[side]
    if model not in buckets:
        buckets[model] = _bucket()
    bucket: dict[str, Any] = buckets[model]
    prompt = usage[0] + usage[2] + usage[3] + usage[4]
    part = "costed" if cost is not None else "long" if prompt > LONG_PROMPT_TOKENS else "short"
    held = bucket[part]
    for number, amount in enumerate(usage):
        held[number] += sign * amount
    if cost is not None:
        bucket["cost"] = str(Decimal(bucket["cost"]) + sign * Decimal(cost))
    bucket["requests"] += sign * requests
    if bucket["requests"] == 0 and not any(bucket["short"]) and not any(bucket["long"]) and not any(bucket["costed"]):
        del buckets[model]
    return bucket


def _response(state: State, event: Event, side: str) -> None:
    data = event.data
    response, request = data.get("response_id") or data.get("request_id"), data.get("request_id")
    model = data.get("model") or UNKNOWN_MODEL
    usage = usage_of(data)
    if data.get("failed") and not any(usage):
        return
    entry = [response, request, model, side, usage, data.get("cost_usd"), event.lane is not None, _extra(data, model)]
    if response is not None:
        known = _known(state, entry)
        if known is not None:
            _correct(state, known, entry, event)
            return
        if _was_seen(state["seen"], _digest(entry)):
            return
        _remember(state, entry, event)
    _count(state, entry, event, 1)


def _extra(data: dict[str, Any], model: str) -> list[list[Any]]:
    """Earlier iterations of a response that fell back to another model: each is paid to its own model."""
    told: list[Any] = data.get("iterations") or []
    iterations: list[dict[str, Any]] = [part for part in told if isinstance(part, dict)]
    if len(iterations) < 2:
        return []
    return [[part.get("model") or model, _iteration(part)] for part in iterations[:-1]]


def _iteration(part: dict[str, Any]) -> Usage:
    """Usage of one iteration, in our names or as the provider wrote it."""
    if "cache_read_input_tokens" not in part and "cache_creation_input_tokens" not in part:
        return usage_of(part)
    nested: dict[str, Any] = part.get("cache_creation") or {}
    hour = int(nested.get("ephemeral_1h_input_tokens") or 0)
    written = int(part.get("cache_creation_input_tokens") or 0)
    five = int(nested.get("ephemeral_5m_input_tokens") or max(0, written - hour))
    numbers = (part.get("input_tokens"), part.get("output_tokens"), part.get("cache_read_input_tokens"))
    return [*(int(number or 0) for number in numbers), five, hour, 0, 0]


def _count(state: State, entry: list[Any], event: Event, sign: int) -> None:
    _, _, model, side, usage, cost, _, extra = entry
    bucket = _add(state, side, model, usage, cost, sign)
    if sign > 0:
        bucket["last_us"] = event.ts if event.ts is not None else bucket["last_us"]
        bucket["provider"] = event.data.get("provider") or bucket["provider"]
        if cost is not None:
            bucket["source"] = event.data.get("price_source") or "reported"
    for other, part in extra:
        _add(state, side, other, part, None, sign, requests=0)


def _known(state: State, entry: list[Any]) -> list[Any] | None:
    for known in reversed(state["recent"]):
        if known[0] == entry[0] and (known[1] == entry[1] or known[1] is None or entry[1] is None):
            found: list[Any] = known
            return found
    return None


def knows(state: State, event: Event) -> bool:
    """Whether a reply was counted before this event of it."""
    response, request = event.data.get("response_id"), event.data.get("request_id")
    entry = [response, request]
    return _known(state, entry) is not None or _was_seen(state["seen"], _digest(entry))


def _correct(state: State, known: list[Any], entry: list[Any], event: Event) -> None:
    """A later record of the same response: its usage is the better one when it is larger, never a side chain's replay."""
    if entry[6] and not known[6]:
        return
    smaller = sum(entry[4]) < sum(known[4]) or (entry[5] is None and known[5] is not None)
    if smaller and not (known[6] and not entry[6]):
        return
    entry[3] = known[3]
    entry[1] = entry[1] or known[1]
    _count(state, known, event, -1)
    _count(state, entry, event, 1)
    known[:] = entry


def _remember(state: State, entry: list[Any], event: Event) -> None:
    recent = state["recent"]
    recent.append(entry)
    if len(recent) > RECENT:
        # Only imported logs replay old responses; a live one never does, and its state stays small.
        old = recent.pop(0)
        if event.record is not None:
            state["seen"] += _digest(old)


def _digest(entry: list[Any]) -> str:
    text = f"{entry[0]}\n{entry[1] or ''}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_CHARS]


def _was_seen(seen: str, digest: str) -> bool:
    at = seen.find(digest)
    while at >= 0 and at % _KEY_CHARS:
        at = seen.find(digest, at + 1)
    return at >= 0


def _cumulative(state: State, event: Event, side: str) -> None:
    """Running totals of a thread: what is new is the difference; a decrease means that the counter began anew."""
    data = event.data
    model = data.get("model") or UNKNOWN_MODEL
    totals = usage_of(data)
    before: Usage = state["cumulative"] or [0] * len(CLASSES)
    restarted = sum(totals) < sum(before)
    delta = totals if restarted else [max(0, new - old) for new, old in zip(totals, before, strict=True)]
    state["cumulative"] = totals
    if any(delta):
        bucket = _add(state, side, model, delta, None, 1)
        bucket["last_us"] = event.ts if event.ts is not None else bucket["last_us"]
        bucket["provider"] = data.get("provider") or bucket["provider"]


FOLD = Projection("accounting", 2, "all", initial, apply, frozenset({"Cost", "SessionStarted"}))
