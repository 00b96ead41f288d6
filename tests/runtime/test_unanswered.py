"""A prompt that was stopped before its answer is there, and is said to be open."""

from __future__ import annotations

from rehydrate.events.event import Draft
from rehydrate.events.store import EventStore
from rehydrate.runtime.resume import resume_session

PROMPT = Draft("UserInput", {"content": [{"type": "text", "text": "go"}], "starts_turn": True})
REPLY = Draft("AssistantMessage", {"blocks": [{"type": "text", "text": "done"}]})


def test_a_prompt_without_an_answer_is_told() -> None:
    with EventStore(":memory:") as store:
        store.create_session("open", source="live")
        store.append("open", [PROMPT])
        before = resume_session("open", store=store, check_workspace=False)
        store.append("open", [REPLY])
        after = resume_session("open", store=store, check_workspace=False)
    assert [(one.code, one.severity, one.facts) for one in before.report.findings] == [
        ("unanswered-input", "info", {"pointer": "open@1"})
    ]
    assert before.report.outcome == "ok"
    assert not after.report.findings
