"""What a fold is: a name, a version, a start, a step. Registered with one line in `registry.py`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ..events.event import Event

State = dict[str, Any]
"""JSON values only, so that a snapshot is the state itself."""


@dataclass(frozen=True, slots=True)
class Projection:
    """A pure fold. `apply` changes the state in place and reads nothing but its arguments: no clock, disk, network, randomness.

    scope: `branch` sees only the events on the live path (a rewind takes the others away), `all` sees every event.
    version: raise it with any change of meaning; stored states of other versions are ignored.
    kinds: the events it looks at; it is not called for others.
    off_path: for a `branch` fold, what an event off the live path means all the same (a fact about the machine).
    """

    name: str
    version: int
    scope: Literal["branch", "all"]
    initial: Callable[[], State]
    apply: Callable[[State, Event], None]
    kinds: frozenset[str]
    off_path: Callable[[State, Event], None] | None = None
