"""Every public function takes `store=`: a URL, a path, an opened store, or None for the default database."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager

from ..events.store import EventStore

StoreLike = EventStore | str | os.PathLike[str] | None


@contextmanager
def opened(store: StoreLike) -> Generator[EventStore]:
    """An open store; one that was opened here is closed again, one that came in open stays open."""
    if isinstance(store, EventStore):
        yield store
        return
    with EventStore(store) as own:
        yield own
