"""Any sequence of appends, forks and rewinds: what was at a pointer stays, and nothing of one session shows in another."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule
from rehydrate.events.event import Draft
from rehydrate.events.store import EventStore
from rehydrate.runtime.fork import fork_session, forks_of
from rehydrate.runtime.restored import RestoredRuntime
from rehydrate.runtime.resume import resume_session
from rehydrate.runtime.rewind import rewind_session

from ..support.generated import steps

STORE = EventStore(":memory:")
NUMBERS = itertools.count(1)


def told(runtime: RestoredRuntime, session_id: str) -> str:
    """All that a fork must share with its parent, as text without the session's id. `total` is own and inherited together."""
    parts = [
        runtime.messages,
        runtime.app_state.todos,
        runtime.app_state.files,
        runtime.app_state.queued_inputs,
        runtime.agent,
        runtime.compactions,
        runtime.accounting.total,
    ]
    return repr(parts).replace(f"{session_id}@", "S@")


class Forking(RuleBasedStateMachine):
    sessions: Any = Bundle("sessions")

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, str] = {}
        self.parents: dict[str, tuple[str, int]] = {}

    @initialize(target=sessions)
    def start(self) -> str:
        name = f"machine-{next(NUMBERS)}"
        STORE.create_session(name, source="live")
        STORE.append(name, [Draft("SessionStarted", {"source": "live"}), Draft("UserInput", {"content": []})])
        return name

    @rule(session=sessions, events=st.lists(steps(), min_size=1, max_size=4))
    def append(self, session: str, events: list[tuple[str, dict[str, Any]]]) -> None:
        STORE.append(session, [Draft(kind, data) for kind, data in events])

    @rule(target=sessions, session=sessions, data=st.data())
    def fork(self, session: str, data: st.DataObject) -> str:
        position = data.draw(st.integers(1, STORE.session(session).head))
        events = STORE.event_count()
        made = fork_session(f"{session}@{position}", store=STORE)
        assert STORE.event_count() - events == 2
        child = resume_session(made.session_id, store=STORE, check_workspace=False)
        assert told(child, made.session_id) == told(self.at(session, position), session)
        assert child.accounting.own.requests == 0
        self.parents[made.session_id] = (session, position)
        return made.session_id

    @rule(session=sessions, data=st.data())
    def rewind(self, session: str, data: st.DataObject) -> None:
        position = data.draw(st.integers(1, STORE.session(session).head))
        before = self.at(session, position)
        rewind_session(f"{session}@{position}", store=STORE)
        after = resume_session(session, store=STORE, check_workspace=False)
        assert after.messages == before.messages
        assert after.app_state.todos == before.app_state.todos

    @rule(session=sessions, data=st.data())
    def look(self, session: str, data: st.DataObject) -> None:
        """Remember what is there now; it has to be the same ever after."""
        position = data.draw(st.integers(1, STORE.session(session).head))
        self.seen[f"{session}@{position}"] = told(self.at(session, position), session)

    @rule(session=consumes(sessions), target=sessions)
    def fork_that_fails(self, session: str) -> Any:
        before = (STORE.event_count(), len(STORE.sessions()))
        try:
            fork_session(f"{session}@{STORE.session(session).head + 1}", store=STORE)
        except Exception as error:
            assert type(error).__name__ == "EventNotFound"
        assert (STORE.event_count(), len(STORE.sessions())) == before
        return multiple(session)

    @invariant()
    def what_was_seen_is_still_there(self) -> None:
        for pointer, text in list(self.seen.items())[-3:]:
            session, _, position = pointer.rpartition("@")
            assert told(self.at(session, int(position)), session) == text

    @invariant()
    def lineage_is_known_both_ways(self) -> None:
        for child, (parent, position) in self.parents.items():
            assert STORE.session(child).forked_from == f"{parent}@{position}"
            assert (child, position) in forks_of(STORE, parent)

    @staticmethod
    def at(session: str, position: int) -> RestoredRuntime:
        return resume_session(f"{session}@{position}", store=STORE, check_workspace=False)


TestForking = Forking.TestCase
TestForking.settings = settings(
    max_examples=12,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
