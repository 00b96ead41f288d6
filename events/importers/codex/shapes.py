"""JSON shapes, told to the type checker once."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether the value is a JSON object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether the value is a JSON array."""
    return isinstance(value, list)


def object_of(value: Any) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if is_object(value) else {}


def list_of(value: Any) -> list[Any]:
    """The value if it is a JSON array, else an empty one."""
    return value if is_list(value) else []
