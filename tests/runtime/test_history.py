"""The reader's view: all of every branch, once, with turns and with what the model sees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.history import Entry, rewind_points, show_session
from rehydrate.runtime.resume import resume_session
from rehydrate.runtime.rewind import rewind_session

from ..support.events import Log


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    with EventStore(tmp_path / "store.sqlite") as opened:
        yield opened


def said(entries: tuple[Entry, ...]) -> list[tuple[str, int | None, bool]]:
    return [(e.text, e.turn, e.live) for e in entries if e.kind in ("UserInput", "AssistantMessage")]


def test_a_left_branch_is_still_shown_but_belongs_to_no_turn(store: EventStore) -> None:
    Log().user("one").says("first", "r1").user("two").says("second", "r2").store_in(store)
    rewind_session("s@turn:1", store=store)
    history = show_session("s", store=store)
    assert said(history.entries) == [
        ("one", 1, True),
        ("first", 1, True),
        ("two", None, False),
        ("second", None, False),
    ]
    assert [place.pointer for place in history.places if place.what == "end before a rewind"] == ["s@5"]
    assert history.branches == 2


def test_what_a_compaction_replaced_is_readable_but_not_seen_by_the_model(store: EventStore) -> None:
    Log().user("old").says("older", "r1").compact("what was").user("new").says("newer", "r2").store_in(store)
    entries = show_session("s", store=store).entries
    assert [(e.text, e.model_visible) for e in entries if e.kind != "SessionStarted"] == [
        ("old", False),
        ("older", False),
        ("what was", True),
        ("new", True),
        ("newer", True),
    ]


def test_every_rewind_point_works_for_resume_fork_and_rewind(store: EventStore) -> None:
    log = Log().user("one").says("first", "r1").user("two").call("c1", response="r2").result("c1").says("second", "r2")
    log.user("three").says("third", "r3").store_in(store)
    points = rewind_points("s", store=store)
    assert [(point.turn, point.text) for point in points] == [(1, "one"), (2, "two"), (3, "three")]
    for point in points:
        assert resume_session(point.pointer, store=store, check_workspace=False).messages
        assert fork_session(point.prompt, store=store).forked_from == point.prompt
    assert points[1].before == points[0].pointer
    rewind_session(points[0].pointer, store=store)
    assert [point.turn for point in rewind_points("s", store=store)] == [1]


def test_the_view_ends_at_the_pointer(store: EventStore) -> None:
    Log().user("one").says("first", "r1").user("two").store_in(store)
    assert said(show_session("s@3", store=store).entries) == [("one", 1, True), ("first", 1, True)]
