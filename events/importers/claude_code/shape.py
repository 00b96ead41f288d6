"""Reading JSON whose shape nobody guarantees: a value of the expected type, or an empty one."""

from __future__ import annotations

from math import isnan
from typing import Any, TypeGuard

Json = dict[str, Any]


def is_obj(value: Any) -> TypeGuard[Json]:
    """Whether the value is a JSON object."""
    return isinstance(value, dict)


def is_rows(value: Any) -> TypeGuard[list[Any]]:
    """Whether the value is a JSON list."""
    return isinstance(value, list)


def obj(value: Any) -> Json:
    """The value if it is an object, else an empty one."""
    return value if is_obj(value) else {}


def rows(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if is_rows(value) else []


def text(value: Any) -> str | None:
    """The value if it is a text with something in it, else None."""
    return value if isinstance(value, str) and value else None


def whole(value: Any) -> int | None:
    """The value as an integer if it is a number, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or isnan(value):
        return None
    return int(value) if abs(value) < 2**53 else None


def texts(value: Any) -> list[str]:
    """The non-empty texts in a list."""
    return [item for item in rows(value) if isinstance(item, str) and item]


def some(data: Json) -> Json:
    """Without the members that say nothing (None)."""
    return {key: value for key, value in data.items() if value is not None}
