"""The state of a live session in memory: the same folds as a restore, fed one event at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...events.event import Event
from ...events.store import EventStore
from ...projections.fold import Folded, Folding, restore_states

if TYPE_CHECKING:
    from ..restored import Agent, RestoredRuntime


class LiveState:
    """Folded states that advance with each append; `runtime()` is what a restore at this position would give."""

    def __init__(self, store: EventStore, session_id: str) -> None:
        self._store = store
        self._session_id = session_id
        self._set(restore_states(store, session_id))
        self._made: RestoredRuntime | None = None

    def _set(self, folded: Folded) -> None:
        self._path = folded.path
        self._folding = Folding(folded.states)
        self.position = folded.position

    def take(self, events: Sequence[Event]) -> None:
        """Apply events in order; one that changes the past (a rewind) folds all anew."""
        self._made = None
        for event in events:
            if not self._path.extend(event):
                self._set(restore_states(self._store, self._session_id, events[-1].position))
                return
            self._folding.take(event)
            self.position = event.position

    @property
    def folded(self) -> Folded:
        return Folded(self._session_id, self.position, self._path, self._folding.states)

    @property
    def tip(self) -> str | None:
        """The native id a continuation hangs off, None when the session is no tree."""
        return self._path.leaf if self._path.tree else None

    def agent(self) -> Agent:
        """Who acts and with what rights, without making the whole runtime."""
        from ..rights import agent_of

        return agent_of(self.folded, (), [])

    def runtime(self) -> RestoredRuntime:
        """The restored runtime at this position; the workspace is as it was recorded, not looked at again."""
        if self._made is None:
            from ..resume import restored_from

            self._made = restored_from(self._store, self.folded)
        return self._made
