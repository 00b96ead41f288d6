"""The event store: one append-only stream per session, gap-free positions, a hash chain, forks that share their past."""

from __future__ import annotations

from .session_rows import Segment, SessionRow
from .snapshots import Snapshots


class EventStore(Snapshots):
    """All sessions of one database: `EventStore(target)` with a URL, a path, `:memory:` or None for the default database.

    Use as a context manager, or call `close()`. Not safe to share between processes after a fork; threads may share it (calls
    are serialized). What it can do is told by topic: transactions in `connected`, look-ups in `session_rows`, reads in `reading`,
    new sessions and forks in `creating`, writes in `appending`, stored states in `snapshots`.
    """


__all__ = ["EventStore", "Segment", "SessionRow"]
