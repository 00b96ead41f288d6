"""Where the long strings of a JSON record lie, found without parsing it: only places a long string must cover are looked at."""

from __future__ import annotations

_QUOTE = b'"'
_BACKSLASH = 0x5C


def long_parts(raw: bytes, length: int) -> list[tuple[int, int]]:
    """`(start, end)` of every stretch of at least `length` bytes between two quotes that are not escaped, in order.

    In a JSON text these are the long strings, without their quotes (and long stretches without any string).
    """
    parts: list[tuple[int, int]] = []
    after = 0
    at = length
    while at < len(raw):
        start = _quote_before(raw, after, at) + 1
        end = _quote_from(raw, at)
        if end < 0:
            break
        if end - start >= length:
            parts.append((start, end))
        after = end
        at = max(at + length, end + 1)
    return parts


def _quote_before(raw: bytes, first: int, end: int) -> int:
    """The last quote in `raw[first:end]` that is not escaped; the place before `first` when there is none."""
    at = raw.rfind(_QUOTE, first, end)
    while at >= first and _is_escaped(raw, at):
        at = raw.rfind(_QUOTE, first, at)
    return at if at >= 0 else first - 1


def _quote_from(raw: bytes, first: int) -> int:
    """The first quote from `first` on that is not escaped, -1 when there is none."""
    at = raw.find(_QUOTE, first)
    while at >= 0 and _is_escaped(raw, at):
        at = raw.find(_QUOTE, at + 1)
    return at


def _is_escaped(raw: bytes, at: int) -> bool:
    """Whether an odd number of backslashes stands before the place."""
    before = at
    while before > 0 and raw[before - 1] == _BACKSLASH:
        before -= 1
    return (at - before) % 2 == 1
