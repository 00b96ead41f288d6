"""Time stamps of any source as microseconds since 1970 UTC; they are data and order nothing."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FRACTION = re.compile(r"(\.\d{6})\d+")
_USUAL_LENGTH = 24
_LAST = 253_402_300_799_000_000


def to_us(value: Any) -> int | None:
    """Read an RFC 3339 text (without a zone: UTC) or a number (s, ms or µs since 1970); None if it is neither."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _from_number(value)
    if not isinstance(value, str):
        return None
    if len(value) == _USUAL_LENGTH and value[19] == "." and value[23] == "Z":
        usual = _usual(value)
        if usual is not None:
            return usual
    text = _FRACTION.sub(r"\1", value.strip())
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return (moment - _EPOCH) // timedelta(microseconds=1)
    except OverflowError:
        return None


def _usual(text: str) -> int | None:
    """`2026-01-31T08:15:00.123Z`, the form nearly all records have, without a calendar for each."""
    try:
        second = _second_us(text[:19])
    except ValueError:
        return None
    milliseconds = text[20:23]
    return second + int(milliseconds) * 1000 if milliseconds.isascii() and milliseconds.isdigit() else None


@lru_cache(maxsize=256)
def _second_us(text: str) -> int:
    return (datetime.fromisoformat(text).replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)


def _from_number(value: float) -> int | None:
    if math.isnan(value) or value in (float("inf"), float("-inf")) or value < 0:
        return None
    for limit, factor in ((1e11, 1_000_000), (1e14, 1_000), (1e17, 1)):
        if value < limit:
            return min(int(value * factor), _LAST)
    return None


def to_iso(us: int | None) -> str | None:
    """`2026-01-31T08:15:00.123000Z`, None for None."""
    if us is None:
        return None
    return (_EPOCH + timedelta(microseconds=us)).isoformat(timespec="microseconds").replace("+00:00", "Z")


def now_us() -> int:
    """The clock. Only acts read it, never a fold."""
    return (datetime.now(UTC) - _EPOCH) // timedelta(microseconds=1)
