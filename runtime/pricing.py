"""What tokens cost: unit prices by model from genai-prices, kept in the database so that the price list is loaded rarely."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

from sqlalchemy import select

from ..events import schema
from ..events.errors import RehydrateError
from ..events.store import EventStore
from ..projections.accounting import CLASSES

_LONG = 1_000_000
_SHORT = 1_000
_DAY_US = 86_400_000_000
_SOME_DAY_US = 1_767_225_600_000_000
"""2026-01-01, for usage without any time: the price must not depend on when it is asked for."""


@dataclass(frozen=True, slots=True)
class UnitPrices:
    """US dollars per token by class, in the order of `CLASSES`, for short and for long prompts. source: list and its version."""

    short: tuple[Decimal, ...]
    long: tuple[Decimal, ...]
    source: str

    def cost(self, short: list[int], long: list[int]) -> Decimal:
        parts = [count * price for count, price in zip(short, self.short, strict=True)]
        parts += [count * price for count, price in zip(long, self.long, strict=True)]
        return sum(parts, Decimal(0))


class PriceBook:
    """Unit prices; None for models that the list does not know."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._known: dict[str, UnitPrices | None] = {}

    @cached_property
    def _source(self) -> str:
        from importlib.metadata import version

        return f"genai-prices {version('genai-prices')}"

    def of(self, model: str, at_us: int | None) -> UnitPrices | None:
        day = (at_us if at_us is not None else _SOME_DAY_US) // _DAY_US
        key = f"price:{self._source}:{model}:{day}"
        if key not in self._known:
            told = self._row(key)
            self._known[key] = self._looked_up(key, model, day) if told is None else self._remembered(told)
        return self._known[key]

    def knows(self, model: str) -> bool:
        """Whether the list has a price for the model."""
        return self.of(model, None) is not None

    def _row(self, key: str) -> str | None:
        with self._store.reading() as connection:
            query = select(schema.store_info.c.value).where(schema.store_info.c.key == key)
            value = connection.execute(query).scalar()
        return None if value is None else str(value)

    def _remembered(self, told: str) -> UnitPrices | None:
        data: Any = json.loads(told)
        if data is None:
            return None
        short, long = (tuple(Decimal(price) for price in data[name]) for name in ("short", "long"))
        return UnitPrices(short, long, self._source)

    def _looked_up(self, key: str, model: str, day: int) -> UnitPrices | None:
        found = _from_list(model, datetime.fromtimestamp(day * 86_400, UTC), self._source)
        told = None if found is None else {"short": [str(p) for p in found.short], "long": [str(p) for p in found.long]}
        try:
            with self._store.writing(wait_s=0) as connection:
                connection.execute(schema.store_info.insert(), {"key": key, "value": json.dumps(told)})
        except RehydrateError:
            pass  # A database that cannot be written works without this memory.
        return found


def _from_list(model: str, moment: datetime, source: str) -> UnitPrices | None:
    try:
        short = tuple(_unit(model, moment, name, _SHORT, _SHORT) for name in CLASSES)
        long = tuple(_unit(model, moment, name, _SHORT, _LONG) for name in CLASSES)
    except LookupError:
        return None
    return UnitPrices(short, long, source)


def _unit(model: str, moment: datetime, name: str, count: int, prompt: int) -> Decimal:
    """The price of one token of a class in a request whose prompt has `prompt` tokens: what `count` more of them add."""
    if name == "reasoning_tokens":
        return Decimal(0)  # Part of the output.
    base = _price(model, moment, {"input_tokens": prompt})
    if name == "input_tokens":
        return base / prompt
    if name in ("output_tokens", "web_searches"):
        return (_price(model, moment, {"input_tokens": prompt, name: count}) - base) / count
    # Cached tokens are part of the input in the list's terms, and dearer or cheaper than plain ones.
    told = {"cache_write_tokens": count, name: count} if name.startswith("cache_write") else {name: count}
    more = _price(model, moment, {"input_tokens": prompt, **told}) - base
    return more / count + base / prompt


def _price(model: str, moment: datetime, usage: dict[str, int]) -> Decimal:
    from genai_prices import Usage, calc_price

    return calc_price(Usage(**usage), model_ref=model, genai_request_timestamp=moment).total_price
