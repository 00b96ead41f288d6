"""`--compat client` of Claude sessions: the client's own history, its fillers and losses included."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rehydrate.events.event import Draft
from rehydrate.events.kinds import AssistantMessage, UserInput
from rehydrate.events.store import EventStore
from rehydrate.runtime.compat.client import client_messages
from rehydrate.runtime.fork import fork_session
from rehydrate.runtime.importing import import_transcripts

from ..support.claude_lines import (
    MODEL,
    SESSION,
    assistant,
    attachment,
    boundary,
    call,
    conversation,
    envelope,
    result,
    summary,
    text,
    thinking,
    user,
    written,
)


@pytest.fixture
def store() -> Iterator[EventStore]:
    with EventStore(":memory:") as opened:
        yield opened


@pytest.fixture
def sent(store: EventStore, tmp_path: Path) -> Any:
    def sent(*lines: Any, at: str = "", session: str = SESSION) -> list[tuple[str, Any]]:
        if lines:
            import_transcripts([written(tmp_path / "p", lines)], store=store)
        messages = client_messages(f"{session}{at}", form="anthropic", model=MODEL, store=store)
        return [(message["role"], _short(message["content"])) for message in messages]

    return sent


def _short(content: Any) -> Any:
    if isinstance(content, str):
        return content
    return [block.get("text") or block.get("id") or block.get("tool_use_id") or block["type"] for block in content]


def test_an_unanswered_prompt_is_declared_answered(sent: Any) -> None:
    assert sent(*conversation(1), user("u2", "a1", "and?"))[-2:] == [
        ("user", "and?"),
        ("assistant", ["No response requested."]),
    ]


def test_an_open_call_vanishes_and_its_answered_sibling_stays(sent: Any) -> None:
    lines = [
        user("u1", None, "go"),
        assistant("x1", "u1", call("t1"), message="m"),
        assistant("x2", "x1", call("t2"), message="m"),
        result("r1", "x1", "t1"),
    ]
    assert sent(*lines) == [
        ("user", "go"),
        ("assistant", ["t1"]),
        ("user", ["t1", "Continue from where you left off."]),
        ("assistant", ["No response requested."]),
    ]


def test_thinking_of_another_model_is_left_out(sent: Any) -> None:
    lines = [
        user("u1", None, "go"),
        assistant("a1", "u1", thinking("mine", "s" * 80), text("one")),
        assistant("a2", "a1", thinking("theirs", "s" * 80), text("two"), model="other"),
    ]
    assert sent(*lines) == [("user", "go"), ("assistant", ["thinking", "one"]), ("assistant", ["two"])]


def test_the_text_of_a_reply_moves_before_its_calls(sent: Any) -> None:
    lines = [
        user("u1", None, "go"),
        assistant("a1", "u1", call("t1"), text("I run it."), message="m"),
        result("r1", "a1", "t1"),
        assistant("a2", "r1", text("done")),
    ]
    assert sent(*lines)[1] == ("assistant", ["I run it.", "t1"])


def test_a_queued_prompt_stands_where_it_was_delivered(sent: Any) -> None:
    lines = [
        user("u1", None, "go"),
        assistant("a1", "u1", call("t1")),
        result("r1", "a1", "t1"),
        attachment("t9", "r1", "queued_command", prompt="also this"),
        assistant("a2", "t9", text("both")),
    ]
    (answers,) = [content for role, content in sent(*lines)[2:3] if role == "user"]
    assert answers[0] == "t1"
    assert "also this" in answers[1]


def test_everything_before_a_far_missing_parent_is_gone(sent: Any) -> None:
    late = user("z9", "ghost", "later", timestamp="2026-02-01T00:00:00.000Z")
    assert sent(*conversation(2), late)[0] == ("user", "later")


def test_what_stands_before_a_compaction_is_gone(sent: Any) -> None:
    lines = [
        *conversation(2),
        boundary("b1", "a2"),
        summary("s1", "b1", "Sum."),
        *conversation(1, start=3, parent="s1"),
    ]
    assert sent(*lines)[0] == ("user", ["Sum.", "prompt 3"])


def test_an_unknown_record_cuts_the_history(sent: Any) -> None:
    between = envelope("hologram", "x1", "a1", timestamp="2026-01-01T00:00:00.000Z")
    late = user("z9", "x1", "later", timestamp="2026-02-01T00:00:00.000Z")
    assert sent(*conversation(1), between, late)[0] == ("user", "later")


def test_a_fork_sees_what_its_pointer_saw(store: EventStore, sent: Any) -> None:
    sent(*conversation(4))
    at_pointer = sent(at="@a2")
    fork = fork_session(f"{SESSION}@a2", store=store)
    assert sent(session=fork.session_id) == at_pointer
    assert len(at_pointer) == 4


def test_what_was_said_here_since_the_import_follows(store: EventStore, sent: Any) -> None:
    sent(*conversation(1))
    said = UserInput(content=[{"type": "text", "text": "here"}], starts_turn=True)  # type: ignore[list-item]
    reply = AssistantMessage(response_id="r", model=MODEL, blocks=[{"type": "text", "text": "yes"}])  # type: ignore[list-item]
    store.append(SESSION, [Draft.of(said), Draft.of(reply)])
    assert sent()[-2:] == [("user", ["here"]), ("assistant", ["yes"])]
