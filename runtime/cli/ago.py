"""Times as a person says them: `3 min ago`, `yesterday`, `12 May`; sizes and counts likewise."""

from __future__ import annotations

import os
from datetime import UTC, datetime

_STEPS = ((60, 1, "s"), (3600, 60, "min"), (86_400, 3600, "h"))


def ago(moment: str | None, now: datetime | None = None) -> str:
    """A time stamp (RFC 3339) relative to now; `-` for None or an unreadable one.

    now: the clock, or the moment that `SOURCE_DATE_EPOCH` names, so that documentation can be made again.
    """
    if not moment:
        return "-"
    try:
        then = datetime.fromisoformat(moment)
    except ValueError:
        return "-"
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    present = now or _now()
    seconds = (present - then).total_seconds()
    if 0 <= seconds < 86_400:
        limit, unit, name = next(step for step in _STEPS if seconds < step[0])
        return "just now" if limit == 60 and seconds < 10 else f"{int(seconds // unit)} {name} ago"
    days = (present.date() - then.date()).days
    if days == 1:
        return "yesterday"
    if 1 < days < 14:
        return f"{days} days ago"
    return f"{then.day} {then:%b}" if then.year == present.year else f"{then.day} {then:%b %Y}"


def _now() -> datetime:
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    return datetime.fromtimestamp(int(fixed), UTC) if fixed else datetime.now(UTC)


def size(count: int | None) -> str:
    """Bytes as `12 B`, `3.4 kB`, `1.2 MB`."""
    if count is None:
        return "-"
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def count(number: int | None) -> str:
    """`1 234 567` with thin grouping that stays one word for a shell: `1,234,567`."""
    return "-" if number is None else f"{number:,}"


def many(number: int, noun: str, plural: str | None = None) -> str:
    """`1 session`, `2 sessions`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def money(usd: float | str | None, known: float | str | None = None) -> str:
    """Dollars; `unknown` for None, with the known part when there is one."""
    if usd is not None:
        value = float(usd)
        return f"${value:.2f}" if value >= 1 or value == 0 else f"${value:.4f}"
    return "unknown" if not known else f"{money(known)} + unknown"
