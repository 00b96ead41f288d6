"""Telling JSON objects and lists apart so that the type checkers know what they hold."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether a JSON value is a list."""
    return isinstance(value, list)
