"""Which part of a message tree is the conversation, at every moment of its being written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.resume import resume_session

from ..support.events import Tree


@pytest.fixture
def store() -> Iterator[EventStore]:
    with EventStore(":memory:") as opened:
        yield opened


def streamed() -> Tree:
    """A dead end first; then a reply whose second call was written after the result of its first."""
    tree = Tree().user("u1", None).says("a1", "u1").user("dead", "a1").user("u2", "a1")
    tree.call("c1", "u2", "t1", "msg_1").result("r1", "c1", "t1").call("c2", "r1", "t2", "msg_1").result(
        "r2", "c2", "t2"
    )
    return tree.says("a3", "r2")


def test_the_newest_record_stays_on_the_conversation_while_a_reply_is_being_written(store: EventStore) -> None:
    tree = streamed()
    tree.store_in(store)
    first = 1 + next(n for n, draft in enumerate(tree.drafts) if draft.native_id == "u2")
    for position in range(first, tree.head + 1):
        runtime = resume_session(f"s@{position}", store=store, check_workspace=False)
        names = {message.native_id for message in runtime.messages}
        assert "dead" not in names, position
        assert "u2" in names, position


def test_results_that_came_in_one_after_the_other_are_both_there(store: EventStore) -> None:
    tree = Tree().user("u1", None).call("c1", "u1", "t1", "m").call("c2", "c1", "t2", "m")
    tree.result("r1", "c1", "t1", "one").result("r2", "r1", "t2", "two").store_in(store)
    wire = resume_session("s", store=store, check_workspace=False).to_anthropic()
    assert [block["content"] for block in wire[-1]["content"]] == ["one", "two"]
