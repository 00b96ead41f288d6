"""Folded tokens as totals with costs: own and inherited apart, sub-agents counted to their session, unknown prices left open."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ..projections.accounting import CLASSES
from . import restored as parts
from .pricing import PriceBook

Buckets = dict[str, dict[str, Any]]


def totals(buckets: Buckets, prices: PriceBook) -> parts.Totals:
    """The totals of some models' buckets."""
    by_model = {model: _model(model, buckets[model], prices) for model in sorted(buckets)}
    return _sum(by_model)


def added(*several: parts.Totals) -> parts.Totals:
    """Several totals as one, model by model."""
    by_model: dict[str, parts.ModelUsage] = {}
    for one in several:
        for model, usage in one.by_model.items():
            by_model[model] = _plus(by_model[model], usage) if model in by_model else usage
    return _sum({model: by_model[model] for model in sorted(by_model)})


def _model(model: str, bucket: dict[str, Any], prices: PriceBook) -> parts.ModelUsage:
    numbers = [sum(column) for column in zip(bucket["short"], bucket["long"], bucket["costed"], strict=True)]
    known = Decimal(bucket["cost"])
    reported = any(bucket["costed"]) or known != 0
    source: str | None = bucket["source"] if reported else None
    cost: Decimal | None = known
    if any(bucket["short"]) or any(bucket["long"]):
        unit = prices.of(model, bucket["last_us"])
        if unit is None:
            cost = None
        else:
            cost = known = known + unit.cost(bucket["short"], bucket["long"])
            source = f"{source}, {unit.source}" if source else unit.source
    counts = dict(zip(CLASSES, numbers, strict=True))
    return parts.ModelUsage(
        requests=bucket["requests"],
        **counts,
        cost_usd=None if cost is None else float(cost),
        cost_usd_known=float(known),
        price_source=source,
    )


def _plus(a: parts.ModelUsage, b: parts.ModelUsage) -> parts.ModelUsage:
    counts = {name: getattr(a, name) + getattr(b, name) for name in ("requests", *CLASSES)}
    return parts.ModelUsage(**counts, **_money([a, b]))


def _sum(by_model: dict[str, parts.ModelUsage]) -> parts.Totals:
    usages = list(by_model.values())
    counts = {name: sum(getattr(usage, name) for usage in usages) for name in ("requests", *CLASSES)}
    return parts.Totals(**counts, **_money(usages), by_model=by_model)


def _money(usages: list[parts.ModelUsage]) -> dict[str, Any]:
    """Sums through decimals, so that their order and number leave no trace in the last digits."""
    known = sum((Decimal(repr(usage.cost_usd_known)) for usage in usages), Decimal(0))
    costs = [usage.cost_usd for usage in usages]
    open_price = any(cost is None for cost in costs)
    sources = list(dict.fromkeys(usage.price_source for usage in usages if usage.price_source))
    return {
        "cost_usd": None if open_price else float(known),
        "cost_usd_known": float(known),
        "price_source": ", ".join(sources) or None,
    }
