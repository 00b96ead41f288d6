"""Old rows are never rewritten: when a kind changes, a pure function lifts the old data to the new version on reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

UPCASTERS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""By kind and stored version: the step to the next version."""


def upcast(kind: str, version: int, data: dict[str, Any]) -> dict[str, Any]:
    """The data as the present version of its kind; kinds and versions without a step come back as they are."""
    while (step := UPCASTERS.get((kind, version))) is not None:
        data = step(data)
        version += 1
    return data
