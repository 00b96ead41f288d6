"""Codex writes a reply for its screen and for the model: a reader and a search meet it once."""

from __future__ import annotations

from pathlib import Path

from rehydrate.events.store import EventStore
from rehydrate.runtime.history import show_session
from rehydrate.runtime.importing import import_transcripts
from rehydrate.runtime.searching import search_sessions

from ..support.rollouts import THREAD, completed, event, meta, reply, rollout, started, user


def test_a_reply_in_both_ledgers_is_shown_and_found_once(tmp_path: Path) -> None:
    lines = [
        started(),
        user("question"),
        event("user_message", message="question"),
        event("agent_message", message="the answer"),
    ]
    path = rollout(tmp_path, meta(), *lines, reply("the answer"), completed())
    with EventStore(tmp_path / "db.sqlite") as store:
        import_transcripts([path], store=store)
        shown = [entry.text for entry in show_session(THREAD, store=store).entries]
        matches = search_sessions("answer", store=store).matches
    assert shown.count("the answer") == 1
    assert shown.count("question") == 1
    assert len(matches) == 1


def test_a_reply_of_the_screen_alone_is_shown(tmp_path: Path) -> None:
    path = rollout(tmp_path, meta(), started(), user("question"), event("agent_message", message="half an answer"))
    with EventStore(tmp_path / "db.sqlite") as store:
        import_transcripts([path], store=store)
        shown = [entry.text for entry in show_session(THREAD, store=store).entries]
    assert shown.count("half an answer") == 1
