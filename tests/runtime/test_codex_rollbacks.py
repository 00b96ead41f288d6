"""Rollbacks, compactions and copied pasts of Codex: what a restore gives, and what the client would send."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.store import EventStore
from rehydrate.runtime.compat.codex import render
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.resume import resume_session

from ..support.rollouts import (
    OTHER,
    START,
    THREAD,
    call,
    compacted,
    completed,
    event,
    item,
    line,
    meta,
    output,
    reply,
    rolled_back,
    rollout,
    started,
    turn,
    user,
)


@pytest.fixture
def store() -> Iterator[EventStore]:
    with EventStore(":memory:") as opened:
        yield opened


def take(store: EventStore, folder: Path, *lines: Any, thread: str = THREAD) -> None:
    import_transcripts([rollout(folder / "sessions", *lines, thread=thread)], store=store)


def ours(store: EventStore, thread: str = THREAD) -> list[str]:
    """Texts of the default restore."""
    runtime = resume_session(thread, store=store, check_workspace=False)
    return [str(block.text) for message in runtime.messages for block in message.content if block.type == "text"]


def theirs(store: EventStore, thread: str = THREAD) -> list[str]:
    """Texts that the client would send."""
    items = render(store, thread, store.session(thread).head, "gpt-5-codex")
    return [part["text"] for one in items if one["type"] == "message" for part in one["content"]]


def codes(store: EventStore, thread: str = THREAD) -> list[str]:
    return [one.code for one in resume_session(thread, store=store, check_workspace=False).report.findings]


def said(*numbers: int) -> list[str]:
    return [text for number in numbers for text in (f"prompt {number}", f"answer {number}")]


ROLLBACKS = {
    "one": ([*turn(1), *turn(2), rolled_back(1)], said(1)),
    "two in a row": ([*turn(1), *turn(2), *turn(3), rolled_back(1), rolled_back(1)], said(1)),
    "after a new turn": ([*turn(1), *turn(2), rolled_back(1), *turn(3), rolled_back(2)], []),
    "more than there are": ([*turn(1), rolled_back(5), *turn(2)], said(2)),
    "none": ([*turn(1), rolled_back(0)], said(1)),
    "over a compaction": (
        [*turn(1), *turn(2), compacted("", [user("prompt 1"), user("sum")]), *turn(3), rolled_back(2)],
        said(1),
    ),
    "over a compaction in a turn of its own": (
        [*turn(1), *turn(2), started("c"), compacted("", [user("sum")]), completed("c"), *turn(3), rolled_back(2)],
        said(1),
    ),
    "behind a compaction": (
        [*turn(1), compacted("", [user("sum")]), *turn(2), *turn(3), rolled_back(1)],
        ["sum", *said(2)],
    ),
    "without turn marks": ([user("a"), reply("b"), user("c"), reply("d"), rolled_back(1)], ["a", "b"]),
}


@pytest.mark.parametrize(("lines", "left"), ROLLBACKS.values(), ids=ROLLBACKS.keys())
def test_a_rollback_takes_whole_turns_as_the_client_does(
    store: EventStore, tmp_path: Path, lines: list[Any], left: list[str]
) -> None:
    take(store, tmp_path, meta(), *lines)
    assert ours(store) == left
    assert theirs(store) == left


def test_the_context_above_a_rolled_back_turn_goes_with_it(store: EventStore, tmp_path: Path) -> None:
    environment = user("<environment_context>\n  <cwd>/x</cwd>\n</environment_context>")
    take(store, tmp_path, meta(), *turn(1), environment, *turn(2), rolled_back(1))
    assert ours(store) == theirs(store) == said(1)


def test_two_messages_of_one_turn_are_one_turn_here_and_two_for_the_client(store: EventStore, tmp_path: Path) -> None:
    steered = [started("t2"), user("prompt 2"), user("and this"), reply("answer 2"), completed("t2")]
    take(store, tmp_path, meta(), *turn(1), *steered, rolled_back(1))
    assert ours(store) == said(1)
    assert theirs(store) == [*said(1), "prompt 2"]
    assert "rollback-by-turns" in codes(store)


def test_a_turn_of_the_screen_alone_does_not_cost_an_older_one(store: EventStore, tmp_path: Path) -> None:
    screen = [
        started("t2"),
        event("user_message", message="prompt 2"),
        event("agent_message", message="answer 2"),
        completed("t2"),
    ]
    take(store, tmp_path, meta(), *turn(1), *screen, rolled_back(1))
    assert ours(store) == said(1)
    assert theirs(store) == []


def test_a_summary_without_replacement_keeps_what_a_person_said(store: EventStore, tmp_path: Path) -> None:
    take(store, tmp_path, meta(), *turn(1, call("c"), output("c")), *turn(2), compacted("the summary"), *turn(3))
    assert ours(store) == theirs(store) == ["prompt 1", "prompt 2", "the summary", *said(3)]


def test_of_very_long_inputs_a_legacy_compaction_keeps_the_newest(store: EventStore, tmp_path: Path) -> None:
    take(store, tmp_path, meta(), user("old " * 20_000), user("new " * 10_000), compacted("sum"))
    assert ours(store) == theirs(store)
    assert [len(text) > 30_000 for text in ours(store)] == [True, True, False]
    assert "tokens truncated" in ours(store)[0]


def test_one_bad_item_does_not_void_a_compaction(store: EventStore, tmp_path: Path) -> None:
    bad = item(type="message", role="user", content="a plain text")
    take(store, tmp_path, meta(), *turn(1), compacted("", [user("kept"), bad]))
    assert ours(store) == ["kept", "a plain text"]
    assert theirs(store) == said(1)
    assert "checkpoint-unfit" in codes(store)


def test_an_empty_replacement_empties_the_context(store: EventStore, tmp_path: Path) -> None:
    take(store, tmp_path, meta(), *turn(1), compacted("", []), *turn(2))
    assert ours(store) == theirs(store) == said(2)


def test_the_readable_part_of_an_unfit_message_is_kept(store: EventStore, tmp_path: Path) -> None:
    mixed = item(
        type="message", role="user", content=[{"type": "input_text", "text": "look"}, {"type": "hologram", "x": 1}]
    )
    take(store, tmp_path, meta(), mixed, reply("ok"))
    assert ours(store) == ["look", "ok"]
    assert theirs(store) == ["ok"]
    assert "item-unfit" in codes(store)


def paginated(*lines: Any, first: int = 0) -> list[Any]:
    return [{**one, "ordinal": number} for number, one in enumerate(lines, first)]


def pointer_fork(tmp_path: Path) -> tuple[Path, Path]:
    """A parent of two turns, and a child that begins after the first."""
    parent = rollout(tmp_path / "sessions", *paginated(meta(history_mode="paginated"), *turn(1), *turn(2)))
    kept = parent.read_bytes().splitlines(keepends=True)[:5]
    base = {"thread_id": THREAD, "end_ordinal_exclusive": 5, "end_byte_offset": sum(map(len, kept))}
    head = meta(OTHER, history_mode="paginated", history_base=base, forked_from_id=THREAD)
    child = rollout(tmp_path / "sessions", *paginated(head, *turn(3), first=5), thread=OTHER)
    return parent, child


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["parent first", "child first"])
def test_a_fork_by_pointer_shares_its_past_whatever_came_first(
    store: EventStore, tmp_path: Path, order: tuple[int, int]
) -> None:
    files = pointer_fork(tmp_path)
    for number in order:
        import_transcripts([files[number]], store=store)
    assert ours(store, OTHER) == theirs(store, OTHER) == said(1, 3)
    assert ours(store) == said(1, 2)
    forked = resume_session(OTHER, store=store, check_workspace=False).session.forked_from
    assert forked is not None
    assert forked.startswith(f"{THREAD}@")


def test_a_revert_goes_on_in_a_second_file_of_the_same_thread(store: EventStore, tmp_path: Path) -> None:
    parent, _ = pointer_fork(tmp_path)
    kept = parent.read_bytes().splitlines(keepends=True)[:5]
    base = {"thread_id": THREAD, "end_ordinal_exclusive": 5, "end_byte_offset": sum(map(len, kept))}
    head = meta(history_mode="paginated", history_base=base)
    name = f"rollout-2026-01-02T00-00-00-{THREAD}_{OTHER}.jsonl"
    segment = rollout(tmp_path / "sessions", *paginated(head, *turn(3), first=5), name=name)
    import_transcripts([parent, segment], store=store)
    assert ours(store) == theirs(store) == said(1, 3)


def test_a_copied_past_is_read_once_and_marked(store: EventStore, tmp_path: Path) -> None:
    take(store, tmp_path, meta(OTHER, forked_from_id=THREAD), meta(), *turn(1), *turn(2), thread=OTHER)
    runtime = resume_session(OTHER, store=store, check_workspace=False)
    assert runtime.session.id == OTHER
    assert [parent.session_id for parent in runtime.session.lineage] == [THREAD]
    assert ours(store, OTHER) == said(1, 2)


def test_messages_between_agents_reach_the_model(store: EventStore, tmp_path: Path) -> None:
    told = line("inter_agent_communication", {"author": "/root/a", "recipient": "/root", "content": "found it"}, START)
    take(store, tmp_path, meta(), *turn(1), told)
    assert ours(store) == [*said(1), "found it"]
