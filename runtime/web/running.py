"""Runs in progress: each goes on in a thread of its own whether or not somebody listens; who comes back hears what was missed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...events.errors import Conflict, RehydrateError
from ..live.live_events import LiveEvent
from .answers import told

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..live.session import Session

KEPT_FEEDS = 64
"""Finished runs whose events are still held for listeners that come back."""


class Feed:
    """The events of one run so far; `follow` waits for more until the run has ended."""

    def __init__(self) -> None:
        self.session_id: str | None = None
        self.error: RehydrateError | None = None
        self.ended = False
        self._events: list[LiveEvent] = []
        self._changed = threading.Condition()
        self._session: Session | None = None
        self._stop = False

    def add(self, event: LiveEvent) -> None:
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    def end(self) -> None:
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def opened(self, session: Session) -> None:
        with self._changed:
            self._session = session
            self.session_id = session.id
            if self._stop:
                session.interrupt()

    def interrupt(self) -> bool:
        """Stop the run; False when it has ended already."""
        with self._changed:
            if self.ended:
                return False
            self._stop = True
            if self._session is not None:
                self._session.interrupt()
            return True

    def after(self, position: int | None, taken: int, timeout_s: float) -> tuple[list[LiveEvent], int, bool]:
        """Events number `taken` and later that lie behind `position`, how many are taken now, and whether that is all.

        Pieces of text carry the position of the last durable event: those of the item in progress are given again, each
        with its offset in the text.
        """
        with self._changed:
            if len(self._events) <= taken and not self.ended:
                self._changed.wait(timeout_s)
            fresh = self._events[taken:]
            done = self.ended
        missed = fresh if position is None else [event for event in fresh if _missed(event, position)]
        return missed, taken + len(fresh), done

    def all(self) -> Iterator[LiveEvent]:
        """Every event, waiting for the end."""
        at = 0
        while True:
            with self._changed:
                while len(self._events) <= at and not self.ended:
                    self._changed.wait()
                if len(self._events) <= at:
                    return
                event = self._events[at]
            at += 1
            yield event


def _missed(event: LiveEvent, position: int) -> bool:
    return event.position > position or (event.position == position and event.type in ("text_delta", "reasoning_delta"))


class Runs:
    """The newest run of each session; at most one of them is in progress."""

    def __init__(self) -> None:
        self._feeds: dict[str, Feed] = {}
        self._guard = threading.Lock()

    def of(self, session_id: str) -> Feed | None:
        with self._guard:
            return self._feeds.get(session_id)

    def start(self, drive: Callable[[Feed], None]) -> Feed:
        """Run `drive` in a thread; it fills the feed and ends it."""
        feed = Feed()
        threading.Thread(target=drive, args=(feed,), daemon=True, name="run").start()
        return feed

    def enter(self, session_id: str, feed: Feed) -> None:
        """Note which run a session is in.

        Raises:
            Conflict: one of its runs is still in progress here.
        """
        with self._guard:
            present = self._feeds.get(session_id)
            if present is not None and present is not feed and not present.ended:
                raise Conflict(
                    f"Session {session_id} is running.",
                    remedy="Follow it with GET /api/sessions/ID/events, or interrupt it.",
                    session_id=session_id,
                )
            self._feeds.pop(session_id, None)
            self._feeds[session_id] = feed
            ended = [key for key, each in self._feeds.items() if each.ended]
            for key in ended[: max(0, len(self._feeds) - KEPT_FEEDS)]:
                del self._feeds[key]

    def interrupt_all(self) -> None:
        """For the server's end: stop what runs."""
        with self._guard:
            for feed in self._feeds.values():
                feed.interrupt()


def told_error(error: RehydrateError, position: int) -> dict[str, Any]:
    """The data of an `error` event."""
    return {"type": "error", "position": position, **told(error)}
