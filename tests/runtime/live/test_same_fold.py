"""The state in memory is the same fold as the restored one, after every event of whatever happens."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rehydrate.events.errors import ProviderError
from rehydrate.events.event import Event
from rehydrate.events.store import EventStore
from rehydrate.projections.fold import fold_events
from rehydrate.runtime.live.session import Session
from rehydrate.runtime.resume import resume_session

from ...support.live_session import begun
from ...support.scripted_replies import Call, Reply, say
from ...support.strict_server import strict_server

CALLS = st.sampled_from(
    [
        Call("read_file", {"path": "notes.txt"}),
        Call("write_file", {"path": "new.txt", "content": "x\n"}),
        Call("edit_file", {"path": "notes.txt", "old": "first", "new": "1st"}),
        Call("update_todos", {"todos": [{"content": "a"}, {"content": "b", "status": "completed"}]}),
        Call("read_file", {"path": "../outside"}),
        Call("no_such_tool", {"x": 1}),
        Call("run_command", {"command": "false"}),
    ]
)
REPLIES = st.builds(
    Reply,
    text=st.sampled_from(["", "I look.", "Ünïcödé 🎉"]),
    reasoning=st.sampled_from(["", "hm"]),
    calls=st.lists(CALLS, max_size=3).map(tuple),
    status=st.sampled_from([200, 200, 200, 200, 500, 400]),
    cut_after=st.sampled_from([None, None, None, None, 0, 1]),
)
SCRIPTS = st.lists(REPLIES, max_size=5)


def watched(session: Session, database: str, seen: list[int]) -> None:
    """Compare after every append, from the first event and from a store of its own."""
    core = session._core  # the state in memory is what is being compared

    def compare(events: Sequence[Event]) -> None:
        with EventStore(database) as other:
            _, states, _ = fold_events(lambda: other.read(session.id))
        assert core.state.folded.states == states
        seen.append(events[-1].position)

    core.journal.listen(compare)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(first=SCRIPTS, second=SCRIPTS, compacts=st.booleans())
def test_after_every_event_the_live_state_equals_a_fold_from_the_first_event(
    first: list[Reply], second: list[Reply], compacts: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder, strict_server(*first) as server:
        workspace = Path(folder, "workspace")
        workspace.mkdir()
        (workspace / "notes.txt").write_text("first\n")
        database = str(Path(folder, "db.sqlite"))
        seen: list[int] = []
        with begun(workspace, database, server, permission_mode="acceptEdits") as session:
            watched(session, database, seen)
            turn(session, "one")
            if compacts:
                server.extend(say("SUMMARY"))
                compacted(session)
            server.extend(*second)
            turn(session, "two")
            restored = resume_session(session.id, store=database, check_workspace=False)
            assert restored.model_dump_json() == session.runtime.model_dump_json()
        assert seen == sorted(seen)
        assert server.refused == []


def turn(session: Session, text: Any) -> None:
    try:
        session.run(text, stream=True)
    except ProviderError:
        return


def compacted(session: Session) -> None:
    try:
        session.compact()
    except ProviderError:
        return
